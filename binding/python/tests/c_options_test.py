"""Compiles c_options.c as C against aisp.h and libaisp.so, as a program of a user would be, and runs it on the simulator.

    c_options_test.py COMPILER HEADERS CUDA_HEADERS LIBRARY SIMULATOR
"""

import os
import pathlib
import subprocess
import sys
import tempfile

compiler, headers, cuda, library, simulator = sys.argv[1:]
source = pathlib.Path(__file__).with_name("c_options.c")
with tempfile.TemporaryDirectory() as folder:
    program = f"{folder}/c_options"
    subprocess.run([compiler, "-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", f"-I{headers}", "-isystem", cuda,
                    str(source), "-x", "none", library, simulator, f"-Wl,-rpath,{pathlib.Path(library).parent}", "-lm",
                    "-o", program], check=True)
    paths = [str(pathlib.Path(simulator).parent), os.environ.get("LD_LIBRARY_PATH", "")]
    done = subprocess.run([program], env=os.environ | {"LD_LIBRARY_PATH": ":".join(paths)}, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    sys.exit(done.returncode)
