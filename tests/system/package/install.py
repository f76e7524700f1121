"""Installs aisp into a fresh folder and uses it from there, as somebody else's project does.

    install.py CMAKE BUILD NVCC EXAMPLE...

Every example is configured against the installed package, built, and run on the installed simulator.
"""

import os
import pathlib
import re
import sys
import tempfile

from installed import build_project, check_pages, install, run

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = SOURCE / "docs/programs"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import sweep


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
    folder = prefix / "lib/aisp/sim"
    if preloaded != f"{folder / 'libcudart.so.13'}:{folder / 'libcuda.so.1'}":
        sys.exit(f"the installed aisp takes the simulator {preloaded}")


def run_example(prefix, program):
    for order in ("earliest", "latest"):
        words = (prefix / "bin/aisp", "sim", "--order", order, "--device", "h200,sms=4", "--", program)
        print(program.name, order, run(*words).strip(), sep=": ")


# A program and the one part of the package that it is linked with: whatever that needs comes with it. One of them here, all
# with AISP_TEST_SWEEPS=full.
PARTS = {"attention": "causal_attention", "conv2d": "convolution", "contract": "contraction"}


def build_with_nvcc(cmake, nvcc, prefix, examples, scratch):
    """In one project, which looks for its compilers once: the examples, each with its own CMakeLists.txt, and the parts."""
    source, build = scratch / "with_nvcc", scratch / "with_nvcc_build"
    source.mkdir()
    lines = ["cmake_minimum_required(VERSION 3.25)", "set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)",
             "set(CMAKE_CUDA_ARCHITECTURES 90a-virtual)", "project(with_nvcc LANGUAGES CXX CUDA)"]
    lines += [f"add_subdirectory({example} {example.name})" for example in examples]
    parts = dict(sweep.sample(PARTS.items(), 1, "parts")) if (prefix / "lib/libaisp_conv2d.a").exists() else {}
    if parts:
        lines.append("find_package(aisp REQUIRED)")
    for part, program in parts.items():
        lines += [f"add_executable({program} {PROGRAMS / program}.cu)",
                  f"target_link_libraries({program} PRIVATE aisp::{part})"]
    (source / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    build_project(cmake, nvcc, prefix, source, build)
    for part, program in parts.items():
        said = run(prefix / "bin/aisp", "sim", "--device", "h200,sms=4", "--", build / program)
        print(part, said.strip(), sep=": ")
    for example in examples:
        run_example(prefix, build / example.name / example.name)


def build_without_nvcc(cmake, prefix, example, scratch):
    """Its project does not ask for a CUDA compiler, and gets none."""
    build_project(cmake, "/nowhere/nvcc", prefix, example, scratch / example.name)
    run_example(prefix, scratch / example.name / example.name)


def main():
    cmake, build, nvcc, *examples = sys.argv[1:]
    os.environ.pop("AISP_SIM_LIBRARY", None)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder).resolve()
        prefix = install(cmake, build, scratch)
        check_headers(prefix / "include/aisp")
        check_program(prefix)
        check_pages(prefix / "share/doc/aisp", SOURCE)
        examples = [pathlib.Path(example).resolve() for example in examples]
        needs_nvcc = [example for example in examples if (example / "main.cu").exists()]
        build_with_nvcc(cmake, nvcc, prefix, needs_nvcc, scratch)
        for example in examples:
            if example not in needs_nvcc:
                build_without_nvcc(cmake, prefix, example, scratch)


main()
