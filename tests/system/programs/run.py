"""Runs a program on the simulator in every order: earliest, latest, and random schedules by their seeds.

    run.py [--seeds N] [--device DEVICE] AISP PROGRAM
"""

import argparse
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--seeds", type=int, default=20)
parser.add_argument("--device", default="h200")
parser.add_argument("aisp")
parser.add_argument("program")
given = parser.parse_args()
runs = [["--order", "earliest"], ["--order", "latest"]]
runs += [["--order", "random", "--seed", str(seed)] for seed in range(1, given.seeds + 1)]
bad = 0
for options in runs:
    done = subprocess.run([given.aisp, "sim", "--device", given.device, *options, "--", given.program],
                          capture_output=True, text=True, timeout=300)
    if done.returncode != 0 or done.stdout != "ok\n":
        bad += 1
        print(f"{' '.join(options)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{len(runs) - bad} of {len(runs)} runs are right")
sys.exit(1 if bad else 0)
