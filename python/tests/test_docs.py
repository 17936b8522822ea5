"""The examples of the documents and of docstrings."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import shutil

import numpy as np
import pytest

import spr_convert
from conftest import ROOT, SAMPLES

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
DOCUMENTS = ["python/README.md", "python/PYPI.md", "docs/coming-from-python.md"]
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


#: Calls whose examples need a package besides.
NEED = {"to_pandas": "pandas", "to_polars": "polars", "to_arrow": "pyarrow", "read_spr": "ray"}


@pytest.mark.parametrize("name", ["spr_convert", *MODULES])
def test_docstrings(samples, name, request):
    if name.endswith(".lhotse"):
        request.getfixturevalue("lhotse")
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in finder.find(module, extraglobs={"FBANK": "fbank.scp", "ALI": "ali.txt"}):
        need = NEED.get(test.name.rpartition(".")[2])
        if need is None or importlib.util.find_spec(need):
            runner.run(test)
    assert runner.failures == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = ["spr_convert", *MODULES]
    tests = [test for name in names for test in finder.find(importlib.import_module(name))]
    assert sum(len(test.examples) for test in tests) > 15


def calls():
    """The public functions, classes and methods of the package, by name."""
    for name in spr_convert.__all__:
        found = getattr(spr_convert, name)
        if inspect.isfunction(found):
            yield name, found
        elif not issubclass(found, (BaseException, tuple)):
            yield name, found
            for method, function in inspect.getmembers(found, inspect.isfunction):
                ours = function.__module__.startswith("spr_convert")
                if ours and not method.startswith("_"):
                    yield f"{name}.{method}", function
    for module in ("hf", "ray", "lhotse"):
        inside = vars(importlib.import_module(f"spr_convert.{module}"))
        for name, found in inside.items():
            own = getattr(found, "__module__", None) == f"spr_convert.{module}"
            if own and inspect.isfunction(found) and not name.startswith("_"):
                yield f"{module}.{name}", found


def test_every_call_has_an_example():
    finder = doctest.DocTestFinder(recurse=False)
    without = [
        name
        for name, call in calls()
        if not any(test.examples for test in finder.find(call, name, globs={}))
    ]
    assert without == []
