"""Takes the waits out of a target, one at a time, and demands that each is missed.

    missing_event.py AISP chNN:name

Unless AISP_TEST_SWEEPS=full, SAMPLED_WAITS of the waits of each rung are taken out, and one that SILENT explains; they
are chosen by their text.

waits.py says which rungs run at which sizes. Each must be clean as it is. Then it runs once for every
cudaStreamWaitEvent of its last checked run, without that one (AISP_SIM_DROP_WAIT: what it waited for runs when nothing
else can). Its numbers must be wrong, or the hazard checker must report it; those that the idea rests on (JUDGED) must
give wrong numbers, for a GPU has no checker. What cannot show is in SILENT, with its reason, and must not show.
A target whose order is kept by an instruction of its kernels runs without that instruction (AISP_SIM_DROP).
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweep
from waits import INSTRUCTIONS, JUDGED, RUNS, SILENT

aisp, target = sys.argv[1:]
SAMPLED_WAITS = 3
HOST_RULES = {"stream-race", "host-race", "freed-in-stream"}
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("AISP_SIM_")}

Outcome = collections.namedtuple("Outcome", "wrong rules lines checks printed")
Wait = collections.namedtuple("Wait", "number text ordinal count")


def check(run, **environment):
    """What the judge and the checker say, and the synchronising calls and instructions of the run."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "findings").mkdir()
        # The input element that changes is the same in every run, and so is what a dropped wait shows.
        settings = {"AISP_HOME": folder, "AISP_SIM_THREADS": "1", "AISP_CHECK_SEED": "1", "AISP_SIM_LIST_SYNC": str(path / "list"),
                    "AISP_SIM_HAZARDS": str(path / "findings"), **environment}
        done = subprocess.run([aisp, "bench", "run", "--validate", "--targets", run.alias or target, "--sizes",
                               run.size, "--rungs", run.rung, "--device", run.device, "--format", "json",
                               "--out", str(path / "runs")],
                              capture_output=True, text=True, errors="replace", timeout=300, env={**CLEAN, **settings})
        lines = (path / "list").read_text().splitlines() if (path / "list").exists() else []
        findings = [json.loads(line) for file in (path / "findings").iterdir() for line in file.read_text().splitlines()]
    rows = json.loads(done.stdout)["rows"] if done.stdout else []
    wrong = [f"{row['status']}: {row.get('reason', '')}" for row in rows if row["status"] != "checked"]
    if not rows:
        wrong = [f"exit {done.returncode}: {done.stderr}"]
    rules = {finding["rule"] for finding in findings if "rule" in finding}
    checks = max((len(row.get("checks", [])) for row in rows), default=0)
    return Outcome(wrong, rules, [line.split("\t") for line in lines], checks, done.stdout + done.stderr)


def named(text, run):
    """Each device has a stream to begin with; then come the lab's and the rung's own, in the order in which they are made."""
    devices = re.search(r"gpus=(\d+)", run.device)
    names = dict(enumerate(("lab", *run.streams), 1 + int(devices[1] if devices else 1)))
    return re.sub(r"stream (\d+)", lambda match: names.get(int(match[1]), match[0]), text).replace("an event of ", "")


def waits_of(run, clean):
    """Those of the last checked run: all call the same, unless a graph is recorded once."""
    texts = [named(line[-1], run) for line in clean.lines if line[0] == "(host)"]
    of_each = len(texts) // max(clean.checks, 1)
    first = len(texts) - of_each if texts == texts[:of_each] * clean.checks else 0
    counts, seen, waits = collections.Counter(texts[first:]), collections.Counter(), []
    for number, text in enumerate(texts[first:], first + 1):
        if re.fullmatch(run.only, text):
            waits.append(Wait(number, text, seen[text], counts[text]))
        seen[text] += 1
    return waits


def reasons_for(wait, run):
    """The entries of SILENT that cover the wait."""
    return [entry for entry in SILENT.get(target, []) if re.fullmatch(entry.waits, wait.text)
            and entry.rung in ("", run.rung) and (entry.which is None or entry.which(wait.ordinal, wait.count))]


def is_judged(wait):
    return re.fullmatch(JUDGED.get(target, "none"), wait.text) is not None


def try_without(run, wait):
    """The outcome of a run without the wait, and whether that is enough; of several, the first that is."""
    dropped = missed = False
    for _ in range(run.tries):
        outcome = check(run, AISP_SIM_DROP_WAIT=str(wait.number))
        if not any(line[-1].endswith(", dropped") for line in outcome.lines):
            if run.tries == 1:
                sys.exit(f"{target}: wait {wait.number} was not dropped\n{outcome.printed}")
            continue  # another schedule, which has fewer waits
        dropped = True
        missed = bool(outcome.wrong) or not is_judged(wait) and bool(outcome.rules & HOST_RULES)
        if missed:
            break
    return outcome, missed or not dropped


def clean_run(run):
    clean = check(run)
    if clean.wrong or clean.rules:
        sys.exit(f"{target} {run.rung} is not clean as it is: {clean.printed}")
    return clean


def problems_of(run):
    """One line for each wait that is not missed, and for each that SILENT explains and is."""
    waits = waits_of(run, clean_run(run))
    if not waits:
        sys.exit(f"{target} {run.rung} has nothing to drop: no cudaStreamWaitEvent was called; INSTRUCTIONS may name what "
                 "orders it")
    silent = [wait for wait in waits if reasons_for(wait, run)]
    chosen = [wait for some, count in ((silent, 1), ([wait for wait in waits if wait not in silent], SAMPLED_WAITS))
              for wait in sweep.sample(some, count, f"{target} {run.rung}", lambda wait: f"{wait.text} {wait.ordinal}")]
    print(f"{run.rung} {run.size}: {sweep.stated(len(chosen), len(waits), 'waits')}")
    for wait in chosen:
        outcome, missed = try_without(run, wait)
        reasons = reasons_for(wait, run)
        used.update(reasons)
        shown = outcome.wrong[0][:60] if outcome.wrong else ", ".join(sorted(outcome.rules)) or "nothing"
        print(f"{run.rung} {run.size} without {wait.number}, {wait.text} ({wait.ordinal}): {shown}", flush=True)
        if reasons and (outcome.wrong or outcome.rules):
            yield f"{run.rung} {run.size}: {wait.text} ({wait.ordinal}) shows {shown}, though SILENT says: {reasons[0].why}"
        elif not reasons and not missed:
            yield f"{run.rung} {run.size}: {wait.text} ({wait.ordinal}) shows {shown}" + (
                "; its numbers must be wrong" if is_judged(wait) else "")


def problems_without(instruction, noticing):
    """One line for each of these instructions that no rung misses; a module may hold kernels of several."""
    places = {f"{line[0]}:{line[1]}" for run in RUNS[target] for line in clean_run(run).lines if instruction in line[-1]}
    if not places:
        yield f"no {instruction} in any kernel"
    for place in sorted(places):
        rules = {run.rung: check(run, AISP_SIM_DROP=place).rules for run in RUNS[target]}
        print(f"without {instruction} of {place}: {rules}")
        if not any(found & noticing for found in rules.values()):
            yield f"nobody misses {instruction} of {place}"


used = set()
if target not in RUNS:
    sys.exit(f"{target}: add it to RUNS in tests/chapters/waits.py, with a size that is small and has all its waits")
if target in INSTRUCTIONS:
    found = list(problems_without(*INSTRUCTIONS[target]))
else:
    found = [line for run in RUNS[target] for line in problems_of(run)]
    if sweep.is_full():
        found += [f"SILENT explains what is not there: {entry.waits}" for entry in SILENT.get(target, []) if entry not in used]
if found:
    sys.exit("\n".join([f"{target}:", *found]))
