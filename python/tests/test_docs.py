"""The examples of the documents and of docstrings."""

import doctest
import importlib
import pkgutil
import shutil

import numpy as np
import pytest

import spr_convert
from conftest import ROOT, SAMPLES

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
DOCUMENTS = ["python/README.md", "docs/coming-from-python.md"]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(spr_convert.__path__, "spr_convert.")
    if not module.name.endswith((".torch", ".torchaudio", "__main__", "_native"))
]


@pytest.fixture
def samples(apart):
    for path in SAMPLES.iterdir():
        shutil.copy(path, apart)


@pytest.fixture(autouse=True)
def printed(monkeypatch):
    # NumPy 1 and 2 show arrays alike but for this.
    if hasattr(np, "_core"):
        np.set_printoptions(legacy="1.25")
        yield
        np.set_printoptions(legacy=False)
    else:
        yield


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(samples, name):
    failed, tried = doctest.testfile(str(ROOT / name), module_relative=False, optionflags=FLAGS)
    assert tried > 5 and failed == 0


@pytest.mark.parametrize("name", ["spr_convert", *MODULES])
def test_docstrings(samples, name):
    module = importlib.import_module(name)
    given = {"FBANK": "fbank.scp", "ALI": "ali.txt"}
    failed, _ = doctest.testmod(module, extraglobs=given, optionflags=FLAGS)
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = ["spr_convert", *MODULES]
    tests = [test for name in names for test in finder.find(importlib.import_module(name))]
    assert sum(len(test.examples) for test in tests) > 15
