"""How long the operators take beside PyTorch's own, on a GPU: medians of 41 samples of 8 calls each, in turns.

    PYTHONPATH=binding/python AISP_LIBRARY=build/lib/libaisp.so python3 binding/python/tests/torch_times.py

What a call costs the host, and products of few rows with a cold L2: tools/torch_times.py.
"""

import statistics

import torch
from torch.nn import functional
from torch.nn.attention import flex_attention as flex

import aisp_torch

CALLS, SAMPLES = 8, 41
BF16, E4M3 = torch.bfloat16, torch.float8_e4m3fn


def random(*shape, dtype=BF16):
    return torch.randn(shape, device="cuda").to(dtype)


def sample(call):
    """Microseconds of one call, of CALLS that the device has waiting."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(2_000_000)
    start.record()
    for _ in range(CALLS):
        call()
    end.record()
    end.synchronize()
    return 1000 * start.elapsed_time(end) / CALLS


def compare(what, ours, name, theirs):
    calls = [ours, theirs]
    try:
        for call in calls:
            for _ in range(3):
                call()
    except Exception as error:  # a PyTorch without it, or that refuses the case
        print(f"| {what} | {name} | | | refused: {str(error).splitlines()[0][:90]} |", flush=True)
        return
    times = [[], []]
    for _ in range(SAMPLES):
        for which in (0, 1, 1, 0):
            times[which].append(sample(calls[which]))
    mine, other = (statistics.median(one) for one in times)
    print(f"| {what} | {name} | {mine:.1f} | {other:.1f} | {other / mine:.2f} |", flush=True)


def products():
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (16, 4096, 4096), (64, 8192, 4096)):
        x, w, bias = random(m, k), random(n, k), random(n)
        compare(f"gemm bf16 {m}x{n}x{k}", lambda: aisp_torch.gemm(x, w.t()), "matmul", lambda: torch.matmul(x, w.t()))
        def eager():
            return functional.gelu(functional.linear(x, w, bias), approximate="tanh")
        fused = torch.compile(eager)
        def ours():
            return aisp_torch.gemm(x, w.t(), bias=bias, activation="gelu")
        compare(f"and bias, gelu {m}x{n}x{k}", ours, "linear, gelu", eager)
        compare(f"and bias, gelu {m}x{n}x{k}", ours, "the same compiled", fused)


def groups():
    rows, k, n = [700, 300, 1500, 900, 40, 2000, 512, 2240], 4096, 4096
    a, b = random(sum(rows), k), random(len(rows), n, k).transpose(1, 2)
    ends = torch.tensor(rows, device="cuda").cumsum(0).int()
    compare("grouped_gemm bf16, 8 groups, 8192 rows, 4096x4096", lambda: aisp_torch.grouped_gemm(a, b, rows), "_grouped_mm",
            lambda: torch._grouped_mm(a, b, offs=ends))


def scaled():
    m, n, k = 4096, 4096, 4096
    a, b = random(m, k, dtype=E4M3), random(n, k, dtype=E4M3).t()
    one = torch.ones((), device="cuda")
    compare("scaled_gemm, a scale for a matrix", lambda: aisp_torch.scaled_gemm(a, b, one, one), "_scaled_mm",
            lambda: torch._scaled_mm(a, b, one, one, out_dtype=BF16))
    of_rows, of_columns = torch.rand(m, 1, device="cuda"), torch.rand(1, n, device="cuda")
    compare("scaled_gemm, for a row and a column", lambda: aisp_torch.scaled_gemm(a, b, of_rows, of_columns), "_scaled_mm",
            lambda: torch._scaled_mm(a, b, of_rows, of_columns, out_dtype=BF16))
    of_a = torch.rand(k // 128, m, device="cuda").t()
    of_b = torch.rand(n // 128, k // 128, device="cuda").t()
    compare("scaled_gemm, for 1x128 and 128x128", lambda: aisp_torch.scaled_gemm(a, b, of_a, of_b), "_scaled_mm",
            lambda: torch._scaled_mm(a, b, of_a, of_b, out_dtype=BF16))


def attention():
    q, k, v = (random(4, 16, 4096, 128) for _ in range(3))
    for causal in (False, True):
        compare(f"attention 4x16x4096x128{', causal' if causal else ''}",
                lambda: aisp_torch.attention(q, k, v, causal=causal), "scaled_dot_product_attention",
                lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=causal))
    slopes = torch.rand(16, device="cuda")
    documents = (torch.arange(4096, device="cuda") // 700).int()
    compiled = torch.compile(flex.flex_attention, dynamic=False)

    def mask(batch, head, query, key):
        return (query >= key) & (documents[query] == documents[key])
    block_mask = flex.create_block_mask(mask, None, None, 4096, 4096, device="cuda")
    of_all = documents.expand(4, 4096).contiguous()
    compare("flex_attention, causal documents", lambda: aisp_torch.flex_attention(q, k, v, causal=True, documents=of_all),
            "flex_attention", lambda: compiled(q, k, v, block_mask=block_mask))
    causal = flex.create_block_mask(lambda batch, head, query, key: query >= key, None, None, 4096, 4096, device="cuda")

    def alibi(score, batch, head, query, key):
        return score + slopes[head] * (key - query)
    compare("flex_attention, causal ALiBi", lambda: aisp_torch.flex_attention(q, k, v, causal=True, slopes=slopes),
            "flex_attention", lambda: compiled(q, k, v, score_mod=alibi, block_mask=causal))


print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}\n")
print("| case | PyTorch's | aisp, us | PyTorch, us | ratio |\n|---|---|---:|---:|---:|", flush=True)
for part in (products, groups, scaled, attention):
    part()
