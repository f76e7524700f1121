"""The synchronisation graphs of kernels of the chapters, as text, and rungs that are refused.

    golden.py AISP

Two schedules must give the same graph, and that graph the one in golden/. Numbers of source lines and template arguments of
the kernel are left out: they move with every edit. AISP_WRITE_GOLDEN=1 writes the files anew.
"""

import os
import pathlib
import re
import subprocess
import sys

KERNELS = {
    "ping_pong": ["ch10:matmul/ping_pong"],
    "cluster_multicast": ["ch10:matmul/cluster_multicast"],
    "flash_attention": ["ch10:flash_attention/ping_pong"],
    "tcgen05": ["ch10:matmul_tcgen05/two_accumulators", "--device", "sim:b200,sms=4"],
}
# Few multiprocessors: persistent blocks then have several tiles each.
DEVICE = ["--device", "sim:h200,sms=4"]
REFUSED = [
    (["ch10:matmull/ping_pong"], 2, "did you mean 'ch10:matmul'?"),
    (["ch10:matmul/ping_png"], 2, "did you mean ping_pong?"),
    (["ch10:matmul/ping_pong", "--variant", "x"], 2, "has no variants, and so none called 'x'"),
    (["ch10:matmul"], 2, "draws one rung: ch10:matmul/RUNG"),
    (["ch10:matmul_tcgen05/roles"], 4, "needs sm_100a; NVIDIA H200 (simulated) is sm_90; --device sim:NAME"),
]
LIMIT = 300


def run(aisp, words):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AISP_SIM_", "LD_PRELOAD"))}
    return subprocess.run([aisp, "draw", "sync", *words, "--format", "dot"], capture_output=True, text=True,
                          timeout=LIMIT, env=kept)


def drawn(aisp, words, schedule):
    if "--device" not in words:
        words = words + DEVICE
    done = run(aisp, words + schedule)
    if done.returncode != 0:
        sys.exit(f"{words}: exit {done.returncode}\n{done.stderr}")
    text = re.sub(r"(\.(?:cuh?|hpp)):\d+", r"\1:#", done.stdout)
    return re.sub(r'^(  label="[^"<]*)<.*?\\n', r"\1<...>\\n", text, count=1, flags=re.MULTILINE)


def main(aisp):
    folder = pathlib.Path(__file__).resolve().parent / "golden"
    failed = []
    for name, words in KERNELS.items():
        first = drawn(aisp, words, ["--order", "earliest"])
        if drawn(aisp, words, ["--order", "random", "--seed", "11"]) != first:
            failed.append(f"{name}: another schedule gives another graph")
        file = folder / f"{name}.dot"
        if os.environ.get("AISP_WRITE_GOLDEN"):
            file.write_text(first)
        elif file.read_text() != first:
            failed.append(f"{name}: differs from {file}; AISP_WRITE_GOLDEN=1 writes it anew. It is now\n{first}")
    for words, code, part in REFUSED:
        done = run(aisp, words)
        if (done.returncode, done.stdout, done.stderr.count("\n")) != (code, "", 1) or part not in done.stderr:
            failed.append(f"{words}: exit {done.returncode} instead of {code}, or not '{part}': {done.stderr}")
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
