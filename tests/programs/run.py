"""Runs a program on the simulator in every order: earliest, latest, and 20 random schedules."""

import subprocess
import sys

aisp, program = sys.argv[1:]
runs = [["--order", "earliest"], ["--order", "latest"]]
runs += [["--order", "random", "--seed", str(seed)] for seed in range(1, 21)]
bad = 0
for options in runs:
    done = subprocess.run([aisp, "sim", *options, "--", program], capture_output=True, text=True, timeout=300)
    if done.returncode != 0 or done.stdout != "ok\n":
        bad += 1
        print(f"{' '.join(options)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{len(runs) - bad} of {len(runs)} runs are right")
sys.exit(1 if bad else 0)
