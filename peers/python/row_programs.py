"""The problems of ch09:tile_program in plain PyTorch, one operation after another and through torch.compile.

softmax, layernorm and cross_entropy work along rows of bf16; add is a vector of f32. PyTorch's own functions for the
first two take bf16 as it is and sum in f32. LayerNorm's gain and shift are f32, and the loss is, so that these two
are computed in f32 from the first operation on: that is what their functions offer."""

import torch
import torch.nn.functional as functional

from aisp_peers.bridge import Refused
from aisp_peers.rows import compiled

EPSILON = 1e-5


def softmax(x):
    return torch.softmax(x, -1)


def add(a, b):
    return a + b


def layernorm(x, gain, shift):
    return functional.layer_norm(x.float(), (x.shape[-1],), gain, shift, EPSILON).to(x.dtype)


def cross_entropy(scores, labels):
    return functional.cross_entropy(scores.float(), labels.long(), reduction="none")


FUNCTIONS = {"softmax": softmax, "add": add, "layernorm": layernorm, "cross_entropy": cross_entropy}


def function_of(problem):
    if problem["variant"] not in FUNCTIONS:
        raise Refused(f"it has no variant {problem['variant']!r}, only {', '.join(FUNCTIONS)}")
    return FUNCTIONS[problem["variant"]]


def eager(problem, inputs, outputs):
    function = function_of(problem)
    return lambda: [function(*inputs)]


def torch_compile(problem, inputs, outputs):
    return compiled(function_of(problem), inputs)


def version_note(peer):
    return f"PyTorch {torch.__version__}"
