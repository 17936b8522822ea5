"""Where the samples are, and a folder to write in for each test."""

import importlib
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "fixtures" / "samples" / "kaldi"


@pytest.fixture
def fbank():
    """Features of twelve utterances."""
    return str(SAMPLES / "fbank.scp")


@pytest.fixture
def ali():
    """Labels of the same."""
    return str(SAMPLES / "ali.txt")


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """Every test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def lhotse():
    """Lhotse, with or without PyTorch."""
    folder = str(ROOT / "tests" / "interop")
    sys.path.insert(0, folder)
    import without_torch

    sys.path.remove(folder)
    if not without_torch.install():
        pytest.skip("lhotse is not installed")
    yield importlib.import_module("lhotse")
    # No other test takes what stands in for it for PyTorch.
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not without_torch.Finder]
    for name, module in list(sys.modules.items()):
        if isinstance(module, without_torch.Module):
            del sys.modules[name]
