"""The lab's device memory as tensors, and peers as CUDA graphs that the program launches itself: the
time that Python takes to call a function is spent once, when the graph is captured."""

import ctypes
import os
import warnings

from aisp_peers.bridge import Refused, found

KIND = {"f": 2, "i": 0, "u": 1, "bf": 4}  # DLPack's type codes
DTYPES = {"f64": ("f", 64), "f32": ("f", 32), "f16": ("f", 16), "bf16": ("bf", 16),
          "i32": ("i", 32), "i8": ("i", 8), "u8": ("u", 8)}
CUDA = 2  # DLPack's device type
WARM_UPS = 3


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


kept = []  # what DLPack's structures point to; the process ends before anything here may go
bound = []


def capsule(address, shape, dtype):
    """A DLPack capsule over memory that the program owns: no copy, and no NumPy needed for bf16."""
    if dtype not in DTYPES:
        raise Refused(f"tensors of {dtype} are not handed to Python")
    kind, bits = DTYPES[dtype]
    extents = (ctypes.c_int64 * len(shape))(*shape)
    strides = (ctypes.c_int64 * len(shape))()
    step = 1
    for axis in reversed(range(len(shape))):
        strides[axis] = step
        step *= shape[axis]
    managed = DLManagedTensor(DLTensor(address, CUDA, 0, len(shape), KIND[kind], bits, 1,
                                       ctypes.cast(extents, ctypes.POINTER(ctypes.c_int64)),
                                       ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)), 0), None, None)
    kept.append((managed, extents, strides))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(managed), b"dltensor", None)


def tensor(what):
    from torch.utils.dlpack import from_dlpack
    return from_dlpack(capsule(what["address"], what["shape"], what["dtype"]))


def open_torch():
    """Imports PyTorch or says why it is of no use. Returns what a reader wants to know of it."""
    # Kernels are compiled in this process: a pool of workers would outlive it.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    import torch
    if torch.version.cuda is None:
        raise Refused(f"PyTorch {torch.__version__} was built without CUDA")
    if not torch.cuda.is_available():
        raise Refused(f"PyTorch {torch.__version__} (CUDA {torch.version.cuda}) sees no GPU")
    if not hasattr(torch.cuda.CUDAGraph, "raw_cuda_graph"):
        raise Refused(f"PyTorch {torch.__version__} does not hand out its graphs; 2.8 and newer do")
    return f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}"


def first_run(run):
    """Runs once; a refusal carries the reasons that PyTorch only warns of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            return run()
        except RuntimeError as error:
            reasons = dict.fromkeys(str(each.message).splitlines()[0].split(" (Triggered")[0] for each in seen
                                    if str(each.message).strip())
            if "No available kernel" in str(error):
                raise Refused("no kernel for this problem: " + ("; ".join(reasons) or "no reason given"))
            raise


def check_results(results, outputs):
    if results is None:  # it wrote into the lab's buffers
        return
    got = [(tuple(each.shape), each.dtype) for each in results]
    want = [(tuple(each.shape), each.dtype) for each in outputs]
    if got != want:
        raise Refused(f"its outputs are {got}, the problem's are {want}")


def bind(peer, problem, inputs, outputs):
    """Captures a peer's work on these buffers. The graph is the program's to launch; "own" says that the
    results are in tensors of the peer and must be collected."""
    import torch
    module, name = peer.rsplit(".", 1)
    given, wanted = [tensor(each) for each in inputs], [tensor(each) for each in outputs]
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(side):
        run = found(peer)(problem, given, wanted)
        check_results(first_run(run), wanted)
        for _ in range(WARM_UPS):  # compilers and searches are done before the graph sees a launch
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.no_grad(), torch.cuda.graph(graph, stream=side, capture_error_mode="thread_local"):
        results = run()
    torch.cuda.synchronize()
    bound.append({"graph": graph, "run": run, "results": results or [], "inputs": given, "outputs": wanted})
    return {"handle": len(bound) - 1, "graph": graph.raw_cuda_graph(), "own": results is not None,
            "note": found(module + ".version_note")(name)}


def on_stream(stream):
    import torch
    return torch.cuda.stream(torch.cuda.ExternalStream(stream))


def poison(handle, stream):
    with on_stream(stream):
        for each in bound[handle]["results"]:
            each.fill_(float("nan") if each.is_floating_point() else -1)


def collect(handle, stream):
    with on_stream(stream):
        for output, result in zip(bound[handle]["outputs"], bound[handle]["results"]):
            output.copy_(result)
