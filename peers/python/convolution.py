"""Convolutions and their gradients as PyTorch hands them to cuDNN. The lab's tensors are (N, H, W, C) and
(K, R, R, C): channels_last, as PyTorch calls it, without a copy."""

import torch
import torch.nn.functional as functional

from aisp_peers.bridge import Refused

GROUPS = {"groups": 4}


def channels_last(tensor):
    """(N, H, W, C) in memory, seen as PyTorch's (N, C, H, W)."""
    return tensor.permute(0, 3, 1, 2)


def back(tensor):
    return tensor.permute(0, 2, 3, 1)


def shape_only(like, extents):
    """A tensor of which PyTorch reads shape and layout alone."""
    n, h, w, c = extents
    return torch.empty((n, c, h, w), dtype=like.dtype, device=like.device, memory_format=torch.channels_last)


def cudnn(problem, inputs, outputs):
    variant = problem["variant"]
    if inputs[0].dtype not in (torch.bfloat16, torch.float16):
        raise Refused(f"PyTorch has no convolution of {inputs[0].dtype} on a GPU")
    n, h, w, c, k, r, stride, dilation = problem["dims"]
    torch.backends.cudnn.benchmark = True  # every algorithm, timed before the graph is captured
    how = {"stride": stride, "padding": dilation * (r - 1) // 2, "dilation": dilation}
    first, second = (channels_last(each) for each in inputs)
    if not variant.startswith("backward"):
        return lambda: [back(functional.conv2d(first, second, groups=GROUPS.get(variant, 1), **how))]
    data = variant == "backward_data"
    x = shape_only(first, (n, h, w, c)) if data else second
    weight = second if data else shape_only(first, (k, r, r, c))

    def gradient():
        both = [[each, each] for each in how.values()]
        results = torch.ops.aten.convolution_backward(first, x, weight, None, *both, False, [0, 0], 1,
                                                      [data, not data, False])
        return [back(results[0 if data else 1])]
    return gradient


def version_note(peer):
    number = torch.backends.cudnn.version()
    return f"cuDNN {number // 10000}.{number // 100 % 100}.{number % 100}, PyTorch {torch.__version__}"
