"""Packs the wheel as `pip install .` does, unpacks it as pip does, and uses it from another folder.

    wheel_test.py BUILD
"""

import base64
import csv
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

BACKEND = pathlib.Path(__file__).resolve().parents[1] / "backend"
sys.path.insert(0, str(BACKEND))
import aisp_build  # noqa: E402

PRODUCT = """
import numpy, pathlib, aisp_torch
from aisp_torch import numpy as aisp
a, b = numpy.eye(32, dtype=numpy.float16) * 3, numpy.arange(32 * 16, dtype=numpy.float16).reshape(32, 16)
assert (aisp.gemm(a, b).codes == 3 * b).all()
assert aisp.on_simulator() and aisp_torch.version() == VERSION, aisp_torch.version()
assert pathlib.Path(aisp_torch.__file__).parent.parent == pathlib.Path(FOLDER)
"""


def expect(given, wanted, what):
    if given != wanted:
        sys.exit(f"{what}: {given!r} instead of {wanted!r}")


def run(folder, text, **environment):
    """(exit code, last line of what was said) of a program that finds the package in `folder`."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("AISP_", "PYTHON"))}
    clean |= {"PYTHONPATH": str(folder), "AISP_DEVICE": "sim:h200,sms=4", "AISP_HOME": str(folder / "home")} | environment
    done = subprocess.run([sys.executable, "-B", "-c", text], cwd="/", env=clean, capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, said[-1] if said else ""


def check_record(wheel):
    """Every file stands in RECORD with its digest and length, and nothing else does."""
    names = set(wheel.namelist())
    record = next(name for name in names if name.endswith(".dist-info/RECORD"))
    for name, digest, length in csv.reader(io.StringIO(wheel.read(record).decode())):
        names.remove(name)
        if name == record:
            continue
        data = wheel.read(name)
        wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        expect((digest, length), (f"sha256={wanted}", str(len(data))), name)
    expect(names, set(), "files that RECORD does not have")


def check_absences(folder):
    """Each of the ways in which a library can be missing or another one."""
    loads = "import aisp_torch._native as native; native.library()"
    library, simulator = folder / "aisp_torch/lib/libaisp.so", folder / "aisp_torch/lib/sim/libcudart.so.13"
    nowhere = "/nowhere/libaisp.so"
    expect(run(folder, loads, AISP_LIBRARY=nowhere),
           (1, f"RuntimeError: aisp: {nowhere} cannot be loaded ({nowhere}: cannot open shared object file: No such file or "
               "directory); install the package again, or name the library in AISP_LIBRARY"), "a missing library")
    expect(run(folder, loads, AISP_LIBRARY=str(simulator)),
           (1, f"RuntimeError: aisp: {simulator} is no libaisp.so: it has no aisp_interface_version"), "another library")
    expect(run(folder, "import aisp_torch._native as native; native.INTERFACE_VERSION = 7; native.library()"),
           (1, f"RuntimeError: aisp: {library} has interface version 2, this package needs 7; install both from one tree"),
           "another version")
    expect(run(folder, loads, AISP_SIM_LIBRARY="/nowhere/libcudart.so.13"),
           (1, "RuntimeError: aisp: the simulator's library is not at /nowhere/libcudart.so.13; install the package again, or "
               "name it in AISP_SIM_LIBRARY"), "no simulator")
    expect(run(folder, loads, AISP_DEVICE="tpu"),
           (1, "ValueError: aisp: AISP_DEVICE is 'tpu'; auto, gpu, sim and sim:h200 are known"), "an unknown device")
    expect(run(folder, "import aisp_torch; aisp_torch.gemm(1, 2)"),
           (1, "RuntimeError: aisp_torch.gemm runs on a GPU, and AISP_DEVICE asks for the simulator; aisp_torch.numpy.gemm takes "
               "NumPy arrays"), "an operator on the simulator")
    expect(run(folder, "import sys; sys.modules['torch'] = None; import importlib.util as u; u.find_spec = lambda name: None\n"
                       "import aisp_torch; aisp_torch.gemm(1, 2)", AISP_DEVICE="auto"),
           (1, "RuntimeError: aisp_torch.gemm needs PyTorch, which this Python does not find: pip install torch; "
               "aisp_torch.numpy.gemm takes NumPy arrays"), "no PyTorch")


def check_unbuilt(folder):
    os.environ["AISP_BUILD_DIR"] = str(folder)
    try:
        aisp_build.build_wheel(str(folder))
        sys.exit("a wheel without libraries")
    except aisp_build.Refused as refused:
        expect(str(refused), f"aisp-torch: {folder}/lib/libaisp.so is not there; build it: cmake --build {folder} --target "
               "aisp_c aisp_cudart aisp_libcuda", "an empty build folder")


def main(build):
    with tempfile.TemporaryDirectory() as empty:
        check_unbuilt(pathlib.Path(empty))
    os.environ["AISP_BUILD_DIR"] = build
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        name = aisp_build.build_wheel(scratch)
        with zipfile.ZipFile(folder / name) as wheel:
            check_record(wheel)
            wheel.extractall(folder)
        product = PRODUCT.replace("VERSION", repr(aisp_build.version())).replace("FOLDER", repr(scratch))
        expect(run(folder, product), (0, ""), "a product with the unpacked package")
        check_absences(folder)


main(*sys.argv[1:])
