"""Looks inside every rung of a target with `aisp inspect`: each has its source, and what it launches has PTX,
resources and a graph, within two seconds of processor time a rung; what a rung compiles at run time is compiled
before."""

import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

aisp, target = sys.argv[1:]
SECONDS = 2.0
COMPILED_AT_RUN_TIME = ("ch09:tile_program/tile_program", "ch14:inspect/program", "ch14:flex_attention/one_kernel",
                        *(f"ch14:flex_attention_sparse/{rung}" for rung in ("every_block", "block_mask", "kept_block_mask")))
MAY_SKIP = ("needs a GPU", "needs sm_", "needs at least", "runs on the host")


def ladder():
    listed = subprocess.run([aisp, "bench", "list-targets", "--json"], capture_output=True, text=True, check=True)
    about = [one for one in json.loads(listed.stdout) if one["target"] == target][0]
    return [rung["name"] for rung in about["rungs"] if not rung["peer"]]


def inspect(rung, folder, device="sim"):
    """What it printed, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([aisp, "inspect", f"{target}/{rung}", "--device", device, "--out", folder],
                          capture_output=True, text=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def problems(rung, folder):
    done, seconds = inspect(rung, folder)
    if any(pathlib.Path(folder).rglob("*_log_*")):  # a compiler's log: now what it made is kept
        done, seconds = inspect(rung, folder)
    if "needs a device that shares the host's page tables" in done.stdout:
        done, seconds = inspect(rung, folder, "sim:gb200")
    if done.returncode != 0:
        yield f"exit {done.returncode}: {done.stderr}{done.stdout}"
        return
    if seconds > SECONDS:
        yield f"took {seconds:.1f} s of processor time"
    refused = re.search(r"^  not launched: (.*)$", done.stdout, re.MULTILINE)
    if refused and not any(reason in refused.group(1) for reason in MAY_SKIP):
        yield refused.group(0)
    files = sorted(path.name for path in pathlib.Path(folder).rglob("[0-9][0-9]_*"))
    # What is a vendor's library has no file in its chapter.
    wanted = ([] if refused and "needs a GPU" in refused.group(1) else ["source"]) + ([] if refused else ["resources", "graph", "memory"])
    if f"{target}/{rung}" in COMPILED_AT_RUN_TIME:
        wanted += ["ir", "passes", "log"]
    for what in wanted:
        if not any(name[3:].startswith(what) for name in files):
            yield f"no {what} among {files}\n{done.stdout}"
    graph = "".join(path.read_text() for path in pathlib.Path(folder).rglob("*_graph.txt"))
    launches = re.search(r"(\d+) kernel launch", graph)
    if not refused and (launches is None or int(launches.group(1)) == 0):
        yield f"launches no kernel:\n{graph}"
    if not refused and not any(name[3:].startswith("ptx") for name in files):
        yield f"no PTX of what it launches:\n{done.stdout}"
    if "its code is not in this program" in done.stdout or "not known: the CUDA" in done.stdout:
        yield done.stdout


complaints = []
for rung in ladder():
    with tempfile.TemporaryDirectory() as folder:
        complaints += [f"{rung}: {problem}" for problem in problems(rung, folder)]
if complaints:
    sys.exit(f"{target}: " + "\n".join(complaints))
