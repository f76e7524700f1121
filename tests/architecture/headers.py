"""Every header compiles on its own and when it is included twice: .hpp with the host compiler, .cuh with nvcc.

A header that a source file includes before all else has compiled on its own when the tree was built."""

import concurrent.futures
import pathlib
import shutil
import subprocess
import tempfile

import tree

JOBS = 2


def options(parser):
    parser.add_argument("--cxx", default="g++", help="host compiler")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", help="CUDA compiler")
    parser.add_argument("--include", action="append", default=[], help="further include folders")


def command(header, unit, root, arguments):
    folders = [f"-I{root}"] + [f"-I{folder}" for folder in arguments.include]
    if header.suffix == ".hpp":
        # tests/CMakeLists.txt gives the test programs these paths.
        paths = [f'-DAISP_{name}=""' for name in ("FIXTURE", "SOURCE_DIR", "BUILD_DIR")]
        # sim/ is built for processors with wide vectors; here, without them, only their passing would be warned of.
        return [arguments.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-psabi",
                "-Wno-missing-field-initializers", "-fsyntax-only", *paths, *folders,
                unit]
    # PTX for Hopper: enough to see that the device code parses and lowers, without the assembler.
    return [arguments.nvcc, "-std=c++20", "-Werror=all-warnings", "-gencode", "arch=compute_90a,code=compute_90a",
            "-ptx", "-o", unit.with_suffix(".ptx"), *folders, unit]


def compile_alone(header, number, root, scratch, arguments):
    unit = scratch / f"unit_{number}{'.cu' if header.suffix == '.cuh' else '.cpp'}"
    unit.write_text(f'#include "{header.as_posix()}"\n' * 2)
    try:
        result = subprocess.run(command(header, unit, root, arguments), capture_output=True, text=True)
    except FileNotFoundError as error:
        return f"{header}: no compiler: {error}"
    if result.returncode == 0:
        return None
    lines = (result.stderr or result.stdout).splitlines()
    errors = [line for line in lines if "error" in line] or lines
    return f"{header}: does not compile alone: {errors[0] if errors else result.returncode}"


def first_includes(root):
    """What sources include before all else. Not those of tests, which are compiled behind precompiled headers, nor of
    folders that are not always built."""
    found = set()
    for path in tree.files(root):
        if path.suffix in {".cpp", ".cu"} and path.parts[0] not in {"tests", "examples", "tools"}:
            includes = [line for line in (root / path).read_text().splitlines() if line.startswith("#include")]
            found.update(includes[:1])
    return found


def was_built(header, root, firsts):
    """Does the build prove it?"""
    return f'#include "{header.as_posix()}"' in firsts and "#pragma once\n" in (root / header).read_text()


def check(root, arguments):
    firsts = first_includes(root)
    headers = [path for path in tree.files(root) if path.suffix in {".hpp", ".cuh"} and not was_built(path, root, firsts)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = pool.map(
            lambda at: compile_alone(at[1], at[0], root, pathlib.Path(folder), arguments), enumerate(headers))
        return [complaint for complaint in results if complaint]


def self_test(planted):
    good = "#pragma once\n#include <string>\nstruct Good { std::string name; };\n"
    tree.expect(planted({"base/good.hpp": good, "base/uses.hpp": '#pragma once\n#include "base/good.hpp"\n'}), [],
                "headers in order")

    def bad(name, text, what):
        found = planted({name: text, "base/good.hpp": good})
        if len(found) != 1 or not found[0].startswith(f"{name}: does not compile alone: "):
            tree.expect(found, [f"{name}: does not compile alone: …"], what)

    bad("base/needs.hpp", "#pragma once\nstruct Needs { std::string name; };\n", "a missing include")
    bad("base/twice.hpp", "struct Twice {};\n", "no include guard")
    bad("base/gone.hpp", '#pragma once\n#include "base/nowhere.hpp"\n', "an include that is not there")
    with_source = {"base/own.hpp": "#pragma once\nstruct Own { std::string name; };\n"}
    first, later = '#include "base/own.hpp"\n', '#include <string>\n#include "base/own.hpp"\n'
    for name in ("base/own.cpp", "base/other.cu"):
        tree.expect(planted(with_source | {name: first}), [], "one that the build compiles alone")
    for name, text, what in (("base/own.cpp", later, "one that its source file includes later"),
                             ("tests/base/own_test.cpp", first, "one that only a test includes first")):
        if len(planted(with_source | {name: text})) != 1:
            tree.expect([], ["base/own.hpp: does not compile alone: …"], what)
    if len(planted({"base/own.hpp": "struct Own {};\n", "base/own.cpp": first})) != 1:
        tree.expect([], ["base/own.hpp: does not compile alone: …"], "no include guard, with a source file")
    bad("tile/arch/bad.cuh", "#pragma once\n__device__ int broken() { return threadIdx.w; }\n", "device code")


tree.main(check, self_test, options)
