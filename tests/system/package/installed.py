"""What the tests of the installed package share: it is put into a fresh folder and used from there, as somebody else's
project does."""

import pathlib
import re
import subprocess
import sys


def run(*words, codes=(0,), folder=None):
    """Standard output; ends the test when the exit code is none of `codes`."""
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=folder)
    if result.returncode not in codes:
        sys.exit(f"{' '.join(map(str, words))}: exit code {result.returncode}, wanted {codes}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def install(cmake, build, scratch):
    prefix = scratch / "prefix"
    run(cmake, "--install", build, "--prefix", prefix)
    return prefix


def build_project(cmake, nvcc, prefix, source, build):
    """Configured against the installed package and no other."""
    run(cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CUDA_COMPILER={nvcc}",
        "-DCMAKE_BUILD_TYPE=Release")
    cache = (build / "CMakeCache.txt").read_text()
    found = re.search(r"^aisp_DIR:PATH=(.*)$", cache, re.MULTILINE).group(1)
    if pathlib.Path(found) != prefix / "lib/cmake/aisp":
        sys.exit(f"{source.name} found the package of {found}")
    run(cmake, "--build", build)
