"""Targets of one's own, out of this tree: examples/own_targets is copied away, built against the installed package, and
run on its simulator with all that a chapter has. Then its kernel is made slower, wrong and racy, and each must be seen.

    own_targets.py CMAKE BUILD NVCC EXAMPLE
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

from installed import build_project, install, run

# What of four_each.cu is replaced by what.
SLOWER = {"  if (first + 4 <= count) {": "  if (first + 4 <= count && count < 0) {",  # element by element
          "i < count; ++i": "i < count && i < first + 4; ++i"}
STORE = "    reinterpret_cast<float4*>(z)[vector] =\n"
EXCHANGE = """    __shared__ float seen[mine::axpy_threads];
    seen[threadIdx.x] = a.x;
    if (seen[mine::axpy_threads - 1 - threadIdx.x] == 77.0f) return;
"""  # written by another warp, and nobody waited
WRONG_AND_RACING = {"mine::axpy_factor * a.w + b.w": "mine::axpy_factor * a.w + b.z", STORE: EXCHANGE + STORE}


class Project:
    def __init__(self, cmake, nvcc, prefix, example, scratch):
        self.cmake, self.aisp = cmake, prefix / "bin/aisp"
        self.source, self.build, self.runs = scratch / "mine", scratch / "build", scratch / "runs"
        shutil.copytree(example, self.source)
        build_project(cmake, nvcc, prefix, self.source, self.build)
        self.rung = self.source / "targets/axpy/four_each.cu"
        self.good = self.rung.read_text()

    def spoil(self, change):
        text = self.good
        for before, after in change.items():
            if before not in text:
                sys.exit(f"{self.rung.name} has no '{before}' to spoil")
            text = text.replace(before, after)
        self.rung.write_text(text)
        run(self.cmake, "--build", self.build)

    def bench(self, *words, code=0):
        return run(self.aisp, "bench", "run", "--quick", "--device", "sim:h200,sms=4", "--load", self.build / "libmine.so",
                   "--targets", "mine", "--out", self.runs, *words, codes=(code,), folder=self.source)

    def check(self, code):
        return run(self.aisp, "check", "--device", "h200,sms=4", "--load", self.build / "libmine.so", "--targets", "mine",
                   codes=(code,), folder=self.source)


def expect(text, part):
    if part not in text:
        sys.exit(f"no '{part}' in:\n{text}")


def check_good(project):
    written = project.bench("--trace", "--update-expectations")
    expectations = project.source / "targets/expectations_h200-simulated.json"
    expect(written, f"4 times with their counts written to {expectations}")
    expect(written, "good: 4 rows: 4 simulated")
    entries = json.loads(expectations.read_text())["entries"]
    fewer = entries["mine:axpy/100003"]
    if not fewer["four_each"]["median_ms"] < fewer["one_each"]["median_ms"]:
        sys.exit(f"four_each should be counted shorter: {fewer}")
    traces = list(project.runs.glob("*/traces/*.json"))
    if len(traces) != 4:
        sys.exit(f"4 traces wanted: {traces}")
    expect(project.bench(), "good: 4 rows: 4 simulated")
    expect(project.check(0), "nothing found")
    listed = run(project.aisp, "bench", "list-targets", "--load", project.build / "libmine.so", "--chapter", "mine")
    expect(listed, "mine:axpy")
    expect(run(project.aisp, "history", "mine:axpy", "--load", project.build / "libmine.so", "--out", project.runs),
           "mine:axpy/100003")
    run("ctest", "--test-dir", project.build, "--output-on-failure")


def check_spoiled(project):
    project.spoil(SLOWER)
    slower = project.bench(code=1)
    expect(slower, "mine:axpy/100003 four_each: regression, ")
    expect(slower, "instructions ")  # each count that grew is named
    project.spoil(WRONG_AND_RACING)
    expect(project.bench("--validate", code=3), "mine:axpy/100003 four_each: wrong: ")
    found = project.check(3)
    expect(found, "axpy_four_each")
    expect(found, "four_each.cu:")
    expect(found, "--load")  # the command that shows it again


def main():
    cmake, build, nvcc, example = sys.argv[1:]
    os.environ.pop("AISP_SIM_LIBRARY", None)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder).resolve()
        os.environ["AISP_HOME"] = str(scratch / "home")
        project = Project(cmake, nvcc, install(cmake, build, scratch), pathlib.Path(example).resolve(), scratch)
        check_good(project)
        check_spoiled(project)


main()
