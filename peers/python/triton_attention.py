"""Attention as a Triton kernel: one program per block of queries walks over the keys with an online
softmax. Block sizes, warps and stages are searched once per problem."""

import triton
import triton.language as tl

from aisp_peers.attention import is_causal

LOG2_E = 1.4426950408889634


def configurations():
    shapes = [(64, 64, 4, 3), (128, 64, 4, 3), (128, 64, 8, 2), (128, 64, 8, 3), (128, 128, 8, 2), (128, 128, 8, 3),
              (128, 32, 4, 3), (64, 32, 4, 4)]
    return [triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=warps, num_stages=stages)
            for m, n, warps, stages in shapes]


@triton.jit
def walk(acc, total, highest, q, k_at, v_at, rows, first, last, keys, scale,
         D: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr):
    """Takes the keys from first to last into the running sums; MASKED blocks hold keys that some row
    may not see."""
    columns = tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_D)
    for start in tl.range(first, last, BLOCK_N):
        key = start + columns
        k_places = k_at + key[None, :] * D + depth[:, None]   # (BLOCK_D, BLOCK_N)
        v_places = v_at + key[:, None] * D + depth[None, :]   # (BLOCK_N, BLOCK_D)
        if MASKED | (BLOCK_D != D):
            k = tl.load(k_places, mask=(key[None, :] < keys) & (depth[:, None] < D), other=0.0)
            v = tl.load(v_places, mask=(key[:, None] < keys) & (depth[None, :] < D), other=0.0)
        else:
            k = tl.load(k_places)
            v = tl.load(v_places)
        scores = tl.dot(q, k)
        if MASKED:
            seen = key[None, :] < keys
            if CAUSAL:
                seen = seen & (key[None, :] <= rows[:, None])
            scores = tl.where(seen, scores, float("-inf"))
        above = tl.maximum(highest, tl.max(scores, 1) * scale)
        weights = tl.math.exp2(scores * scale - above[:, None])
        shrink = tl.math.exp2(highest - above)
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        highest = above
    return acc, total, highest


@triton.autotune(configs=configurations(), key=["queries", "keys", "heads", "D", "CAUSAL"])
@triton.jit
def forward(q_at, k_at, v_at, o_at, queries, keys, heads, group, scale,
            D: tl.constexpr, BLOCK_D: tl.constexpr, CAUSAL: tl.constexpr,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    # Causal blocks of queries differ in length: the long ones start first.
    block = tl.num_programs(0) - 1 - tl.program_id(0) if CAUSAL else tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    kv_head = head // heads * (heads // group) + head % heads // group
    q_at += head * queries * D
    o_at += head * queries * D
    k_at += kv_head * keys * D
    v_at += kv_head * keys * D

    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, BLOCK_D)
    inside = (rows[:, None] < queries) & (depth[None, :] < D)
    q = tl.load(q_at + rows[:, None] * D + depth[None, :], mask=inside, other=0.0)

    # Keys that every row of the block sees come first, without masks.
    end = tl.minimum(keys, (block + 1) * BLOCK_M) if CAUSAL else keys
    unmasked = tl.minimum(keys, block * BLOCK_M) // BLOCK_N * BLOCK_N if CAUSAL else keys // BLOCK_N * BLOCK_N
    acc = tl.zeros([BLOCK_M, BLOCK_D], dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    highest = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    acc, total, highest = walk(acc, total, highest, q, k_at, v_at, rows, 0, unmasked, keys, scale,
                               D, BLOCK_N, BLOCK_D, False, CAUSAL)
    acc, total, highest = walk(acc, total, highest, q, k_at, v_at, rows, unmasked, end, keys, scale,
                               D, BLOCK_N, BLOCK_D, True, CAUSAL)
    result = acc / total[:, None]
    tl.store(o_at + rows[:, None] * D + depth[None, :], result.to(o_at.dtype.element_ty), mask=inside)


def attention(problem, inputs, outputs):
    q, k, v = inputs
    o, = outputs
    causal = is_causal(problem, q, k)
    batch, heads, queries, depth = q.shape
    kv_heads, keys = k.shape[1], k.shape[2]
    scale = LOG2_E / depth ** 0.5

    def grid(meta):
        return triton.cdiv(queries, meta["BLOCK_M"]), batch * heads

    def run():
        forward[grid](q, k, v, o, queries, keys, heads, heads // kv_heads, scale,
                      D=depth, BLOCK_D=triton.next_power_of_2(depth), CAUSAL=causal)
    return run


def version_note(peer):
    best = getattr(forward, "best_config", None)
    return f"Triton {triton.__version__}" + (f", {best}" if best is not None else "")
