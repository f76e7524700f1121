"""Runs a target at its quick sizes on the simulator: timed, in the earliest order, then its numbers alone in a random one.
The latest order is that of the test that looks for hazards in it (checked.*), which checks the numbers as well.
Unless AISP_TEST_SWEEPS=full, half of the targets, chosen by their names, have the random order, and the other half is
timed as graphs on the A100.

Every rung must give right numbers; what needs a GPU (vendor libraries, another architecture) must say so."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweep

aisp, target = sys.argv[1:]
home = tempfile.TemporaryDirectory()  # one for all runs: what is compiled at run time is compiled once
COHERENT = "needs a device that shares the host's page tables"
MAY_SKIP = ("needs a GPU; this run is simulated", "needs sm_", "needs --timer events", COHERENT)


def run(device, options, **environment):
    """The run's exit code, document and standard error."""
    command = [aisp, "bench", "run", "--quick", "--targets", target, "--device", device, "--format", "json", *options]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command, "--out", folder], capture_output=True, text=True, timeout=500,
                              env={**os.environ, "AISP_HOME": home.name, **environment})
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
        if row["status"] == "measured" and (row.get("roof") or row["speedup"]):
            yield f"{row['entry']} {row['rung']}: a simulated row has a roof or a speed-up"


def count_of(row, name):
    """What a row counted under this name; None where it did not run."""
    found = [one["value"] for one in row.get("counts", []) if one["count"] == name]
    return found[0] if found else None


def unshown(document):
    """Says so unless at half of the sizes the last rung that ran has less of what shows the idea (more, of overlap) than
    the first, and where any rung has more of it, or, at more than half of the sizes, one in between less than the last:
    such a count contradicts the ladder.

    At the others there is nothing to fuse or to overlap: one tile, one step, five elements."""
    name, entries = about["shows_in"], {row["entry"] for row in document.get("rows", [])}
    shown, lines, worse, passed, differ = 0, [], [], [], 0

    def is_better(value, than):
        return value > than if name == "overlap" else value < than

    for entry in sorted(entries):
        counts = {row["rung"]: count_of(row, name) for row in document["rows"] if row["entry"] == entry}
        ran = [rung for rung in ladder if counts.get(rung) is not None]
        if len(ran) > 1:
            first, last = counts[ran[0]], counts[ran[-1]]
            shown += is_better(last, first)
            differ += len({counts[rung] for rung in ran}) > 1
            best = functools.reduce(lambda a, b: b if is_better(counts[b], counts[a]) else a, reversed(ran))
            if best != ran[-1]:
                passed.append(f"{entry}: {name} is {last} in {ran[-1]}, the last rung, and {counts[best]} in {best}: choose "
                              "another Target::shows_in")
            lines.append(f"{entry}: {name} is {first} in {ran[0]} and {last} in {ran[-1]}")
        for rung in ran[1:]:
            if is_better(counts[ran[0]], counts[rung]):
                worse.append(f"{entry}: {name} is {counts[ran[0]]} in {ran[0]} and {counts[rung]} in {rung}: choose another Target::shows_in")
    return worse + (lines if 2 * shown < len(lines) else []) + (passed if 2 * len(passed) > differ else [])


listed = subprocess.run([aisp, "bench", "list-targets", "--json"], capture_output=True, text=True, check=True)
about = [one for one in json.loads(listed.stdout) if one["target"] == target][0]
ladder = [rung["name"] for rung in about["rungs"] if not rung["peer"]]
blackwell = any(rung["needs"] == "sm_100a" for rung in about["rungs"])

timed_as_graphs = sweep.is_full() or zlib.crc32(target.encode()) % 2 == 0
in_random_order = sweep.is_full() or not timed_as_graphs
found, ran, coherent = [], set(), False
for device, timer in (("sim", "events"), ("sim:a100", "graph"), ("sim:b200", "events"), ("sim:gb200", "events")):
    if device == "sim:b200" and not blackwell or device == "sim:gb200" and not coherent \
            or device == "sim:a100" and not timed_as_graphs:
        continue
    timed = run(device, ["--timer", timer, "--iterations", "1"])
    coherent |= any(COHERENT in row.get("reason", "") for row in timed[1].get("rows", []))
    found += [f"{device}: {line}" for line in problems(timed, "measured")]
    ran |= {row["rung"] for row in timed[1].get("rows", []) if row["status"] == "measured" or MAY_SKIP[0] in row.get("reason", "")}
    if about["shows_in"] and device != "sim:a100":
        found += [f"{device}: {line}" for line in unshown(timed[1])]
found += [f"{rung} runs on no simulated device, and does not say that it needs a GPU" for rung in ladder if rung not in ran]
# Eight multiprocessors: blocks that walk over their work come round more than once.
for device in (["h200"] + ["b200"] * blackwell + ["gb200"] * coherent) * in_random_order:
    result = run(f"sim:{device},sms=8", ["--validate"], AISP_SIM_ORDER="random", AISP_SIM_SEED="1", AISP_SIM_THREADS="1")
    found += [f"{device}, random: {line}" for line in problems(result, "checked")]
print("\n".join(found) or f"{target}: right in the earliest order{', on the A100' * timed_as_graphs}"
      f"{', in a random order' * in_random_order}")
sys.exit(1 if found else 0)
