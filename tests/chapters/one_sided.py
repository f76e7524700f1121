"""ch14:one_sided_exchange beyond what every target is run with: ranks on several simulated GPUs, in several orders, and
more ranks than their kernels have room for."""

import json
import os
import subprocess
import sys
import tempfile

aisp, = sys.argv[1:]
TARGET, HALO = "ch14:one_sided_exchange", "one_sided_exchange_halo"
found = []


def run(words, **environment):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([aisp, *words, *(["--out", folder] if words[0] == "bench" else [])], capture_output=True,
                              text=True, timeout=300, env={**os.environ, "AISP_HOME": folder, **environment})


def rows(name, device, options, code=0, target=TARGET, **environment):
    done = run(["bench", "run", "--targets", target, "--device", device, "--format", "json", *options], **environment)
    if done.returncode != code:
        found.append(f"{name}: exit {done.returncode}, not {code}: {done.stderr[-500:]}")
    return json.loads(done.stdout)["rows"] if done.stdout else []


def expect(name, holds, what):
    if not holds:
        found.append(f"{name}: {what}")


# A device for each rank, in all orders.
for order, seed in (("earliest", 1), ("latest", 1), ("random", 1), ("random", 2)):
    got = rows(order, "sim:h200,sms=8,gpus=4", ["--quick", "--validate"], AISP_SIM_ORDER=order, AISP_SIM_SEED=str(seed),
               AISP_SIM_THREADS="1")
    wrong = [f"{row['entry']} {row['rung']}: {row['status']} {row.get('reason', '')}" for row in got if row["status"] != "checked"]
    expect(f"{order} {seed}", len(got) == 15 and not wrong, f"{len(got)} rows, {wrong}")
    notes = {row.get("note", "") for row in got}
    expect(f"{order} {seed}", "4 ranks on 4 devices" in notes, f"no four devices in {notes}")

# Kernels that wait for each other and do not fit together are not launched.
full = rows("full", "sim:h200,sms=2", ["--sizes", "8x16x2x3", "--validate"], 0, HALO)
for row in full:
    refused = row["rung"] == "signal_in_kernel"
    expect("full", row["status"] == ("skipped" if refused else "checked"), f"{row['rung']} is {row['status']}: {row.get('reason')}")
    expect("full", not refused or "kernels of 3 ranks" in row["reason"] and "2 multiprocessors" in row["reason"], row.get("reason"))
expect("full", len(full) == 3, f"{len(full)} rows")

few = run(["bench", "run", "--targets", HALO, "--sizes", "3x8x2x4", "--device", "sim"])
expect("more ranks than rows", few.returncode == 2 and "a row for each rank" in few.stderr, f"exit {few.returncode}: {few.stderr}")

print("\n".join(found) or f"{TARGET}: right on four devices, refused where it does not fit")
sys.exit(1 if found else 0)
