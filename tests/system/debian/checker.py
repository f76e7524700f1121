"""The build of the checker alone (AISP_CHECKER_ONLY) takes the toolkit's headers and nothing else of it.

    checker.py CMAKE SOURCE INCLUDE

Configures it against a folder that has INCLUDE and no nvcc, looks at what it would run, and builds what is cheap.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile


def demand(condition, *what):
    if not condition:
        sys.exit(" ".join(str(word) for word in what))


def run(words, roots):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA")}
    path = [folder for folder in os.environ["PATH"].split(":") if not (pathlib.Path(folder) / "nvcc").exists()]
    environment.update(PATH=":".join(path), AISP_TOOLKIT_ROOTS=str(roots))
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment)


def configure(cmake, source, build, roots):
    return run((cmake, "-S", source, "-B", build, "-DAISP_CHECKER_ONLY=ON"), roots)


def check_commands(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    files = [pathlib.Path(command["file"]) for command in commands]
    demand(any(file.match("sim/cudart/*.cpp") for file in files) or any("sim" in str(file) for file in files),
           "the simulator is not in the build")
    kernels = [file for file in files if file.suffix == ".cu"]
    demand(not kernels, "compiles", kernels)
    left = [file for file in files for part in ("chapters", "peers", "comm", "tests") if f"/{part}/" in str(file)]
    demand(not left, "compiles", left)
    for file in (*build.rglob("build.ninja"), *build.rglob("build.make"), *build.rglob("link.txt")):
        text = file.read_text()
        demand("nvcc" not in text, file, "calls nvcc")
        demand("libcudart.so\n" not in text and "-lcudart" not in text, file, "links the toolkit's libcudart")


def main():
    cmake, source, include = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "nothing").mkdir()
        done = configure(cmake, source, scratch / "none", scratch / "nothing")
        said = " ".join((done.stdout + done.stderr).split())
        demand(done.returncode != 0 and "no cuda_runtime_api.h: install the CUDA 13 toolkit or its package" in said,
               "without headers it says", said)

        (scratch / "headers").mkdir()
        (scratch / "headers/include").symlink_to(include)
        build = scratch / "build"
        done = configure(cmake, source, build, scratch / "headers")
        demand(done.returncode == 0, done.stdout, done.stderr)
        check_commands(build)
        done = run((cmake, "--build", build, "--target", "aisp_profile", "aisp_app"), scratch / "headers")
        demand(done.returncode == 0, done.stdout, done.stderr)


main()
