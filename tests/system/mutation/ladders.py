"""Rungs of the chapters as programs to mutate: which kernels a run of `aisp bench run` launches, and where those
synchronise."""

import collections
import json
import os
import pathlib
import subprocess
import tempfile
import time

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("AISP_SIM_")}

Rung = collections.namedtuple("Rung", "target name sizes device")
Point = collections.namedtuple("Point", "kernel index ptx_line chain text")
# What a run said: rows that are not right, rules of findings, the simulator's notes, points of the kernels that were
# launched, seconds, the exit code.
Outcome = collections.namedtuple("Outcome", "wrong rules log points seconds code")


def named(rung):
    return f"{rung.target}/{rung.name}"


# Beside the quick sizes, which are too small for some of what kernels do: rings that go round, blocks with several tiles,
# rows that TMA can store.
MORE_SIZES = {
    "ch10:attention": ["1x9x520x64", "2x4x77x128"],
    "ch10:attention_decode": ["1500x128x2x8x2"],
    "ch10:attention_scaling": ["700x64x1x8"],
    "ch10:batch": ["1040x520x520x2"],
    "ch10:cooperative_persistent": ["8000x3"],
    "ch10:flash_attention": ["700x64x1x8x8"],
    "ch10:flash_attn_tma_micro_pipeline": ["400x128x1x8"],
    "ch10:gpudirect_storage": ["1x16x1160x256", "1x144x1160x128"],
    "ch10:tensor_core_generations": ["1096x208x144"],
    "ch11:gemm_streams": ["2x264x520x400"],
    "ch11:priority_streams": ["200x200x300x2x3"],
    "ch11:tensor_cores_streams": ["3x264x520x400"],
    "ch11:warp_specialized_multistream": ["40x2"],
}


# Few multiprocessors: blocks that walk over their work come round more than once.
DEVICES = ("sim:h200,sms=4", "sim:b200,sms=4")


def ladders(aisp, wanted):
    """The rungs of all targets that are wanted: chapters or targets."""
    listed = subprocess.run([aisp, "bench", "list-targets", "--json"], capture_output=True, text=True, check=True)
    for target in json.loads(listed.stdout):
        if target["status"] != "built" or not {target["chapter"], target["target"]} & set(wanted):
            continue
        # A size is run in all its variants.
        quick = [size.split()[-1] for size in target["quick"]]
        sizes = list(dict.fromkeys(quick + MORE_SIZES.get(target["target"], [])))
        for rung in target["rungs"]:
            if not rung["peer"]:
                yield Rung(target["target"], rung["name"], sizes, DEVICES[rung["needs"] == "sm_100a"])


def run(aisp, rung, size, limit=120, watched=True, **environment):
    """One size of a rung on the simulator: its numbers alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "findings").mkdir()
        settings = {"AISP_HOME": folder, "AISP_SIM_THREADS": "1", **environment}
        if watched:
            settings["AISP_SIM_HAZARDS"] = str(path / "findings")
        else:
            settings["AISP_SIM_LIST_SYNC"] = str(path / "list")
        command = [aisp, "bench", "run", "--validate", "--targets", rung.target, "--sizes", size, "--rungs", rung.name,
                   "--device", rung.device, "--time-limit", str(limit), "--format", "json", "--out", str(path / "runs")]
        begun = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=10 * limit + 60,
                              env={**CLEAN, **settings})
        seconds = time.monotonic() - begun
        log = "".join(file.read_text(errors="replace") for file in sorted(path.glob("runs/*/worker.log")))
        lines = (path / "list").read_text().splitlines() if (path / "list").exists() else []
        findings = [json.loads(line) for file in (path / "findings").iterdir() for line in file.read_text().splitlines()]
    rows = json.loads(done.stdout)["rows"] if done.stdout else []
    wrong = [f"{row['status']}: {row.get('reason', '')}" for row in rows if row["status"] not in ("checked", "skipped")]
    if not rows:
        wrong = [f"exit {done.returncode}: {done.stderr}"]
    if rows and all(row["status"] == "skipped" for row in rows):
        wrong = [f"skipped: {rows[0].get('reason', '')}"]
    if not watched and not wrong and not any(line.startswith("(launched)\t") for line in lines):
        wrong = ["launched nothing that could be mutated"]
    rules = [finding["rule"] for finding in findings if finding.get("severity") in ("error", "formal")]
    return Outcome(wrong, rules, log, points_of(lines), seconds, done.returncode)


def points_of(lines):
    """Once each: a module is loaded by every process of a run. Of the kernels that ran, none of the others in a module."""
    fields = [line.split("\t") for line in lines]
    launched = {field[4] for field in fields if field[0] == "(launched)"}
    points = {}
    for kernel, index, ptx_line, chain, text in fields:
        if kernel in launched:
            points[kernel, index] = Point(kernel, int(index), int(ptx_line), chain.split(" < "), text)
    return list(points.values())


def mutants_of(points, relative, sizes_of):
    """One for each chain of source lines and instruction: unrolled copies and instances of a template are one.

    `sizes_of`: the sizes that launch a kernel, quickest first."""
    mutants = {}
    for point in sorted(points, key=lambda one: (one.kernel, one.index)):
        source = [relative(place) for place in point.chain]
        mutant = mutants.setdefault((*source, opcode(point.text)), {"source": source, "text": point.text, "copies": []})
        copy = {"kernel": point.kernel, "index": point.index, "ptx_line": point.ptx_line}
        if not any(one["kernel"] == point.kernel and one["index"] == point.index for one in mutant["copies"]):
            mutant["copies"].append({**copy, "sizes": sizes_of[point.kernel]})
    return list(mutants.values())


def opcode(text):
    return next(word for word in text.split() if not word.startswith("@"))
