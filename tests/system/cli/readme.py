"""Every command of README.md that begins with build/bin/aisp, used as a reader without a GPU uses it.

    readme.py AISP README PROGRAM

Short ones run as they are, in a folder of their own where ./program is PROGRAM, or with fewer targets or schedules. Long ones are told to run on a GPU that
is not there: names of targets, rungs and peers, options and sizes are still read, and then they are refused for want of
a GPU and of nothing else.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BEGIN = "build/bin/aisp "
# Commands that take longer than a few seconds, and what is put behind them.
LONG = {
    "bench run --targets ch09 --summaries": ["--device", "gpu"],
    "bench run --targets ch10:flash_attention": ["--device", "gpu"],
    "bench run --targets ch10:matmul --profile": ["--device", "gpu"],
    "sweep ": ["--device", "gpu"],
    "demo ": ["--device", "gpu"],
}
# And those that are short with one small target, or with fewer schedules.
SHORTENED = {
    "bench run --quick --device sim:a100": lambda words: words + ["--targets", "ch09:memory_bound"],
    "check --explore 50": lambda words: ["2" if word == "50" else word for word in words],
    "check --targets ch10:matmul": lambda words: ["ch11:streams" if word == "ch10:matmul" else word for word in words],
}
NEEDS_GPU = ("doctor --measure", "tune gemm")
NO_GPU = re.compile(r"no GPU to run on|no CUDA device|no NVIDIA driver|needs a GPU|driver")
# What a reader without a GPU sees of commands that were full sizes once: the small sizes, and no estimate of full ones.
SEEN = {
    "bench run --targets ch11:streams --trace": ["no GPU: this run is simulated", "traces: ", "ch11:streams"],
    "compare ch09 --examples fused_l2norm": ["ch09:fused_l2norm", "bf16 300x1000", "good: "],
    "draw sync ch10:matmul/ping_pong --out a.svg": ["a.svg: the synchronisation of "],
    "check ./program": ["nothing found"],
}


def commands(page):
    """Words of each command; a comment or two blanks end it."""
    fenced, found = False, []
    for line in page.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced and line.startswith(BEGIN):
            command = re.split(r"\s{2,}|\s#", line.removeprefix(BEGIN), maxsplit=1)[0]
            found.append(command)
    return found


def run(aisp, words, folder, codes):
    done = subprocess.run([aisp, *words], capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL, timeout=300)
    text = done.stdout + done.stderr
    if done.returncode not in codes:
        sys.exit(f"aisp {' '.join(words)}: exit code {done.returncode}, wanted {codes}\n{text}")
    return text


def use(aisp, command, folder):
    words = shlex.split(command)
    if command.startswith(NEEDS_GPU):
        text = run(aisp, words, folder, (4,))
        if not NO_GPU.search(text):
            sys.exit(f"aisp {command} was refused, and not for want of a GPU:\n{text}")
        return
    for begin, more in LONG.items():
        if not command.startswith(begin):
            continue
        text = run(aisp, words + more, folder, (4,))
        if "no GPU to run on" not in text:
            sys.exit(f"aisp {command} was refused, and not for want of a GPU:\n{text}")
        return
    if command == "report --open":
        words = ["report"]
    for begin, shorten in SHORTENED.items():
        words = shorten(words) if command.startswith(begin) else words
    text = run(aisp, words, folder, (0,))
    for begin, parts in SEEN.items():
        if not command.startswith(begin):
            continue
        for part in parts:
            if part not in text:
                sys.exit(f"aisp {command}: no '{part}' in:\n{text}")
        if "estimate: " in text:
            sys.exit(f"aisp {command} has an estimate, which only full sizes have:\n{text}")


def main():
    aisp, page, program = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(), sys.argv[3]
    found = commands(page)
    if len(found) < 20:
        sys.exit(f"README.md shows {len(found)} commands: {found}")
    for begin in [*LONG, *SHORTENED, *NEEDS_GPU, *SEEN]:
        if not any(command.startswith(begin) for command in found):
            sys.exit(f"README.md no longer shows '{begin}'")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    os.environ["AISP_SIM_DEVICE"] = "h200"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AISP_HOME"] = os.path.join(folder, "home")
        os.symlink(program, os.path.join(folder, "program"))
        # The report is about runs, wherever on the page it is.
        for command in sorted(found, key=lambda one: one.startswith("report")):
            use(aisp, command, folder)
    print(f"{len(found)} commands of README.md are good")


main()
