"""The notebooks run, as they are, in a folder with the samples; what they show is not kept in them."""

import json
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, SAMPLES

NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))


def cells(path):
    return [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_is_kept_of_a_run(path):
    for cell in cells(path):
        assert cell["outputs"] == [] and cell["execution_count"] is None
        assert not any(line.lstrip().startswith(("!", "%")) for line in cell["source"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, apart):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for folder in (SAMPLES, SAMPLES.parent / "wav"):
        shutil.copytree(folder, apart, dirs_exist_ok=True)
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": apart}})
    client.execute()


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_are_right(checker, apart):
    pytest.importorskip(checker)
    version = [sys.executable, "-m", checker, "--version"]
    if subprocess.run(version, capture_output=True).returncode:
        # pyright brings the program itself with its first call.
        pytest.skip(f"{checker} can't be had")
    for path in NOTEBOOKS:
        code = "\n\n".join("".join(cell["source"]) for cell in cells(path))
        (apart / f"{path.stem.replace('-', '_')}.py").write_text(code + "\n")
    options = {
        "mypy": ["--strict", "--config-file", str(ROOT / "python" / "pyproject.toml")],
        "pyright": ["--pythonpath", sys.executable],
    }
    command = [sys.executable, "-m", checker, *options[checker], "."]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
