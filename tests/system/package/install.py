"""Installs aisp into a fresh folder and uses it from there, as somebody else's project does.

    install.py CMAKE BUILD NVCC EXAMPLE...

Every example is configured against the installed package, built, and run on the installed simulator.
"""

import os
import pathlib
import re
import sys
import tempfile

from installed import build_project, install, run

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def check_headers(folder):
    """A header that was not installed would be found in no project but this one."""
    headers = [path for path in folder.rglob("*") if path.is_file()]
    if not headers:
        sys.exit(f"no headers in {folder}")
    for header in headers:
        for name in INCLUDE.findall(header.read_text()):
            if not (folder / name).is_file() and not (header.parent / name).is_file():
                sys.exit(f"{header.relative_to(folder)} includes {name}, which is not installed")


def check_program(prefix):
    aisp = prefix / "bin/aisp"
    if not run(aisp, "layout", "4:2").startswith("4:2\n"):
        sys.exit("the installed aisp draws no layout")
    preloaded = run(aisp, "sim", "--", "sh", "-c", "echo $LD_PRELOAD").strip()
    if pathlib.Path(preloaded) != prefix / "lib/aisp/sim/libcudart.so.13":
        sys.exit(f"the installed aisp takes the simulator {preloaded}")


def build_example(cmake, nvcc, prefix, source, scratch):
    build = scratch / source.name
    build_project(cmake, nvcc, prefix, source, build)
    for order in ("earliest", "latest"):
        words = (prefix / "bin/aisp", "sim", "--order", order, "--device", "h200,sms=4", "--", build / source.name)
        print(source.name, order, run(*words).strip(), sep=": ")


def main():
    cmake, build, nvcc, *examples = sys.argv[1:]
    os.environ.pop("AISP_SIM_LIBRARY", None)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder).resolve()
        prefix = install(cmake, build, scratch)
        check_headers(prefix / "include/aisp")
        check_program(prefix)
        for example in examples:
            build_example(cmake, nvcc, prefix, pathlib.Path(example).resolve(), scratch)


main()
