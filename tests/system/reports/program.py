"""Runs the programs of this folder under `aisp`."""

import json
import os
import pathlib
import subprocess

AISP = pathlib.Path()
FOLDER = pathlib.Path()
LIMIT = 120


def clean_environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AISP_SIM_", "LD_PRELOAD"))}
    return {**kept, "NO_COLOR": "1", **more}


def run(words, **options):
    given = {"stdin": subprocess.DEVNULL, **options}
    if "input" in given:
        del given["stdin"]
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT,
                          env=clean_environment(), **given)


def sim(name, *arguments):
    return run([AISP, "sim", "--quiet", "--", FOLDER / f"report_{name}", *arguments])


def check(name, *arguments, options=()):
    return run([AISP, "check", *options, "--", FOLDER / f"report_{name}", *arguments])


def findings(name, *arguments, options=()):
    """All that `aisp check` finds, and its exit code."""
    done = check(name, *arguments, options=["--format", "json", *options])
    try:
        return json.loads(done.stdout)["findings"], done.returncode
    except ValueError:
        raise AssertionError(f"no report: exit {done.returncode}\n{done.stdout}{done.stderr}") from None


def said(done):
    """The simulator's own lines."""
    return [line for line in done.stderr.splitlines() if line.startswith("aisp sim: ")]
