"""Attention, softmax(q k' / sqrt(D)) v, as PyTorch computes it. q is (B, H, S, D), k and v are
(B, KV, S, D); KV divides H."""

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from aisp_peers.bridge import Refused


def is_causal(problem, q, k):
    variant = problem["variant"]
    if variant not in ("full", "causal", ""):
        raise Refused(f"it has no variant {variant!r}, only full and causal")
    # PyTorch counts from the first key and the lab from the last: one question with as many keys.
    if variant == "causal" and q.shape[2] != k.shape[2]:
        raise Refused(f"its causal mask needs as many queries as keys: got {q.shape[2]} and {k.shape[2]}")
    return variant == "causal"


def sdpa(problem, inputs, backend):
    q, k, v = inputs
    causal, grouped = is_causal(problem, q, k), q.shape[1] != k.shape[1]

    def run():
        with sdpa_kernel(backend):
            return [functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)]
    return run


def sdpa_cudnn(problem, inputs, outputs):
    return sdpa(problem, inputs, SDPBackend.CUDNN_ATTENTION)


def sdpa_flash(problem, inputs, outputs):
    return sdpa(problem, inputs, SDPBackend.FLASH_ATTENTION)


def torch_compile(problem, inputs, outputs):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    q, k, v = inputs
    causal, grouped = is_causal(problem, q, k), q.shape[1] != k.shape[1]
    mask = None
    if causal:
        mask = create_block_mask(lambda batch, head, query, key: query >= key, B=None, H=None,
                                 Q_LEN=q.shape[2], KV_LEN=k.shape[2], device=q.device)
    compiled = torch.compile(flex_attention, dynamic=False)
    return lambda: [compiled(q, k, v, block_mask=mask, enable_gqa=grouped)]


def version_note(peer):
    if peer == "sdpa_cudnn":
        number = torch.backends.cudnn.version()
        return f"cuDNN {number // 10000}.{number // 100 % 100}.{number % 100}, PyTorch {torch.__version__}"
    return f"PyTorch {torch.__version__}"
