"""What runs on the other devices that can be simulated, and what is refused there.

    AISP_DEVICE=sim:a100,sms=4 … other_devices_test.py
"""

import os
import unittest

import numpy

import numpy_test
from aisp_torch import numpy as aisp
from numpy_test import random

ARCHITECTURE = {"a100": 80, "b200": 100}[os.environ["AISP_DEVICE"].partition(":")[2].partition(",")[0]]


class Products(numpy_test.Gemm):
    """Those of the base class that every device has; 8-bit floats came with sm_89."""

    def test_types(self):
        for dtype in ("bf16", "f16"):
            self.check(random(70, 64, dtype=dtype), random(64, 40, dtype=dtype), out_dtype=dtype)

    def test_refusals(self):
        one, heads = numpy.float32([[1]]), random(1, 2, 8, 64)
        a, b = random(16, 128, dtype="e4m3"), random(16, 128, dtype="e4m3").T
        self.refused(RuntimeError, f"gemm: factors for blocks of fp8 operands need sm_90, this device is sm_{ARCHITECTURE}",
                     lambda: aisp.scaled_gemm(a, b, one, one))
        self.refused(RuntimeError, f"attention: its kernels are for sm_90a, this device is sm_{ARCHITECTURE}",
                     lambda: aisp.flex_attention(heads, heads, heads, soft_cap=20.0))


del numpy_test.Gemm  # unittest would take it for one of this file

if __name__ == "__main__":
    unittest.main()
