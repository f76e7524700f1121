"""Runs a target whose rungs must give the baseline's bytes in seeded schedules of the simulator: 8 of 50, or all of them
with AISP_TEST_SWEEPS=full.

    same_bytes.py AISP chNN:name

Every rung must be `checked`: right against float64, and the bytes of the baseline at every place."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweep

aisp, target = sys.argv[1:]
EVERY = range(1, 51)
SEEDS = sweep.sample(EVERY, 8, target)


def problems(seed):
    """What is wrong with the run of that schedule."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([aisp, "bench", "run", "--quick", "--validate", "--targets", target, "--device",
                               "sim:h200,sms=8", "--format", "json", "--out", folder],
                              capture_output=True, text=True, timeout=100,
                              env={**os.environ, "AISP_HOME": folder, "AISP_SIM_ORDER": "random",
                                   "AISP_SIM_SEED": str(seed), "AISP_SIM_THREADS": "1"})
    rows = json.loads(done.stdout)["rows"] if done.stdout else []
    bad = [f"{row['entry']} {row['rung']}: {row['status']}: {row.get('reason', '')}"
           for row in rows if row["status"] != "checked"]
    if done.returncode != 0 or len({row["rung"] for row in rows}) < 2:
        bad.append(f"exit {done.returncode}, {len(rows)} rows: {done.stderr}")
    return [f"seed {seed}: {line}" for line in bad]


found = [line for seed in SEEDS for line in problems(seed)]
print("\n".join(found) or f"{target}: the same bytes in {sweep.stated(len(SEEDS), len(EVERY), 'schedules')}")
sys.exit(1 if found else 0)
