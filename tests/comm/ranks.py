"""ch11:distributed_streams with its ranks on several simulated devices, and as processes: started by aisp, found under
a launcher, killed, missing. NCCL is the fake one of this folder."""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

import jobs
from jobs import expect, found

aisp, fake_nccl = sys.argv[1:]
simulator = str(pathlib.Path(aisp).resolve().parent.parent / "lib/sim/libcudart.so.13")
THREE = "3x517x4x3"


def knock(job, over):
    """A stranger of the same user who knows the names of the meetings, and says what ranks and others might."""
    lines = [b"-7", b"x", b"1", b"rank 1 -", b"rank 2 " + 32 * b"0", b"done", b"error", 5000 * b"a", b""]
    while not over.is_set():
        for meeting in ("", "-work"):
            for line in lines:
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
                    try:
                        door.connect(f"\0aisp-{os.getuid()}-{job}{meeting}")
                        door.send(line)
                    except OSError:  # nobody waits there now, or has closed it already
                        time.sleep(0.01)


def run(name, words, environment, launcher_ranks=0, strangers=False):
    """Rows of the run; everything that is started must be gone soon after."""
    mark = f"AISP_TEST_MARK={name}-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        base = {**os.environ, "AISP_HOME": folder, **environment, **dict([mark.split("=")])}
        rank = lambda number: {"OMPI_COMM_WORLD_RANK": str(number), "OMPI_COMM_WORLD_SIZE": str(launcher_ranks),
                               "OMPI_COMM_WORLD_LOCAL_SIZE": str(launcher_ranks), "PMIX_NAMESPACE": mark}
        # A launcher's ranks other than 0 take the device that they find.
        there = {"LD_PRELOAD": simulator, "AISP_SIM_DEVICE": "h200,sms=2,gpus=3"}
        others = [subprocess.Popen(words, env={**base, **rank(number), **there}) for number in range(1, launcher_ranks)]
        first = {**base, **rank(0)} if launcher_ranks else base
        over = threading.Event()
        if strangers:
            threading.Thread(target=knock, args=(mark, over), daemon=True).start()
        done = subprocess.run([*words, "--out", folder], capture_output=True, text=True, timeout=120, env=first)
        codes = [other.wait(timeout=30) for other in others]
        over.set()
    if strangers and "at the door of the ranks" not in done.stderr:
        found.append(f"{name}: no stranger was refused: {done.stderr}")
    rows = jobs.rows_of(done.stdout)
    if any(codes):
        found.append(f"{name}: the launcher's other ranks ended with {codes}")
    jobs.expect_gone(name, mark)
    if not rows:
        found.append(f"{name}: no rows, exit {done.returncode}: {done.stderr}")
    return rows


def with_nccl(name, status, words, sizes=THREE, device="sim:h200,sms=2,gpus=3", launcher_ranks=0, options=(), strangers=False,
              **environment):
    line = jobs.command(aisp, "distributed_streams_nccl", device, "--sizes", sizes, *options)
    rows = run(name, line, {"AISP_NCCL_LIBRARY": fake_nccl, **environment}, launcher_ranks, strangers)
    expect(name, rows, status, words)


devices = run("devices", jobs.command(aisp, "distributed_streams_peer", "sim:h200,sms=4,gpus=4", "--quick"), {})
expect("devices", devices, "measured", "peer ring")
if not any("3 ranks on 3 devices" in row.get("note", "") for row in devices):
    found.append(f"devices: no row with 3 ranks on 3 devices: {[row.get('note') for row in devices]}")
graph = run("graph", jobs.command(aisp, "distributed_streams_peer", "sim:h200,sms=4,gpus=4", "--quick", "--timer", "graph"), {})
expect("graph", graph, "measured", "peer ring")

expect("simulated", run("simulated", jobs.command(aisp, "distributed_streams_nccl", "sim", "--quick"), {}), "skipped",
       "NCCL needs a GPU; this run is simulated")
with_nccl("no library", "skipped", "no NCCL: /no/libnccl.so.2: cannot open", AISP_NCCL_LIBRARY="/no/libnccl.so.2")
with_nccl("one rank", "measured", "NCCL 2.28.3, 1 rank", "3x517x4x1")
with_nccl("two ranks", "measured", "NCCL 2.28.3, 2 ranks as processes", "3x517x4x2")
with_nccl("three ranks", "measured", "NCCL 2.28.3, 3 ranks as processes")
with_nccl("too many", "skipped", "3 ranks, 2 GPUs", device="sim:h200,sms=2,gpus=2")
with_nccl("captured", "failed", "needs --timer events", options=("--timer", "graph"))
# The third collective is within the first checked step.
with_nccl("killed", "failed", "rank 2 was killed by SIGKILL", AISP_FAKE_NCCL_KILL="2:3")
# The fourth wait of a rank process is that of its second sum for the backward pass of its bucket.
with_nccl("sums too early", "wrong", "check before timing", options=("--validate", "--rungs", "sum_during_backward"),
          AISP_SIM_DROP_WAIT="4")
staged = run("staged", jobs.command(aisp, "distributed_streams_staged", "sim:h200,sms=2,gpus=2", "--sizes", THREE), {})
expect("staged", staged, "measured", "staged on the host over sockets, 3 ranks as processes")
replayed = run("staged graph", jobs.command(aisp, "distributed_streams_staged", "sim:h200,sms=2,gpus=2", "--sizes", THREE,
                                            "--timer", "graph"), {})
expect("staged graph", replayed, "measured", "staged on the host over sockets, 3 ranks as processes")
with_nccl("launcher", "measured", "NCCL 2.28.3, 3 ranks as processes", launcher_ranks=3)
with_nccl("launcher and strangers", "measured", "NCCL 2.28.3, 3 ranks as processes", launcher_ranks=3, strangers=True)
# Ranks that a script stands before have another parent each: they need the secret.
with_nccl("launcher with a secret", "measured", "NCCL 2.28.3, 3 ranks as processes", launcher_ranks=3,
          AISP_WORLD_SECRET=32 * "a")
with_nccl("launcher of two", "skipped", "the launcher has started 2 ranks, this size has 3", launcher_ranks=2)

print("\n".join(found) or "ranks on devices and as processes: right, and gone when they should be")
sys.exit(1 if found else 0)
