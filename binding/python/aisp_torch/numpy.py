"""The operations on NumPy arrays: copied to the device, computed, copied back. Made for trying and testing, on a GPU or,
without one, on the simulator; not for speed.

    from aisp_torch import numpy as aisp
    a, b = aisp.array(rng.normal(size=(64, 96)), "bf16"), aisp.array(rng.normal(size=(96, 32)), "bf16")
    d = aisp.gemm(a, b, activation="gelu")     # an Array of bf16
    d.numbers()                                # its numbers in float64
"""

import ctypes

import numpy

from . import _formats, _native, _rules
from ._formats import STORAGE, Array, array

__all__ = ["Array", "array", "attention", "flex_attention", "gemm", "grouped_gemm", "on_simulator", "scaled_gemm"]

_TO_DEVICE, _TO_HOST = 1, 2


def on_simulator():
    """Whether what is called here runs on the simulator."""
    return _native.simulated(_native.runtime())


def _check(status, what):
    if status != 0:
        text = _native.runtime().cudaGetErrorString
        text.restype = ctypes.c_char_p
        raise RuntimeError(f"aisp: {what}: {text(status).decode()}")


class _Memory:
    """Device memory for as long as a call takes: what is copied there, and what comes back from it."""

    def __init__(self, device):
        self.runtime, self.device = _native.runtime(), device
        self.blocks, self.outputs = [], []
        count = ctypes.c_int(0)
        _check(self.runtime.cudaGetDeviceCount(ctypes.byref(count)), "no device")
        if not 0 <= device < count.value:
            raise RuntimeError(f"aisp: there is no device {device}: this machine has {count.value}, numbered from 0")
        _check(self.runtime.cudaSetDevice(device), "cudaSetDevice")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for block in self.blocks:
            self.runtime.cudaFree(block)

    def copied(self, given, name, out=False):
        """A descriptor of a copy, gaps included; None stays None."""
        if given is None:
            return None
        given = _formats.as_array(name, given)
        codes, width = given.codes, given.codes.itemsize
        if any(stride < 0 or stride % width for stride in codes.strides):
            raise ValueError(f"aisp: {name} has strides of {codes.strides} bytes; they must be positive and whole elements")
        reach = sum((extent - 1) * stride for extent, stride in zip(codes.shape, codes.strides)) + width if codes.size else 0
        block = ctypes.c_void_p()
        _check(self.runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(max(reach, 1))), "memory of the device")
        self.blocks.append(block)
        self._copy(block, ctypes.c_void_p(codes.ctypes.data), reach, _TO_DEVICE)
        if out:
            self.outputs.append((codes, block, reach))
        return _native.tensor(block, self.device, given.dtype, codes.shape, [stride // width for stride in codes.strides])

    def bring_back(self):
        for codes, block, reach in self.outputs:
            self._copy(ctypes.c_void_p(codes.ctypes.data), block, reach, _TO_HOST)

    def _copy(self, to, source, count, direction):
        _check(self.runtime.cudaMemcpy(to, source, ctypes.c_size_t(count), direction), "copy")


def _run(name, inputs, outputs, device=0, **further):
    with _Memory(device) as memory:
        tensors = {key: memory.copied(value, key) for key, value in inputs.items()}
        tensors |= {key: memory.copied(value, key, out=True) for key, value in outputs.items()}
        _native.call(name, None, **tensors, **further)
        _check(memory.runtime.cudaDeviceSynchronize(), name)
        memory.bring_back()


def _result(shape, dtype):
    if dtype not in STORAGE:
        raise TypeError(f"aisp: there is no type '{dtype}'; there are {', '.join(STORAGE)}")
    return Array(numpy.empty(shape, STORAGE[dtype]), dtype)


def gemm(a, b, c=None, bias=None, *, alpha=1.0, beta=1.0, activation="none", out_dtype=None, allow_tf32=False, out=None,
         device=0):
    """activation(alpha a b + beta c + bias)."""
    a, b = _formats.as_array("a", a), _formats.as_array("b", b)
    shape = _rules.gemm_shape(a.shape, b.shape)
    out = out or _result(shape, _rules.result_type("gemm", a.dtype, out_dtype))
    _run("gemm", {"a": a, "b": b, "c": c, "bias": bias}, {"d": out}, device, alpha=alpha, beta=0 if c is None else beta,
         activation=_rules.activation(activation), allow_tf32=int(allow_tf32))
    return out


def grouped_gemm(a, b, rows, *, alpha=1.0, out=None, device=0):
    """Of a's rows the first rows[0] times b[0], the next rows[1] times b[1], and so on."""
    a, b = _formats.as_array("a", a), _formats.as_array("b", b)
    out = out or _result(_rules.grouped_shape(a.shape, b.shape), _rules.result_type("grouped_gemm", a.dtype))
    _run("grouped_gemm", {"a": a, "b": b}, {"d": out}, device, rows=_native.numbers("grouped_gemm", "a number of rows", rows),
         groups=len(rows), alpha=alpha)
    return out


def scaled_gemm(a, b, a_scales, b_scales, bias=None, *, out=None, device=0):
    """a and b in e4m3, times their scales."""
    a, b = _formats.as_array("a", a), _formats.as_array("b", b)
    out = out or _result(_rules.scaled_shape(a.shape, b.shape), "bf16")
    _run("scaled_gemm", {"a": a, "b": b, "a_scales": a_scales, "b_scales": b_scales, "bias": bias}, {"d": out}, device)
    return out


def _attend(name, heads, causal, scale, left, right, return_lse, out, device, inputs, **further):
    heads = {key: _formats.as_array(key, value) for key, value in heads.items()}
    shape, sums = _rules.attention_shapes(name, *(one.shape for one in heads.values()))
    out = out or _result(shape, heads["q"].dtype)
    lse = _result(sums, "f32") if return_lse else None
    left, right = _rules.window(causal, left, right)
    outputs = {"o": out} | ({"log_sum_exp": lse} if return_lse else {})
    _run(name, heads | inputs, outputs, device, scale=scale or 0.0, mask=_native.WINDOW, window_left=left,
         window_right=right, **further)
    return (out, lse) if return_lse else out


def attention(q, k, v, *, causal=False, scale=None, window_left=-1, window_right=-1, kv_lengths=None, return_lse=False,
              out=None, device=0):
    """softmax(scale q k' + mask) v."""
    return _attend("attention", {"q": q, "k": k, "v": v}, causal, scale, window_left, window_right, return_lse, out, device,
                   {"kv_lengths": kv_lengths})


def flex_attention(q, k, v, *, causal=False, scale=None, window_left=-1, window_right=-1, soft_cap=0.0, slopes=None,
                   prefix=None, documents=None, kv_lengths=None, precise=False, return_lse=False, out=None, device=0):
    """Attention with a soft cap, ALiBi, a prefix that all see, documents that do not see each other."""
    return _attend("flex_attention", {"q": q, "k": k, "v": v}, causal, scale, window_left, window_right, return_lse, out,
                   device, {"kv_lengths": kv_lengths, "slopes": slopes, "prefix": prefix, "documents": documents},
                   soft_cap=soft_cap, precise=int(precise))
