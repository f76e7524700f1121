"""What pip asks to build the package aisp-torch (PEP 517), with nothing but Python and CMake.

    AISP_BUILD_DIR  a build folder that has the libraries already (default: build-python, where they are built)
    CMAKE_ARGS      further words for cmake, such as -DAISP_MACHINE_CODE=ON on a machine without a GPU
"""

import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "binding/python/aisp_torch"
TARGETS = ("aisp_c", "aisp_cudart", "aisp_libcuda")
METADATA = """Metadata-Version: 2.1
Name: aisp-torch
Version: {version}
Summary: Matrix products and attention of aisp as operators of PyTorch, and on NumPy arrays
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == 'numpy'
Provides-Extra: torch
Requires-Dist: torch>=2.4; extra == 'torch'
"""


class Refused(SystemExit):
    """Ends pip's build with one line."""

    def __init__(self, line):
        super().__init__(f"aisp-torch: {line}")


def version():
    return re.search(r"project\(aisp VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def tag():
    """Any Python 3 on this kind of machine."""
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def run(*words):
    try:
        subprocess.run([str(word) for word in words], cwd=ROOT, check=True)
    except FileNotFoundError:
        raise Refused(f"there is no {words[0]}; ./setup in {ROOT} installs what a build needs") from None
    except subprocess.CalledProcessError as error:
        raise Refused(f"'{shlex.join(str(word) for word in words)}' ended with {error.returncode}; what it said stands "
                      f"above, and ./setup in {ROOT} installs what a build needs") from None


def built():
    """The build folder, with the libraries in it."""
    given = os.environ.get("AISP_BUILD_DIR")
    if given:
        return pathlib.Path(given)
    folder = ROOT / "build-python"
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not (folder / "CMakeCache.txt").is_file() else []
    run("cmake", "--preset", "default", "-B", folder, *generator, "-DAISP_INSTANCES=ON", "-DAISP_BUILD_CHAPTERS=OFF", "-DAISP_ONLY=",
        "-DBUILD_TESTING=OFF", *shlex.split(os.environ.get("CMAKE_ARGS", "")))
    run("cmake", "--build", folder, "-j", os.cpu_count() or 1, "--target", *TARGETS)
    return folder


def contents(build):
    """(name in the wheel, bytes) of every file but those about the wheel itself."""
    for source in sorted(PACKAGE.glob("*.py")):
        yield f"aisp_torch/{source.name}", source.read_bytes()
    yield "aisp_torch/include/aisp.h", (ROOT / "binding/c/aisp.h").read_bytes()
    for name in ("libaisp.so", "sim/libcudart.so.13", "sim/libcuda.so.1"):
        library = build / "lib" / name
        if not library.is_file():
            raise Refused(f"{library} is not there; build it: cmake --build {build} --target {' '.join(TARGETS)}")
        yield f"aisp_torch/lib/{name}", library.read_bytes()


class Wheel:
    """A zip file with a line for each of its files at the end. The same files give the same bytes."""

    def __init__(self, path, about):
        self.zip, self.about, self.lines = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), about, []

    def add(self, name, data):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.lines.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        record = f"{self.about}/RECORD"
        self.zip.writestr(zipfile.ZipInfo(record, (2020, 1, 1, 0, 0, 0)), "\n".join([*self.lines, f"{record},,", ""]))
        self.zip.close()


def about_wheel():
    """The folder of the wheel that is about the wheel, and its files but RECORD."""
    return f"aisp_torch-{version()}.dist-info", {
        "METADATA": METADATA.format(version=version()).encode(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: aisp_build\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode(),
        "licenses/LICENSE": (ROOT / "LICENSE").read_bytes()}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder, files = about_wheel()
    for name, data in files.items():
        path = pathlib.Path(metadata_directory) / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build, (folder, files) = built(), about_wheel()
    name = f"aisp_torch-{version()}-{tag()}.whl"
    wheel = Wheel(pathlib.Path(wheel_directory) / name, folder)
    for path, data in contents(build):
        wheel.add(path, data)
    for path, data in files.items():
        wheel.add(f"{folder}/{path}", data)
    wheel.close()
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise Refused("there is no source package; install from a clone of the repository: pip install .")
