"""The build of the checker alone (AISP_CHECKER_ONLY) takes the toolkit's headers and nothing else of it.

    checker.py CMAKE SOURCE INCLUDE

Configures it against a folder that has INCLUDE and no nvcc, looks at what it would run, and lets the compiler look at what
is different in such a build. debian.checker_program uses the program of the same sources that every build has
(aisp_checker), and `make nightly` builds and packs this one.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CMAKE, SOURCE, INCLUDE = sys.argv[1:]


def demand(condition, *what):
    if not condition:
        sys.exit(" ".join(str(word) for word in what))


def run(words, roots, **options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA")}
    path = [folder for folder in os.environ["PATH"].split(":") if not (pathlib.Path(folder) / "nvcc").exists()]
    environment.update(PATH=":".join(path), AISP_TOOLKIT_ROOTS=str(roots))
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment, **options)


def configure(build, roots):
    return run((CMAKE, "-S", SOURCE, "-B", build, "-DAISP_CHECKER_ONLY=ON"), roots)


def check_commands(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    files = [command["file"] for command in commands]
    for part in ("app/cuda_runtime.cpp", "unity_app_0", "unity_lab_profile", "unity_sim_cudart", "unity_sim_exec"):
        demand(any(part in file for file in files), "compiles nothing of", part)
    kernels = [file for file in files if file.endswith(".cu")]
    demand(not kernels, "compiles", kernels)
    left = [file for file in files for part in ("chapters", "peers", "comm", "tests") if f"{SOURCE}/{part}/" in file]
    demand(not left, "compiles", left)
    for file in (*build.rglob("build.ninja"), *build.rglob("build.make"), *build.rglob("link.txt")):
        text = file.read_text()
        demand("nvcc" not in text, file, "calls nvcc")
        demand("-lcudart" not in text and not re.search(r"libcudart\.so(?!\.13)", text), file, "links a toolkit's libcudart")
    return [command for command in commands
            if re.search(r"app/(cuda_runtime|main)\.cpp$|unity_(app|lab_profile)_0", command["file"])]


def check_compiles(command, roots):
    done = run(("sh", "-c", f"{command['command']} -fsyntax-only"), roots, cwd=command["directory"])
    demand(done.returncode == 0, command["file"], done.stdout, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "nothing").mkdir()
        done = configure(scratch / "none", scratch / "nothing")
        said = " ".join((done.stdout + done.stderr).split())
        demand(done.returncode != 0 and "no cuda_runtime_api.h: install the CUDA 13 toolkit or its package" in said,
               "without headers it says", said)

        (scratch / "headers").mkdir()
        (scratch / "headers/include").symlink_to(INCLUDE)
        build = scratch / "build"
        done = configure(build, scratch / "headers")
        demand(done.returncode == 0, done.stdout, done.stderr)
        for command in check_commands(build):
            check_compiles(command, scratch / "headers")


main()
