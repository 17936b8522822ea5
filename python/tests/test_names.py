"""The names that the modules promise (docs/stability.md)."""

import importlib

import pytest

import spr_convert

COMPAT = ["kaldi_io", "kaldi_native_io", "kaldiio", "torchaudio"]
MODULES = ["torch", "hf", "ray", "lhotse", "compat", *(f"compat.{name}" for name in COMPAT)]


@pytest.mark.parametrize("name", MODULES)
def test_each_module_lists_its_names(name):
    if name.endswith("torch"):
        pytest.importorskip("torch")
    module = importlib.import_module(f"spr_convert.{name}")
    given = {}
    exec(f"from spr_convert.{name} import *", given)
    assert set(given) - {"__builtins__"} == set(module.__all__)
    own = {
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
    }
    assert own <= set(module.__all__), "nothing is left out"


def test_the_package_lists_its_names():
    assert all(hasattr(spr_convert, name) for name in spr_convert.__all__)
