"""Contractions of two tensors, as torch.einsum computes them."""

import torch

EXPRESSIONS = {"heads": "bhsd,hde->bse", "outer": "sic,sjd->ijcd"}


def einsum(problem, inputs, outputs):
    expression = EXPRESSIONS[problem["variant"]]
    # A view of a product is no tensor in the order that was asked for.
    return lambda: [torch.einsum(expression, *inputs).contiguous()]


def version_note(peer):
    return f"PyTorch {torch.__version__}"
