"""Where the samples are, and a folder to write in for each test."""

import pathlib

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
