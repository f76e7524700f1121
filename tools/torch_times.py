"""What a repeated call costs the host, aisp_torch beside PyTorch's own, and how long a product of few rows with bias and
GELU takes the GPU with a cold L2.

    PYTHONPATH=binding/python AISP_LIBRARY=build/lib/libaisp.so python3 tools/torch_times.py [host] [rows]

Host: small shapes, so that the GPU keeps up; batches of 300 calls are enqueued and waited for outside their time; medians
of 15 batches in turns, with the quarter and three quarters of them. Rows: a buffer larger than the L2 is written before
each call, and events are recorded around it while the GPU is still busy with that; medians of 31 in turns.

Without PyTorch on the simulator, with tests/fake_torch in its place, which only says that it works:

    AISP_DEVICE=sim:h200,sms=4 AISP_SIM_LIBRARY=build/lib/sim/libcudart.so.13 AISP_LIBRARY=build/lib/libaisp.so \\
      PYTHONPATH=binding/python python3 tools/torch_times.py
"""

import importlib.util
import pathlib
import statistics
import sys
import time

simulated = importlib.util.find_spec("torch") is None
if simulated:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "binding/python/tests/fake_torch"))

import torch

from aisp_torch import operators as aisp

BF16 = torch.bfloat16
CALLS, BATCHES = (2, 3) if simulated else (300, 15)
SAMPLES = 31
ROWS, SIZE = (16, 32, 64, 96, 128), 8192
L2_BYTES = 256 << 20   # more than any


def random(*shape):
    if simulated:
        import numpy
        return torch.from_codes(numpy.zeros(shape, numpy.uint16), BF16)
    return torch.randn(shape, device="cuda").to(BF16)


def wait():
    if simulated:
        torch.check(aisp._native.runtime().cudaDeviceSynchronize())
    else:
        torch.cuda.synchronize()


def batch(call):
    """Microseconds of the host for a call."""
    wait()
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    each = (time.perf_counter() - start) / CALLS * 1e6
    wait()
    return each


def spread(times):
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return f"{middle:.1f} ({low:.1f} to {high:.1f})"


def compare_host(what, ours, name, theirs):
    calls = [ours] if simulated else [ours, theirs]
    times = [[] for _ in calls]
    for which, call in enumerate(calls):
        for _ in range(2 if simulated else 100):
            call()
    for _ in range(BATCHES):
        for which, call in enumerate(calls):
            times[which].append(batch(call))
    others = " | ".join(spread(one) for one in times[1:]) or "-"
    ratio = f"{statistics.median(times[0]) / statistics.median(times[1]):.2f}" if times[1:] else "-"
    print(f"| {what} | {name} | {spread(times[0])} | {others} | {ratio} |", flush=True)


def host():
    unit = "microseconds of the simulator" if simulated else "microseconds of the host"
    print(f"| call, {unit} | PyTorch's | aisp | PyTorch | aisp / PyTorch |\n|---|---|---:|---:|---:|", flush=True)
    functional = None if simulated else torch.nn.functional
    x, w, bias = random(64, 64), random(64, 64), random(64)
    y = w.t()
    compare_host("gemm", lambda: aisp.gemm(x, w), "matmul", lambda: torch.matmul(x, w))
    compare_host("gemm, bias", lambda: aisp.gemm(x, y, bias=bias), "linear", lambda: functional.linear(x, w, bias))
    compare_host("gemm, bias, GELU", lambda: aisp.gemm(x, y, bias=bias, activation="gelu"), "gelu(linear)",
                 lambda: functional.gelu(functional.linear(x, w, bias), approximate="tanh"))
    compare_host("gemm through torch.ops", lambda: torch.ops.aisp.gemm(x, w, None, None, 1.0, 1.0, "none", None, False),
                 "matmul", lambda: torch.matmul(x, w))
    q, k, v = (random(1, 4, 64, 64) for _ in range(3))
    compare_host("attention", lambda: aisp.attention(q, k, v), "scaled_dot_product_attention",
                 lambda: functional.scaled_dot_product_attention(q, k, v))


def rows():
    if simulated:
        print("no GPU: products of few rows are not timed")
        return
    print("\n| bias and GELU, L2 cold | aisp, us | PyTorch, us | PyTorch compiled, us | PyTorch / aisp | compiled / aisp |\n"
          "|---|---:|---:|---:|---:|---:|", flush=True)
    functional, flush = torch.nn.functional, torch.empty(L2_BYTES, dtype=torch.int8, device="cuda")

    def sample(call):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(1_000_000)
        flush.fill_(1)
        start.record()
        call()
        end.record()
        end.synchronize()
        return 1000 * start.elapsed_time(end)

    w, bias = random(SIZE, SIZE), random(SIZE)
    for count in ROWS:
        x = random(count, SIZE)

        def eager():
            return functional.gelu(functional.linear(x, w, bias), approximate="tanh")
        calls = [lambda: aisp.gemm(x, w.t(), bias=bias, activation="gelu"), eager]
        try:
            compiled = torch.compile(eager)
            compiled()
            calls.append(compiled)
        except Exception as error:  # a PyTorch without a compiler
            print(f"torch.compile refuses: {str(error).splitlines()[0][:90]}", flush=True)
        times = [[] for _ in calls]
        for call in calls:
            for _ in range(3):
                call()
        for _ in range(SAMPLES):
            for which, call in enumerate(calls):
                times[which].append(sample(call))
        medians = [statistics.median(one) for one in times]
        medians += [float("nan")] * (3 - len(medians))
        print(f"| {count} x {SIZE} x {SIZE} | " + " | ".join(f"{one:.1f}" for one in medians)
              + f" | {medians[1] / medians[0]:.2f} | {medians[2] / medians[0]:.2f} |", flush=True)


if __name__ == "__main__":
    if not simulated:
        print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}\n", flush=True)
        torch.set_grad_enabled(False)
    parts = {"host": host, "rows": rows}
    for name in sys.argv[1:] or parts:
        parts[name]()
