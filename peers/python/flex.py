"""The problems of ch14:flex_attention and ch14:flex_attention_sparse through PyTorch's flex_attention, compiled.

q, k, v are (B, H, S, D), slope is (H). Documents, prefix and window are those of chapters/ch14/common/flex_kinds.hpp."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from aisp_peers.bridge import Refused

CAP, WINDOW = 20.0, 512
WEIGHTS = [7, 3, 12, 5, 9, 16, 2, 8, 11, 6, 14, 7]


def documents(rows, device):
    """Which of twelve documents each row belongs to."""
    ids, before = [], 0
    for number, weight in enumerate(WEIGHTS):
        before += weight
        ids += [number] * (rows * before // sum(WEIGHTS) - len(ids))
    return torch.tensor(ids, dtype=torch.int32, device=device)


def score_of(variant, slope):
    if variant in ("alibi", "causal_alibi"):
        return lambda score, batch, head, query, key: score + slope[head] * (key - query)
    if variant in ("soft_cap", "soft_cap_precise"):
        return lambda score, batch, head, query, key: CAP * torch.tanh(score / CAP)
    return None


def mask_of(variant, rows, device):
    if variant in ("causal", "causal_alibi"):
        return lambda batch, head, query, key: query >= key
    if variant == "document":
        ids = documents(rows, device)
        return lambda batch, head, query, key: (query >= key) & (ids[query] == ids[key])
    if variant == "prefix":
        return lambda batch, head, query, key: (query >= key) | (key < rows // 4)
    if variant == "window":
        return lambda batch, head, query, key: (query >= key) & (query - key < WINDOW)
    return None


def attention(problem, inputs, backend=None):
    q, k, v, slope = inputs
    variant, rows = problem["variant"], q.shape[2]
    mask = mask_of(variant, rows, q.device)
    block_mask = None
    if mask is not None:
        # Made before anything is timed. Compiled, it would not be ready within minutes for 16384 rows.
        block_mask = create_block_mask(mask, B=None, H=None, Q_LEN=rows, KV_LEN=rows, device=q.device)
    compiled = torch.compile(flex_attention, dynamic=False)
    score, options = score_of(variant, slope), {"BACKEND": backend} if backend else None
    return lambda: [compiled(q, k, v, score_mod=score, block_mask=block_mask, kernel_options=options)]


def torch_compile(problem, inputs, outputs):
    return attention(problem, inputs)


def flash_4(problem, inputs, outputs):
    """PyTorch's other back end for the same functions, where its package is there."""
    try:
        import flash_attn.cute  # noqa: F401
    except ImportError:
        raise Refused("its FlashAttention-4 back end needs the package flash-attn-4 (flash_attn.cute)") from None
    return attention(problem, inputs, "FLASH")


def version_note(peer):
    return f"PyTorch {torch.__version__}"
