"""Run by the interpreter that is asked about, not by the program: says where its shared library may
be and what it could import. Imports neither PyTorch nor Triton, which take seconds."""

import importlib.metadata
import importlib.util
import json
import os
import sys
import sysconfig


def version_of(module, *distributions):
    """The installed version, "" where there is no such module."""
    if importlib.util.find_spec(module) is None:
        return ""
    for distribution in (module, *distributions):
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "of unknown version"


def shared_libraries():
    """Where libpython may be, best first: beside the interpreter, then where the loader looks."""
    variables = sysconfig.get_config_vars()
    usual = "libpython{}.{}{}.so.1.0".format(*sys.version_info[:2], getattr(sys, "abiflags", ""))
    names = [variables.get(key) or "" for key in ("INSTSONAME", "LDLIBRARY")] + [usual]
    names = [name for name in dict.fromkeys(names) if ".so" in name]
    folders = [variables.get("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")]
    found = [os.path.join(folder, name) for folder in dict.fromkeys(folders) if folder for name in names]
    return [path for path in found if os.path.exists(path)] + names


print("probe: " + json.dumps({
    "executable": sys.executable,
    "version": sys.version.split()[0],
    "home": sys.base_prefix + ":" + sys.base_exec_prefix,
    "prefix": sys.prefix,
    "exec_prefix": sys.exec_prefix,
    "path": [folder for folder in sys.path if folder],
    "libraries": shared_libraries(),
    "torch": version_of("torch"),
    "triton": version_of("triton", "pytorch-triton"),
}))
