"""libaisp.so and the CUDA runtime that it calls, loaded at the first use: the GPU's, or the simulator's.

    AISP_DEVICE   auto (default): a GPU if there is one, else the simulator; gpu; sim; sim:h200,sms=4
    AISP_LIBRARY  the libaisp.so to load (default: the one in this package)
"""

import ctypes
import functools
import glob
import os
import pathlib
import sys

INTERFACE_VERSION = 2
RUNTIME = "libcudart.so.13"
FOLDER = pathlib.Path(__file__).parent / "lib"

# What aisp.h calls statuses; every other one is a bug.
USAGE, ENVIRONMENT = 2, 4


class Tensor(ctypes.Structure):
    """aisp_tensor, which is DLPack's DLTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


# DLPack's (code, bits) by the library's names of types.
TYPES = {"bf16": (4, 16), "f16": (2, 16), "f32": (2, 32), "e4m3": (10, 8), "e5m2": (12, 8), "s8": (0, 8), "s32": (0, 32)}
CUDA = 2


def tensor(data, device, dtype, shape, strides):
    """A descriptor; strides count elements."""
    numbers = ctypes.c_int64 * len(shape)
    code, bits = TYPES[dtype]
    return Tensor(data, CUDA, device, len(shape), code, bits, 1, numbers(*shape), numbers(*strides), 0)


_TENSOR = ctypes.POINTER(Tensor)


def _arguments(name, tensors, numbers):
    fields = [("size", ctypes.c_size_t)] + [(one, _TENSOR) for one in tensors.split()] + numbers
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_HEADS = "q k v o log_sum_exp kv_lengths"
_WINDOW = [("scale", ctypes.c_float), ("window_left", ctypes.c_int32), ("window_right", ctypes.c_int32)]
_MASK = [("mask", ctypes.c_int32)]
WINDOW = 2  # of aisp_mask: window_left and window_right as they are
ARGUMENTS = {
    "gemm": _arguments("GemmArguments", "a b c bias d", [("alpha", ctypes.c_float), ("beta", ctypes.c_float),
                                                         ("activation", ctypes.c_int32), ("allow_tf32", ctypes.c_int32)]),
    "grouped_gemm": _arguments("GroupedGemmArguments", "a b d", [("rows", ctypes.POINTER(ctypes.c_int64)),
                                                                 ("groups", ctypes.c_int64), ("alpha", ctypes.c_float)]),
    "scaled_gemm": _arguments("ScaledGemmArguments", "a b a_scales b_scales bias d", []),
    "attention": _arguments("AttentionArguments", _HEADS, _WINDOW + _MASK),
    "flex_attention": _arguments("FlexAttentionArguments", _HEADS, _WINDOW + [
        ("soft_cap", ctypes.c_float), ("precise", ctypes.c_int32),
        ("slopes", _TENSOR), ("prefix", _TENSOR), ("documents", _TENSOR)] + _MASK),
}


def simulated(runtime):
    """Whether a loaded libcudart.so.13 is the simulator's."""
    return hasattr(runtime, "aispSimulated")


def _in_process():
    """The CUDA runtime that somebody has loaded already: PyTorch, or `aisp sim`."""
    try:
        return ctypes.CDLL(RUNTIME, mode=os.RTLD_NOLOAD | os.RTLD_GLOBAL | os.RTLD_NOW)
    except OSError:
        return None


def _gpu_is_there():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def _load_first(places, otherwise):
    for place in places:
        try:
            return ctypes.CDLL(str(place), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
        except OSError:
            continue
    raise RuntimeError(otherwise)


def _load_gpu_runtime():
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"]
    places = [RUNTIME] + [f"{root}/lib64/{RUNTIME}" for root in roots if root]
    for folder in sys.path:  # NVIDIA's wheels
        places += sorted(glob.glob(f"{folder}/nvidia/*/lib/{RUNTIME}"))
    return _load_first(places, f"aisp: no {RUNTIME} on this machine; install the CUDA 13 toolkit or the package "
                               "nvidia-cuda-runtime, or set AISP_DEVICE=sim")


def _load_simulator():
    given = os.environ.get("AISP_SIM_LIBRARY")
    place = given or FOLDER / "sim" / RUNTIME
    return _load_first([place], f"aisp: the simulator's library is not at {place}; install the package again, or name it "
                                "in AISP_SIM_LIBRARY")


def wants_simulator():
    """Whether AISP_DEVICE asks for the simulator, whatever there is."""
    return os.environ.get("AISP_DEVICE", "auto").partition(":")[0] == "sim"


@functools.cache
def runtime():
    """The CUDA runtime, which stays the one that it is."""
    choice, _, model = os.environ.get("AISP_DEVICE", "auto").partition(":")
    if choice not in ("auto", "gpu", "sim") or (model and choice != "sim"):
        raise ValueError(f"aisp: AISP_DEVICE is '{os.environ['AISP_DEVICE']}'; auto, gpu, sim and sim:h200 are known")
    loaded = _in_process()
    if loaded is not None and simulated(loaded) and choice != "gpu":
        return loaded
    if choice == "gpu" or (choice == "auto" and _gpu_is_there()):
        return loaded or _load_gpu_runtime()
    if loaded is not None:
        raise RuntimeError(f"aisp: {loaded._name} is loaded already and would not let the simulator in; set AISP_DEVICE=sim "
                           "before Python starts, or load aisp_torch.numpy before what brings that library")
    if model:
        os.environ["AISP_SIM_DEVICE"] = model
    return _load_simulator()


@functools.cache
def library():
    runtime()  # in the process first: libaisp.so asks for it by its name
    place = os.environ.get("AISP_LIBRARY") or str(FOLDER / "libaisp.so")
    try:
        loaded = ctypes.CDLL(place)
    except OSError as error:
        raise RuntimeError(f"aisp: {place} cannot be loaded ({error}); install the package again, or name the library in "
                           "AISP_LIBRARY") from None
    try:
        version = loaded.aisp_interface_version()
    except AttributeError:
        raise RuntimeError(f"aisp: {place} is no libaisp.so: it has no aisp_interface_version") from None
    if version != INTERFACE_VERSION:
        raise RuntimeError(f"aisp: {place} has interface version {version}, this package needs {INTERFACE_VERSION}; "
                           "install both from one tree")
    loaded.aisp_last_error.restype = ctypes.c_char_p
    loaded.aisp_version.restype = ctypes.c_char_p
    for name, arguments in ARGUMENTS.items():
        function = getattr(loaded, f"aisp_{name}")
        function.argtypes = [ctypes.POINTER(arguments), ctypes.c_void_p]
        function.restype = ctypes.c_int
    return loaded


def _refuse_too_large(name, key, kind, value):
    """ctypes would keep the low bits of such a number."""
    bits = 8 * ctypes.sizeof(kind)
    if isinstance(value, int) and not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ValueError(f"{name}: {key} is {value}; it must be in [-2^{bits - 1}, 2^{bits - 1})")


def numbers(name, key, values):
    """Integers in the host's memory."""
    for value in values:
        _refuse_too_large(name, key, ctypes.c_int64, value)
    return (ctypes.c_int64 * len(values))(*values)


def _without_inner(tensor, at):
    """The same tensor with an extent of 0 there."""
    shape = list(tensor.shape[:tensor.ndim])
    shape[at] = 0
    made = Tensor.from_buffer_copy(tensor)
    made.shape = (ctypes.c_int64 * len(shape))(*shape)
    made.strides = tensor.strides
    return made


class Call:
    """One function of the library with its arguments, to be called any number of times, by one thread at a time. Tensors
    are descriptors or None; `tensors` has those that are there, whose addresses may change between calls."""

    def __init__(self, name, **given):
        kind = ARGUMENTS[name]
        if given.get("alpha") == 0:  # the library refuses it; without inner elements there is no product
            given |= {"alpha": 1.0, "a": _without_inner(given["a"], -1), "b": _without_inner(given["b"], -2)}
        arguments = kind(size=ctypes.sizeof(kind))
        fields = dict(kind._fields_)
        self.tensors = []
        for key, value in given.items():
            if fields[key] in (ctypes.c_int32, ctypes.c_int64):
                _refuse_too_large(name, key, fields[key], value)
            if isinstance(value, Tensor):
                self.tensors.append(value)
                setattr(arguments, key, ctypes.pointer(value))
            elif value is not None:
                setattr(arguments, key, value)
        self._library = library()
        self._function = getattr(self._library, f"aisp_{name}")
        self._arguments = ctypes.byref(arguments)  # which keeps them

    def run(self, stream):
        """Refusals of the library become ValueError or RuntimeError."""
        status = self._function(self._arguments, stream)
        if status != 0:
            text = self._library.aisp_last_error().decode()
            raise (ValueError if status == USAGE else RuntimeError)(text)


def call(name, stream, **given):
    """One call."""
    Call(name, **given).run(stream)
