"""AISP_PLANS limits the plans of the C interface and of kernels compiled at run time: with more problems than that, their
workspace takes no more memory.

    AISP_PLANS=3 plan_limit_test.py [TEST…]
"""

import ctypes
import os
import sys
import unittest

import numpy

from aisp_torch import _native
from aisp_torch import numpy as aisp

LIMIT = int(os.environ["AISP_PLANS"])


class Limit(unittest.TestCase):
    def free_bytes(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        runtime = _native.runtime()
        self.assertEqual(runtime.cudaDeviceSynchronize(), 0)
        self.assertEqual(runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)), 0)
        return free.value

    def is_limited(self, call):
        """call(number) runs problems that differ in more than addresses, with equal workspace."""
        left = []
        for number in range(LIMIT + 4):
            call(number)
            left.append(self.free_bytes())
        taken = [before - after for before, after in zip(left, left[1:])]
        self.assertTrue(all(one > 0 for one in taken[:LIMIT - 1]), f"{taken}: no workspace, there is nothing to test")
        self.assertEqual(taken[LIMIT - 1:], [0] * 4)

    def test_gemm(self):
        rng = numpy.random.default_rng(1)
        with aisp._Memory(0) as memory:
            a, b = (memory.copied(aisp.array(rng.normal(size=shape), "bf16"), "a") for shape in ((8, 4096), (16, 4096)))
            b = _native.tensor(b.data, 0, "bf16", (4096, 16), (1, 4096))
            d = memory.copied(aisp.array(numpy.zeros((8, 16)), "bf16"), "d")
            self.is_limited(lambda number: _native.call("gemm", None, a=a, b=b, d=d, alpha=1.0 + number))

    def test_flex_attention(self):
        rng = numpy.random.default_rng(2)
        with aisp._Memory(0) as memory:
            q, k, v, o = (memory.copied(aisp.array(rng.normal(size=(1, 1, rows, 64)), "bf16"), "q") for rows in (1, 700, 700, 1))
            self.is_limited(lambda number: _native.call("flex_attention", None, q=q, k=k, v=v, o=o, scale=1.0 + number,
                                                        soft_cap=20.0, window_left=-1, window_right=-1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
