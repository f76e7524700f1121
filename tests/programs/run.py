"""Runs a program on the simulator in every order: earliest, latest, and random schedules by their seeds.

    run.py [--seeds N] [--sample N] [--device DEVICE] [--not-latest] [--check] [--source FILE] AISP PROGRAM [WORD…]

It must exit 0 and its output end in `ok`. --sample: the latest order and N of the others, chosen by the program's
name; AISP_TEST_SWEEPS=full runs all of them. --not-latest: another test has that order. --check: `aisp check` must find
nothing in it either. --source: what the first lines of the program's file ask for goes before the options, see
README.md.
"""

import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweep

parser = argparse.ArgumentParser()
parser.add_argument("--seeds", type=int, default=20)
parser.add_argument("--sample", type=int, default=2)
parser.add_argument("--device", default="h200")
parser.add_argument("--not-latest", action="store_true")
parser.add_argument("--check", action="store_true")
parser.add_argument("--source")
parser.add_argument("aisp")
parser.add_argument("program", nargs=argparse.REMAINDER)
given = parser.parse_args()

exit_code, said, rule = 0, None, None
if given.source:
    given.seeds, given.device = 3, "h200,sms=8"
    with open(given.source) as file:
        first_lines = [line.rstrip("\n") for _, line in zip(range(8), file)]
    for line in first_lines:
        if found := re.fullmatch(r"// seeds: (\d+)", line):
            given.seeds = int(found[1])
        elif found := re.fullmatch(r"// device: (\S+)", line):
            given.device = found[1]
        elif found := re.fullmatch(r'// expects: exit (\d+)(?:, "(.*)")?', line):
            exit_code, said = int(found[1]), found[2]
        elif found := re.fullmatch(r"// reports: (\S+)", line):
            rule = found[1]
        elif line.startswith("// expects:"):
            sys.exit(f'{given.source}: write // expects: exit N, "text": {line}')

others = [["sim", "--order", "earliest"]]
others += [["sim", "--order", "random", "--seed", str(seed)] for seed in range(1, given.seeds + 1)]
runs = sweep.sample(others, given.sample, pathlib.Path(given.program[0]).name + " ".join(given.program[1:]))
orders = sweep.stated(len(runs), len(others), "orders besides latest")
if not given.not_latest:
    runs.append(["sim", "--order", "latest"])
if given.check and exit_code == 0:
    runs.append(["check", "--explore", "1"])


def is_right(run, done):
    if run[0] == "check":
        return f"[{rule}]" in done.stdout if rule else done.returncode == 0
    if done.returncode != exit_code:
        return False
    if exit_code:
        return said is None or said in done.stdout + done.stderr
    return done.stdout == "ok\n" or done.stdout.endswith("\nok\n")


bad = 0
for run in runs:
    done = subprocess.run([given.aisp, *run, "--device", given.device, "--", *given.program],
                          capture_output=True, text=True, timeout=300)
    if not is_right(run, done):
        bad += 1
        print(f"{' '.join(run)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{len(runs) - bad} of {len(runs)} runs are right; {orders}")
sys.exit(1 if bad else 0)
