"""lhotse without PyTorch, which is gigabytes: modules called torch in which everything is an empty class, so
that lhotse can be imported. No numbers pass through them, as manifests, stores and Shar work on NumPy."""
import contextlib
import importlib.util
import sys
import types
from importlib.machinery import ModuleSpec


class Empty(type):
    """The type of classes whose attributes are empty classes as well."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return made(name)


class Anything:
    """Takes any arguments; what it decorates stays as it is."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if args else None

    def __class_getitem__(cls, item):
        return cls


def made(name):
    return Empty(name, (Anything,), {"ignore_index": -100})


class Module(types.ModuleType):
    """A module in which there is everything."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []
        self.__version__ = "2.0.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = made(name)
        setattr(self, name, value)
        return value


class Finder:
    """Finds torch and all modules below it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            return ModuleSpec(name, Finder, is_package=True)
        return None

    @staticmethod
    def create_module(spec):
        module = Module(spec.name)
        if spec.name == "torch":
            module.is_tensor = lambda value: False
        return module

    @staticmethod
    def exec_module(module):
        pass


def install():
    """Puts these modules in the place of torch, unless that is installed. Returns whether lhotse can be imported."""
    if importlib.util.find_spec("lhotse") is None:
        return False
    if importlib.util.find_spec("torch") is None:
        sys.meta_path.insert(0, Finder)
    return True


@contextlib.contextmanager
def hidden():
    """Takes these modules away meanwhile, for packages that do without torch where there is none."""
    finders = [finder for finder in sys.meta_path if finder is Finder]
    ours = {name: module for name, module in sys.modules.items() if isinstance(module, Module)}
    for finder in finders:
        sys.meta_path.remove(finder)
    for name in ours:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.meta_path[:0] = finders
        sys.modules.update(ours)
