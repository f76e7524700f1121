"""Runs a target at its quick sizes on the simulator: timed, then its numbers alone in every order.

Every rung must give right numbers; what needs a GPU (vendor libraries, another architecture) must say so."""

import json
import os
import subprocess
import sys
import tempfile

aisp, target = sys.argv[1:]
SEEDS = range(1, 4)
MAY_SKIP = ("needs a GPU; this run is simulated", "needs sm_", "needs --timer events")


def run(device, options, **environment):
    """The run's exit code, document and standard error."""
    command = [aisp, "bench", "run", "--quick", "--targets", target, "--device", device, "--format", "json", *options]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command, "--out", folder], capture_output=True, text=True, timeout=500,
                              env={**os.environ, "AISP_HOME": folder, **environment})
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def problems(result, good):
    """What is wrong with a run whose rows must be `good` or skipped for a reason that counts."""
    code, document, errors = result
    none_fits = code == 4 and all(row["status"] == "skipped" for row in document.get("rows", []))
    if not document or (code != 0 and not none_fits):
        yield f"exit {code}: {errors}"
    elif not document["device"]["simulated"]:
        yield "the device is not marked as simulated"
    for row in document.get("rows", []):
        skipped = row["status"] == "skipped" and any(reason in row["reason"] for reason in MAY_SKIP)
        if not skipped and row["status"] != good:
            yield f"{row['entry']} {row['rung']}: {row['status']}: {row.get('reason', '')}"
        if row["status"] == "measured" and row.get("roof"):
            yield f"{row['entry']} {row['rung']}: a counted time has a roof"


found = []
for device, timer in (("sim", "events"), ("sim:a100", "graph")):
    found += [f"{device}: {line}" for line in problems(run(device, ["--timer", timer, "--iterations", "2"]), "measured")]
# Eight multiprocessors: blocks that walk over their work come round more than once.
validate = [("earliest", "1"), ("latest", "1"), *(("random", str(seed)) for seed in SEEDS)]
for order, seed in validate:
    result = run("sim:h200,sms=8", ["--validate"], AISP_SIM_ORDER=order, AISP_SIM_SEED=seed, AISP_SIM_THREADS="1")
    found += [f"{order} {seed}: {line}" for line in problems(result, "checked")]
print("\n".join(found) or f"{target}: right in {len(validate)} schedules")
sys.exit(1 if found else 0)
