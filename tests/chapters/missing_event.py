"""Takes single waits out of a target of chapter 11 and sees whether the hazard checker notices.

    missing_event.py AISP chNN:name

The target must be clean as it is. Then one cudaStreamWaitEvent at a time does nothing (AISP_SIM_DROP_WAIT), one for
each pair of streams that wait for each other, until ENOUGH are found or MOST were tried. A missing wait is found when
a host-side rule reports it; at least one must be, and those that are not are listed: they may be redundant, as the
fork of a first run is, or the last wait of a graph.
A target whose order is kept by an instruction of its kernels has its own entry in INSTRUCTIONS.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

aisp, target = sys.argv[1:]
ENOUGH, MOST = 3, 5
HOST_RULES = {"stream-race", "host-race", "freed-in-stream"}
# Targets without events: the instruction that orders their kernels, and the rules that notice when it is gone.
INSTRUCTIONS = {"ch11:kv_prefetch_pipeline": ("griddepcontrol.wait", {"dependency-wait"}),
                "ch11:programmatic_launch": ("griddepcontrol.wait", {"dependency-wait"})}


def check(**environment):
    """Exit code, the rules of what was found, and the synchronising calls and instructions of the run."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AISP_SIM_")}
    with tempfile.TemporaryDirectory() as folder:
        listed = pathlib.Path(folder) / "list"
        settings = {"AISP_HOME": folder, "AISP_SIM_THREADS": "1", "AISP_SIM_LIST_SYNC": str(listed), **environment}
        done = subprocess.run([aisp, "check", "--targets", target, "--format", "json", "--device", "h200,sms=8"],
                              capture_output=True, text=True, errors="replace", timeout=300, env={**clean, **settings})
        lines = listed.read_text().splitlines() if listed.exists() else []
    rules = {finding["rule"] for finding in json.loads(done.stdout)["findings"]} if done.stdout else set()
    return done.returncode, rules, [line.split("\t") for line in lines], done.stdout + done.stderr


def waits_to_drop(lines):
    """{number of the wait: what it says}, the middle one of each pair of streams."""
    pairs = {}
    for kernel, number, _, process, text in lines:
        if kernel == "(host)":
            pairs.setdefault((process, text), []).append(int(number))
    middles = sorted((numbers[len(numbers) // 2], text) for (_, text), numbers in pairs.items())
    spread = range(0, len(middles), max(1, -(-len(middles) // MOST)))
    return dict(middles[i] for i in spread)


def instructions_to_drop(lines, wanted):
    return {f"{kernel}:{index}": text for kernel, index, _, _, text in lines if wanted in text}


code, rules, lines, printed = check()
if code != 0 or rules:
    sys.exit(f"{target} is not clean as it is: exit {code}\n{printed}")

if target in INSTRUCTIONS:
    wanted, noticing = INSTRUCTIONS[target]
    variable, candidates = "AISP_SIM_DROP", instructions_to_drop(lines, wanted)
else:
    variable, candidates, noticing = "AISP_SIM_DROP_WAIT", waits_to_drop(lines), HOST_RULES
if not candidates:
    sys.exit(f"{target} has nothing to drop: no cudaStreamWaitEvent was called; INSTRUCTIONS may name what orders it")

found = 0
for which, text in list(candidates.items())[:MOST]:
    if found == ENOUGH:
        break
    code, rules, lines, printed = check(**{variable: str(which)})
    if variable == "AISP_SIM_DROP_WAIT" and not any(line[-1].endswith(", dropped") for line in lines):
        sys.exit(f"{target}: wait {which} was not dropped")
    noticed = sorted(rules & noticing)
    found += code == 3 and bool(noticed)
    others = f"not found (exit {code}{', ' + ', '.join(sorted(rules)) if rules else ''})"
    print(f"{target} without {which}, {text}: {', '.join(noticed) if code == 3 and noticed else others}")
if found == 0:
    sys.exit(f"{target}: no missing wait was found")
