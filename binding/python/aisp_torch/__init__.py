"""aisp's matrix products and attention for PyTorch: operators of `torch.ops.aisp`, which torch.compile keeps.

    import torch, aisp_torch
    y = aisp_torch.gemm(x, w.t(), bias=bias, activation="gelu")

Without PyTorch, or with AISP_DEVICE=sim, there is aisp_torch.numpy, on a GPU or on the simulator: docs/pytorch.md.
"""

import importlib.util

from . import _native

__all__ = ["attention", "flex_attention", "gemm", "grouped_gemm", "scaled_gemm", "version"]


def version():
    """Of libaisp.so, which this loads."""
    return _native.library().aisp_version().decode()


def _absent(name, why):
    def operator(*_, **__):
        raise RuntimeError(f"aisp_torch.{name} {why}; aisp_torch.numpy.{name} takes NumPy arrays")
    operator.__name__ = name
    return operator


if _native.wants_simulator():  # PyTorch would bring the GPU's runtime into the process, and has no tensors for the other
    _why = "runs on a GPU, and AISP_DEVICE asks for the simulator"
elif importlib.util.find_spec("torch") is None:
    _why = "needs PyTorch, which this Python does not find: pip install torch"
else:
    _why = None

if _why is None:
    from .operators import attention, flex_attention, gemm, grouped_gemm, scaled_gemm
else:
    attention, flex_attention, gemm, grouped_gemm, scaled_gemm = (
        _absent(name, _why) for name in ("attention", "flex_attention", "gemm", "grouped_gemm", "scaled_gemm"))
