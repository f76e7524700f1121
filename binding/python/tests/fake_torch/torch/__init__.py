"""As much of PyTorch as aisp_torch/operators.py uses, for tests without it: tensors in the simulated device's memory, and
a dispatcher that only counts. What PyTorch itself does is tested where it is installed, by torch_test.py."""

import ctypes
import sys
import types

import numpy

from aisp_torch import _native


class dtype:
    def __init__(self, name, storage):
        self.name, self.storage = name, numpy.dtype(storage)

    def __repr__(self):
        return f"torch.{self.name}"


bfloat16, float16, float32 = dtype("bfloat16", "u2"), dtype("float16", "f2"), dtype("float32", "f4")
float8_e4m3fn, float8_e5m2 = dtype("float8_e4m3fn", "u1"), dtype("float8_e5m2", "u1")
int8, int32 = dtype("int8", "i1"), dtype("int32", "i4")


def check(status):
    if status != 0:
        raise RuntimeError(f"CUDA error {status}")


class Block:
    """Device memory, freed with the last tensor in it; the next of the same size gets it, as with PyTorch's allocator."""

    free = {}

    def __init__(self, size):
        self.size = max(size, 1)
        if Block.free.get(self.size):
            self.address = Block.free[self.size].pop()
            return
        block = ctypes.c_void_p()
        check(_native.runtime().cudaMalloc(ctypes.byref(block), ctypes.c_size_t(self.size)))
        self.address = block.value

    def __del__(self):
        Block.free.setdefault(self.size, []).append(self.address)


def _dense(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return tuple(strides)


class Tensor:
    is_cuda, requires_grad = True, False

    def __init__(self, block, offset, shape, strides, kind):
        self.block, self.offset, self.shape, self.strides, self.dtype = block, offset, tuple(shape), tuple(strides), kind

    @property
    def device(self):
        return types.SimpleNamespace(index=0)

    def stride(self):
        return self.strides

    def get_device(self):
        return 0

    def is_neg(self):
        return False

    is_conj = is_neg

    def data_ptr(self):
        return self.block.address + self.offset * self.dtype.storage.itemsize

    def t(self):
        return type(self)(self.block, self.offset, self.shape[::-1], self.strides[::-1], self.dtype)

    def new_empty(self, shape, dtype=None):
        return self.new_empty_strided(shape, _dense(shape), dtype=dtype)

    def new_empty_strided(self, shape, strides, dtype=None):
        kind = dtype or self.dtype
        return Tensor(Block(int(numpy.prod(shape)) * kind.storage.itemsize), 0, shape, strides, kind)

    def numpy(self):
        """The codes of a dense tensor."""
        check(_native.runtime().cudaDeviceSynchronize())
        codes = numpy.empty(self.shape, self.dtype.storage)
        check(_native.runtime().cudaMemcpy(ctypes.c_void_p(codes.ctypes.data), ctypes.c_void_p(self.data_ptr()),
                                           ctypes.c_size_t(codes.nbytes), 2))
        return codes


def from_codes(codes, kind):
    codes = numpy.ascontiguousarray(codes)
    made = Tensor(Block(codes.nbytes), 0, codes.shape, _dense(codes.shape), kind)
    check(_native.runtime().cudaMemcpy(ctypes.c_void_p(made.data_ptr()), ctypes.c_void_p(codes.ctypes.data),
                                       ctypes.c_size_t(codes.nbytes), 1))
    return made


def empty_like(tensor):
    return tensor.new_empty_strided(tensor.shape, tensor.strides)


class State:
    """What a test sets, and what it reads."""
    grad, compiling, modes, profiling, level, dispatched, stream = False, False, 0, False, -1, [], 0


def is_grad_enabled():
    return State.grad


def _module(name, **names):
    made = types.ModuleType(f"torch.{name}")
    made.__dict__.update(names)
    sys.modules[made.__name__] = made
    return made


_implementations = {}


class _Operators:
    def __getattr__(self, name):
        def call(*arguments):
            State.dispatched.append(name)
            return _implementations[f"aisp::{name}"](*arguments)
        return call


def _implement(name, _, function):
    _implementations[name] = function


nn = _module("nn", Parameter=type("Parameter", (Tensor,), {}))
compiler = _module("compiler", is_compiling=lambda: State.compiling)
library = _module("library", define=lambda *_: None, impl=_implement, register_fake=lambda *_: None,
                  register_autograd=lambda *_: None)
ops = types.SimpleNamespace(aisp=_Operators())
_C = _module("_C", _len_torch_dispatch_stack=lambda: State.modes, _len_torch_function_stack=lambda: 0,
             _is_tracing=lambda: False, _cuda_getCurrentRawStream=lambda device: State.stream)
_C._autograd = _module("_C._autograd", _profiler_enabled=lambda: State.profiling)
_C._functorch = _module("_C._functorch", peek_interpreter_stack=lambda: None)
autograd = _module("autograd")
autograd.forward_ad = _module("autograd.forward_ad", _current_level=-1)
