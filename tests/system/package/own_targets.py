"""Targets of one's own, out of this tree: `aisp new project` writes examples/own_targets elsewhere, and exactly the commands
that it prints install the package, build the module against it, and run it on the simulator with all that a chapter has.
Then its kernel is made slower, wrong and racy, and each must be seen.

    own_targets.py CMAKE BUILD NVCC EXAMPLE
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

from installed import run

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
    def __init__(self, cmake, built, example, scratch):
        # A blank in the path: what is printed has to be quoted.
        self.source, self.runs = scratch / "my kernels" / "mine", scratch / "runs"
        self.source.parent.mkdir()
        self.build = self.source / "build"
        self.cmake, self.aisp = cmake, self.build / "aisp/bin/aisp"
        self.run_printed_commands(run(built / "bin/aisp", "new", "project", self.source))
        if not same_files(example, self.source):
            sys.exit(f"{self.source} is not {example} with other names")
        self.rung = self.source / "targets/axpy/four_each.cu"
        self.good = self.rung.read_text()

    def run_printed_commands(self, printed):
        """As somebody pastes them into a shell, with no GPU to be found."""
        commands = printed[printed.index("\n\n") + 2:]
        said = run("bash", "-e", "-c", commands, environment={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        expect(said, "mine:axpy")
        expect(said, "nothing found")
        expectations = self.source / "targets/expectations_h200-simulated.json"
        expect(said, f"4 times with their counts written to {expectations}")
        expect(said, "100% tests passed")
        expectations.unlink()  # of a device with more multiprocessors than the tests below use
        shutil.rmtree(self.source / "runs")

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


def same_files(example, source):
    """Everything of the example is there as it is: its own names are the ones that were asked for."""
    return all((source / file.relative_to(example)).read_text() == file.read_text()
               for file in example.rglob("*") if file.is_file() and file.suffix != ".json")


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
    os.environ["PATH"] = f"{pathlib.Path(cmake).parent}:{os.environ['PATH']}"
    os.environ["CUDA_HOME"] = str(pathlib.Path(nvcc).parents[1])  # that of this build
    os.environ.pop("AISP_SIM_LIBRARY", None)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder).resolve()
        os.environ["AISP_HOME"] = str(scratch / "home")
        project = Project(cmake, pathlib.Path(build), pathlib.Path(example).resolve(), scratch)
        check_good(project)
        check_spoiled(project)


main()
