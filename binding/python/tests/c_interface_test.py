"""What libaisp.so says to callers that are older, newer or wrong, by ctypes alone. Two simulated devices."""

import ctypes
import math
import struct
import threading
import unittest

from aisp_torch import _native

OK, USAGE, ENVIRONMENT = 0, 2, 4
GEMM = _native.ARGUMENTS["gemm"]


class Newer(ctypes.Structure):
    """The arguments of a product as a later version may have them."""
    _fields_ = GEMM._fields_ + [("later", ctypes.c_int64)]


class Interface(unittest.TestCase):
    def setUp(self):
        self.library, self.runtime = _native.library(), _native.runtime()
        self.blocks = []

    def tearDown(self):
        for block in self.blocks:
            self.runtime.cudaFree(block)

    def tensor(self, *shape, dtype="f16", device=0, fill=0):
        block, count = ctypes.c_void_p(), ctypes.c_size_t(2 * max(2048, math.prod(shape)))
        self.runtime.cudaSetDevice(min(device, 1))
        self.assertEqual(self.runtime.cudaMalloc(ctypes.byref(block), count), 0)
        self.runtime.cudaMemset(block, fill, count)
        self.runtime.cudaSetDevice(0)
        self.blocks.append(block)
        strides = [1] * len(shape)
        for at in range(len(shape) - 1, 0, -1):
            strides[at - 1] = strides[at] * shape[at]
        return _native.tensor(block, device, dtype, shape, strides)

    def arguments(self, kind=GEMM, device=0, **further):
        given = {"a": self.tensor(8, 16, device=device), "b": self.tensor(16, 8, device=device),
                 "d": self.tensor(8, 8, device=device, fill=0xff)} | further
        made = kind(size=ctypes.sizeof(kind), alpha=1)
        for key, value in given.items():
            setattr(made, key, ctypes.pointer(value) if isinstance(value, _native.Tensor) else value)
        return made

    def gemm(self, arguments):
        return self.library.aisp_gemm(ctypes.cast(ctypes.pointer(arguments), ctypes.POINTER(GEMM)), None)

    def error(self):
        return self.library.aisp_last_error().decode()

    def refused(self, arguments, line, status=USAGE):
        self.assertEqual((self.gemm(arguments), self.error()), (status, line))

    def numbers(self, tensor):
        """The first 64 codes."""
        codes = (ctypes.c_uint16 * 64)()
        self.assertEqual(self.runtime.cudaMemcpy(codes, ctypes.c_void_p(tensor.data), ctypes.c_size_t(128), 2), 0)
        return list(codes)

    def test_sizes(self):
        older = self.arguments()
        older.size -= 8
        known = ctypes.sizeof(GEMM)
        self.refused(older, f"gemm: size says {known - 8} bytes of arguments, the least is {known}; set it to sizeof the struct")
        newer = self.arguments(Newer)
        self.assertEqual(self.gemm(newer), OK)
        self.assertEqual(self.numbers(newer.d.contents), [0] * 64)
        newer.later = 5
        self.refused(newer, f"gemm: {known + 8} bytes of arguments, this library knows {known}; leave the newer ones at 0, or "
                     "take a newer library")
        self.assertEqual(self.library.aisp_gemm(None, None), USAGE)
        self.assertEqual(self.error(), "gemm: the arguments are a null pointer")

    def test_tensors(self):
        self.refused(self.arguments(b=ctypes.POINTER(_native.Tensor)()), "gemm: b is missing")
        on_host = self.tensor(8, 16)
        on_host.device_type = 1
        self.refused(self.arguments(a=on_host), "gemm: a is not in a CUDA device's memory (DLPack device type 1); move it there")
        double = self.tensor(8, 16)
        double.bits = 64
        self.refused(self.arguments(a=double), "gemm: a has DLPack type (2, 64) x 1; bf16, f16, f32, e4m3, e5m2, s8 and s32 are "
                     "taken")
        nowhere = self.tensor(8, 16)
        nowhere.data = None
        self.refused(self.arguments(a=nowhere), "gemm: a has no data")
        self.refused(self.arguments(activation=9), "gemm: there is no activation 9; 0 is none, 1 relu, 2 gelu, 3 silu")
        without_strides = self.arguments()
        without_strides.a.contents.strides = None
        without_strides.a.contents.byte_offset = 32
        self.assertEqual(self.gemm(without_strides), OK)

    def test_devices(self):
        other = self.arguments(device=1)
        self.assertEqual(self.gemm(other), OK)
        current = ctypes.c_int(-1)
        self.runtime.cudaGetDevice(ctypes.byref(current))
        self.assertEqual(current.value, 0, "the caller's device is no longer current")
        self.runtime.cudaSetDevice(1)
        self.runtime.cudaDeviceSynchronize()
        self.runtime.cudaSetDevice(0)
        self.assertEqual(self.numbers(other.d.contents), [0] * 64)
        self.refused(self.arguments(b=self.tensor(16, 8, device=1)),
                     "gemm: a (8, 16) f16 is on device 0, b (16, 8) f16 on device 1; move them to one")
        self.refused(self.arguments(device=7), "gemm: the tensors are on device 7, this machine has 2, numbered from 0",
                     ENVIRONMENT)

    def test_workspaces(self):
        """Products whose K is split, in memory of plans of their shape: two of one shape and one of another, in turns."""
        three, wanted = [], []
        for k, code in ((4096, 0x38), (4096, 0x3c), (3072, 0x34)):
            a, b = self.tensor(8, k, fill=code), self.tensor(k, 8, fill=0x34)
            b.strides[0], b.strides[1] = 1, k
            three.append(self.arguments(a=a, b=b))
            number, other = (struct.unpack("<e", bytes([one, one]))[0] for one in (code, 0x34))
            wanted.append([struct.unpack("<H", struct.pack("<e", k * number * other))[0]] * 64)
        for _ in range(3):
            for one in three:
                self.runtime.cudaMemset(ctypes.c_void_p(one.d.contents.data), 0xff, ctypes.c_size_t(128))
                self.assertEqual(self.gemm(one), OK, self.error())
            self.runtime.cudaDeviceSynchronize()
            self.assertEqual([self.numbers(one.d.contents) for one in three], wanted)

    def test_errors_are_of_a_thread(self):
        self.refused(self.arguments(activation=9), "gemm: there is no activation 9; 0 is none, 1 relu, 2 gelu, 3 silu")
        seen = []
        thread = threading.Thread(target=lambda: seen.append(self.error()))
        thread.start()
        thread.join()
        self.assertEqual(seen, [""])
        self.assertIn("activation 9", self.error())


if __name__ == "__main__":
    unittest.main()
