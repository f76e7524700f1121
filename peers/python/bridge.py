"""The Python side of the border between the program and its peers: a function is called with JSON
and answers with JSON. Nothing here knows PyTorch."""

import importlib
import importlib.util
import json
import linecache
import os
import sys
import traceback


PACKAGE = "aisp_peers"  # this module is aisp_peers.bridge


class Refused(Exception):
    """A peer cannot do what is asked; the text says why in one line."""


def one_line(error):
    """What went wrong, as a reader wants it in a table's footnote."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else ""
    if isinstance(error, Refused):
        return text
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def found(function):
    """What "module.name" stands for; the module is one of the program's own."""
    module, name = function.rsplit(".", 1)
    return getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)


def answer(function, arguments):
    """Calls "module.name" with the keyword arguments in a JSON object."""
    try:
        return json.dumps({"result": found(function)(**json.loads(arguments))})
    except BaseException as error:  # nothing may leave: the caller is no Python
        if not isinstance(error, Refused):
            traceback.print_exc()  # the whole of it goes to the log
        return json.dumps({"error": one_line(error)})


def settle(executable, prefix, exec_prefix, path, home):
    """Makes this interpreter look like the one that was asked: its packages, its name for children, and
    the PYTHONHOME that the program was started with."""
    os.environ.pop("PYTHONHOME", None)
    if home is not None:
        os.environ["PYTHONHOME"] = home
    sys.executable, sys.prefix, sys.exec_prefix = executable, prefix, exec_prefix
    sys.argv = [executable]
    sys.path[:] = path


class Sources:
    """Imports the package from the texts that the program carries. Their lines can be asked for as those
    of files can: Triton compiles what inspect.getsource gives it."""

    def __init__(self, texts):
        self.texts = texts  # by the name of the module in the package

    def find_spec(self, name, path=None, target=None):
        if name == PACKAGE:
            return importlib.util.spec_from_loader(name, self, is_package=True)
        package, _, module = name.rpartition(".")
        if package != PACKAGE or module not in self.texts:
            return None
        return importlib.util.spec_from_loader(name, self, origin=f"<aisp>/peers/python/{module}.py")

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        if module.__name__ == PACKAGE:
            return
        text, origin = self.texts[module.__name__.rpartition(".")[2]], module.__spec__.origin
        module.__file__ = origin
        linecache.cache[origin] = (len(text), None, text.splitlines(True), origin)
        exec(compile(text, origin, "exec"), module.__dict__)


def carry(texts):
    """From now on the program's modules can be imported."""
    sys.meta_path.insert(0, Sources(texts))
