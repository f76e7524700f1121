"""Ranks under a real mpirun, on simulated GPUs: sums over MPI and over the fake NCCL, ranks that die, hang, babble or are
of another version, and that nothing is left behind whoever is killed.

    mpi.py AISP AISP_COMM_TEST FAKE_NCCL [--kills N]

`--kills N`: N runs, in each of which a process is killed at some moment; 1 unless AISP_TEST_SWEEPS=full, else 20."""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweep

import jobs
from jobs import expect, found

parser = argparse.ArgumentParser()
parser.add_argument("aisp")
parser.add_argument("program")
parser.add_argument("fake_nccl")
parser.add_argument("--kills", type=int, default=20 if sweep.is_full() else 1)
given = parser.parse_args()

RANKS = 4
DEVICE = f"sim:h200,sms=2,gpus={RANKS}"
LONG = f"24x20011x64x{RANKS}"  # seconds, so that there is a middle
simulator = pathlib.Path(given.aisp).resolve().parent.parent / "lib/sim/libcudart.so.13"
# Of one machine, which has fewer cores than there are ranks; its tests may run as root.
mpirun = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n"]
allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def shared_memory():
    return {path.name for path in pathlib.Path("/dev/shm").iterdir()}


class Job:
    """A run of aisp by mpirun."""

    def __init__(self, name, target, sizes, *options, **environment):
        self.name, self.mark = name, f"AISP_TEST_MARK={name.replace(' ', '_')}-{os.getpid()}"
        self.folder = tempfile.TemporaryDirectory()
        self.memory, self.meetings = shared_memory(), jobs.meetings()
        line = [*mpirun, str(RANKS), *jobs.command(given.aisp, target, DEVICE, "--sizes", sizes, *options), "--out",
                self.folder.name]
        self.process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **allowed, "AISP_HOME": self.folder.name, **environment, **dict([self.mark.split("=")])})

    def ranks(self):
        return jobs.wait_for_ranks(self.mark, RANKS - 1)

    def end(self):
        out, err = self.process.communicate(timeout=120)
        jobs.expect_gone(self.name, self.mark, 20)
        jobs.expect_only(f"{self.name}: shared memory", self.memory, shared_memory)
        jobs.expect_only(f"{self.name}: sockets", self.meetings, jobs.meetings)
        self.folder.cleanup()
        return jobs.rows_of(out), err


def run(name, target, sizes, status, words, *options, disturb=None, **environment):
    job = Job(name, target, sizes, *options, **environment)
    if disturb:
        job.ranks()
        time.sleep(0.3)
        disturb(job)
    job.process.wait(timeout=120)
    traces = [json.loads(path.read_text()) for path in pathlib.Path(job.folder.name).glob("*/traces/*.json")]
    rows, errors = job.end()
    if "--trace" in options:
        expect_together(name, traces)
    if not rows:
        found.append(f"{name}: no rows: {errors}")
    expect(name, rows[:1] if disturb else rows, status, words)
    return rows


def expect_together(name, traces):
    """All ranks on one time line, which come to the end of the start line at the same time."""
    if len(traces) != 2:
        found.append(f"{name}: {len(traces)} traces")
    for trace in traces:
        events = trace["traceEvents"]
        names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        if sorted(names.values()) != ["host"] + [f"rank {rank}: simulated GPU {rank}" for rank in range(1, RANKS)] + ["simulated GPU 0"]:
            found.append(f"{name}: processes {names}")
        ends = {}
        for event in events:
            if event["ph"] == "X" and event["ts"] < 0:
                found.append(f"{name}: {event}")
            if event["ph"] == "X" and event["args"].get("range") == "start line":
                ends[event["pid"]] = max(ends.get(event["pid"], 0), event["ts"] + event["dur"])
        if len(ends) != RANKS or max(ends.values()) - min(ends.values()) > 1e-3:
            found.append(f"{name}: the start line ends at {ends}")


def program(name, passed, ranks=RANKS, **environment):
    """A test of the program under mpirun, whose every rank is simulated."""
    done = subprocess.run(
        [*mpirun, str(ranks), given.program, f"--gtest_filter=UnderMpi.DISABLED_{name}", "--gtest_also_run_disabled_tests", "--gtest_color=no"],
        capture_output=True, text=True, timeout=120,
        env={**os.environ, **allowed, "LD_PRELOAD": str(simulator), "AISP_SIM_DEVICE": f"h200,sms=2,gpus={ranks}", **environment})
    if done.returncode or done.stdout.count("[  PASSED  ] 1 test") != passed:
        found.append(f"{name}: exit {done.returncode}: {done.stdout[-6000:]} {done.stderr[-2000:]}")


def stop_rank(job):
    os.kill(job.ranks()[0], signal.SIGSTOP)


def kill_rank(job):
    os.kill(job.ranks()[-1], signal.SIGKILL)


program("RanksSumAndExchange", RANKS)
program("AnotherNumberOfBytesIsNamed", 2, ranks=2)
program("ARelayCarriesWork", 1)
program("ARelayCarriesWork", 1, AISP_TEST_ODD_VERSION="1")

run("traced", "distributed_streams_staged", f"3x517x4x{RANKS}", "measured", "staged on the host over Open MPI ", "--trace")
run("nccl", "distributed_streams_nccl", f"3x517x4x{RANKS}", "measured", f"NCCL 2.28.3, {RANKS} ranks as processes",
    AISP_NCCL_LIBRARY=given.fake_nccl)
run("another number", "distributed_streams_staged", "3x517x4x2", "skipped", "has started 4 ranks, this size has 2")
run("killed", "distributed_streams_staged", LONG, "failed", ": was killed by SIGKILL (Killed)", disturb=kill_rank)
run("hangs", "distributed_streams_staged", LONG, "failed", " has not answered for 3 s", disturb=stop_rank, AISP_RANK_PATIENCE="3")

chance = random.Random(20261117)
for number in range(given.kills):
    job = Job(f"kill {number}", "distributed_streams_staged", LONG)
    if chance.random() < 0.8:
        job.ranks()
    time.sleep(chance.random() * 2)
    processes = [one for one in jobs.marked(job.mark) if one != job.process.pid]  # mpirun may tidy up
    if processes:
        victim = chance.choice(sorted(processes))
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.end()

print("\n".join(found) or f"ranks under mpirun: right, named when they are lost, and gone when they should be; "
      + sweep.stated(given.kills, 20, "kills"))
sys.exit(1 if found else 0)
