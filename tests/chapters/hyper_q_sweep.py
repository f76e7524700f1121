"""Sweeps ch11:hyper_q over streams and connections on the simulator: where false dependencies are, and where not.

A kernel of the n chains takes one unit. Chains on the same queue that are launched one after the other each wait until
the last link of the one before has begun, so a queue takes (its chains) * (links - 1) + 1 units; launched link by link
they take as many as a stream has links, whatever the number of queues. Every point runs in a process that is started
with its number of connections, also where the one that starts it was given another.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

aisp = sys.argv[1]
CHAINS, LINKS = 8, 5
STREAMS, CONNECTIONS = (1, 2, 8), (1, 2, 4, 8)

with tempfile.TemporaryDirectory() as folder:
    command = [aisp, "sweep", "ch11:hyper_q", "--quick", "--device", "sim", "--iterations", "1", "--warmup", "1", "--out", folder,
               "--axis", "streams=" + ",".join(map(str, STREAMS)), "--axis", "connections=" + ",".join(map(str, CONNECTIONS)),
               "--axis", f"chains={CHAINS}", "--axis", f"links={LINKS}", "--axis", "steps=3000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500,
                          env={**os.environ, "AISP_HOME": folder, "CUDA_DEVICE_MAX_CONNECTIONS": "3"})
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    (run,) = [path.parent for path in pathlib.Path(folder).glob("*/sweep.csv")]
    with open(run / "sweep.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    # Tables show no time of the simulator; the run file keeps the one that is estimated from counts.
    records = map(json.loads, (run / "run.jsonl").read_text().splitlines())
    estimated = {(row["entry"].partition("/")[2], row["rung"]): row["median_ms"] for row in records
                 if row["kind"] == "row" and "median_ms" in row}
    plot = (run / "sweep.svg").read_text()

found = [f"the plot does not name {rung}" for rung in ("one_stream", "depth_first", "breadth_first") if rung not in plot]
times = {}
for row in rows:
    if row["status"] != "simulated":
        found.append(f"{row['size']} {row['rung']}: {row['status']}: {row['reason']}")
        continue
    streams, connections = map(int, row["size"].split("x")[-2:])
    times[row["rung"], streams, connections] = estimated[row["size"], row["rung"]]

expected = len(STREAMS) * len(CONNECTIONS) * 3
if not found and len(times) != expected:
    found.append(f"{len(times)} times of {expected}")
if not found:
    unit = times["one_stream", 1, 1] / (CHAINS * LINKS)
    for (rung, streams, connections), time in sorted(times.items()):
        on_stream = CHAINS // streams * LINKS  # kernels that follow each other by right
        if rung == "one_stream":
            units = CHAINS * LINKS
        elif rung == "breadth_first" or connections >= streams:
            units = on_stream
        else:
            units = CHAINS // connections * (LINKS - 1) + 1
        if not 0.9 < time / unit / units < 1.1:
            found.append(f"{rung} on {streams} streams over {connections} connections: {time / unit:.1f} units, not {units}")

# What is no number of queues is refused, not taken for one.
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run([aisp, "bench", "run", "--quick", "--device", "sim", "--targets", "ch11:streams", "--out", folder],
                          capture_output=True, text=True, timeout=200,
                          env={**os.environ, "AISP_HOME": folder, "CUDA_DEVICE_MAX_CONNECTIONS": "33"})
    if done.returncode == 0 or "the number of a device's queues, 1 to 32: got '33'" not in done.stdout + done.stderr:
        found.append(f"33 connections: exit {done.returncode}: {done.stdout}{done.stderr}")
print("\n".join(found) or f"{expected} points: false dependencies where streams share a queue, and nowhere else")
sys.exit(1 if found else 0)
