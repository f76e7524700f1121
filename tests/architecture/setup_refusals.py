"""`setup` says in one line what is missing, and exits 4; with nothing missing it is silent.

It runs with stand-ins for apt-get and nvcc on its PATH, so that nothing is ever installed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import tree

TOOLS = ["bash", "cat", "env", "grep", "id", "mktemp", "rm", "sed", "tail"]
# What `setup` itself says it looks for.
NEEDS = re.findall(r"^\S+ +(program|header) +(\S+)", (tree.ROOT / "setup").read_text(), re.MULTILINE)
PROGRAMS = [name for kind, name in NEEDS if kind == "program"]
HEADERS = [name for kind, name in NEEDS if kind == "header"]


class Machine:
    """A folder that looks to `setup` like a machine with everything on it."""

    def __init__(self, folder):
        self.bin, self.prefix = folder / "bin", folder / "usr"
        self.toolkit = folder / "cuda-13.0"
        tree.plant(self.prefix / "include", {name: "" for name in HEADERS})
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(subprocess.run(["which", tool], capture_output=True, text=True).stdout.strip())
        for program in PROGRAMS:
            self.program(self.bin / program, "exit 0")
        self.nvcc(self.toolkit, "13.0")

    def program(self, path, body):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def nvcc(self, root, release):
        self.program(root / "bin/nvcc", f'echo "Cuda compilation tools, release {release}, V{release}.1"')

    def setup(self, *words, **environment):
        variables = {"PATH": str(self.bin), "AISP_PREFIX": str(self.prefix), "AISP_TOOLKIT_ROOTS": str(self.toolkit)}
        result = subprocess.run([tree.ROOT / "setup", *words], capture_output=True, text=True,
                                env={**variables, **{name: str(value) for name, value in environment.items()}})
        return result.returncode, (result.stdout + result.stderr).splitlines()


def demand(condition, what, seen):
    if not condition:
        sys.exit(f"setup, {what}: got {seen}")


def scenario(name):
    def register(body):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(pathlib.Path(folder))
            body(machine, lambda condition, seen: demand(condition, name, seen))
    return register


@scenario("nothing missing")
def _(machine, demand):
    seen = machine.setup()
    demand(seen == (0, []), seen)


@scenario("no apt, a header missing")
def _(machine, demand):
    (machine.prefix / "include/sqlite3.h").unlink()
    code, lines = seen = machine.setup()
    demand(code == 4 and len(lines) == 1 and "libsqlite3-dev" in lines[0] and "package manager" in lines[0], seen)


@scenario("apt that may not be used")
def _(machine, demand):
    (machine.prefix / "include/sqlite3.h").unlink()
    (machine.bin / "id").unlink()
    machine.program(machine.bin / "id", "echo 1000")
    machine.program(machine.bin / "sudo", "exit 1")
    machine.program(machine.bin / "apt-get", f"touch {machine.prefix}/called")
    code, lines = seen = machine.setup()
    demand(code == 4 and len(lines) == 1 and "run: sudo apt-get install -y libsqlite3-dev" in lines[0], seen)
    demand(not (machine.prefix / "called").exists(), "apt-get was called")


@scenario("apt installs what is missing and nothing else")
def _(machine, demand):
    (machine.prefix / "include/sqlite3.h").unlink()
    (machine.bin / "id").unlink()
    machine.program(machine.bin / "id", "echo 0")
    header = machine.prefix / "include/sqlite3.h"
    machine.program(machine.bin / "apt-get", f'echo "$*" >> {machine.prefix}/called; : > {header}')
    code, lines = seen = machine.setup()
    demand(code == 0 and lines == ["setup: installing libsqlite3-dev"], seen)
    calls = (machine.prefix / "called").read_text().splitlines()
    demand(calls == ["update -q", "install -yq --no-install-recommends libsqlite3-dev"], calls)


@scenario("apt fails")
def _(machine, demand):
    (machine.bin / "cmake").unlink()
    (machine.bin / "id").unlink()
    machine.program(machine.bin / "id", "echo 0")
    machine.program(machine.bin / "apt-get", "echo 'E: no network'; exit 100")
    code, lines = seen = machine.setup()
    demand(code == 4 and "E: no network" in lines and "run: sudo apt-get install -y cmake" in lines[-1], seen)


@scenario("only what the build can do without is missing")
def _(machine, demand):
    for program in ("ninja", "ccache", "file"):
        (machine.bin / program).unlink()
    seen = machine.setup()
    demand(seen == (0, []), seen)


@scenario("no toolkit")
def _(machine, demand):
    code, lines = seen = machine.setup(AISP_TOOLKIT_ROOTS="/nowhere/cuda /nowhere/cuda-13", CUDA_HOME="/home/none")
    demand(code == 4 and len(lines) == 1 and "CUDA 13" in lines[0], seen)
    demand(all(place in lines[0] for place in ("PATH", "/nowhere/cuda/bin", "/nowhere/cuda-13/bin", "/home/none")), seen)


@scenario("the checker needs no toolkit and nothing for tests")
def _(machine, demand):
    (machine.bin / "clang-format").unlink()
    (machine.prefix / "include/gtest/gtest.h").unlink()
    seen = machine.setup("checker", AISP_TOOLKIT_ROOTS="/nowhere/cuda")
    demand(seen == (0, []), seen)
    (machine.prefix / "include/zstd.h").unlink()
    code, lines = seen = machine.setup("checker", AISP_TOOLKIT_ROOTS="/nowhere/cuda")
    demand(code == 4 and len(lines) == 1 and "libzstd-dev" in lines[0], seen)


@scenario("an old toolkit only")
def _(machine, demand):
    machine.nvcc(machine.toolkit, "12.4")
    code, lines = seen = machine.setup()
    demand(code == 4 and len(lines) == 1 and "is CUDA 12" in lines[0], seen)


@scenario("an old nvcc in front of a good one")
def _(machine, demand):
    machine.nvcc(machine.prefix, "12.4")
    seen = machine.setup(CUDACXX=machine.prefix / "bin/nvcc")
    demand(seen == (0, []), seen)
