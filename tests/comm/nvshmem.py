"""ch14:one_sided_exchange with NVSHMEM, whose ranks are shared out among processes: right with one, two and four of them,
named where it is missing or says no, and gone when one of them dies. NVSHMEM is the fake one of this folder."""

import os
import pathlib
import subprocess
import sys
import tempfile

import jobs
from jobs import found

aisp, fake = (str(pathlib.Path(given).resolve()) for given in sys.argv[1:])
simulator = str(pathlib.Path(aisp).parent.parent / "lib/sim/libcudart.so.13")
TARGET, HALO = "ch14:one_sided_exchange", "one_sided_exchange_halo"
IN_KERNEL, ON_STREAM = "nvshmem_in_kernel", "nvshmem_on_stream"
SMALL = ("--sizes", "9x40x4x2", "--validate")


def device(gpus):
    return f"sim:h200,sms=8,gpus={gpus}"


def run(name, words, launcher_ranks=0, **environment):
    """The ended process. Everything that was started must be gone soon after."""
    mark = f"AISP_TEST_MARK={name}-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        base = {**os.environ, "AISP_NVSHMEM_LIBRARY": fake, "AISP_HOME": folder, **dict([mark.split("=")]), **environment}
        base = {key: value for key, value in base.items() if value is not None}
        rank = lambda number: {"OMPI_COMM_WORLD_RANK": str(number), "OMPI_COMM_WORLD_SIZE": str(launcher_ranks),
                               "OMPI_COMM_WORLD_LOCAL_SIZE": str(launcher_ranks), "PMIX_NAMESPACE": mark}
        there = {"LD_PRELOAD": simulator, "AISP_SIM_DEVICE": "h200,sms=8"}
        others = [subprocess.Popen(words, env={**base, **rank(number), **there}) for number in range(1, launcher_ranks)]
        first = {**base, **rank(0)} if launcher_ranks else base
        done = subprocess.run([*words, *(["--out", folder] if "bench" in words else [])], capture_output=True, text=True,
                              timeout=60, env=first)
        codes = [other.wait(timeout=30) for other in others]
    if any(codes):
        found.append(f"{name}: the launcher's other ranks ended with {codes}")
    jobs.expect_gone(name, mark)
    return done


def rows(name, gpus, options, rungs=f"{IN_KERNEL},{ON_STREAM}", target=TARGET, **more):
    done = run(name, jobs.command(aisp, target, device(gpus), "--rungs", rungs, *options), **more)
    got = jobs.rows_of(done.stdout)
    if "after its rows" in done.stderr:
        found.append(f"{name}: {done.stderr}")
    if not got:
        found.append(f"{name}: no rows, exit {done.returncode}: {done.stderr}")
    return got


def expect(name, got, status, words, count=None):
    for row in got:
        text = f"{row.get('note', '')} {row.get('reason', '')}"
        if row["status"] != status or words not in text:
            found.append(f"{name}: {row['entry']} {row['rung']}: {row['status']}: {text}, wanted {status} and '{words}'")
    if count is not None and len(got) != count:
        found.append(f"{name}: {len(got)} rows, wanted {count}")


def says(name, done, code, words):
    if done.returncode != code or words not in done.stdout + done.stderr:
        found.append(f"{name}: exit {done.returncode}: {done.stdout[-1500:]} {done.stderr}, wanted {code} and '{words}'")


# Right: against float64, and the bytes of the baseline, at all quick sizes. The five sizes have 4, 2, 1, 4 and 2 ranks.
for gpus in (1, 2, 4):
    got = rows(f"{gpus} devices", gpus, ["--quick", "--validate"], rungs=f"staged,{IN_KERNEL},{ON_STREAM}",
               AISP_FAKE_NVSHMEM_STRICT="1")
    for ranks, wanted in ((4, 6), (2, 6), (1, 3)):
        pes = min(ranks, gpus)
        here = [row for row in got if row["entry"].endswith(f"x{ranks}")]
        expect(f"{gpus} devices", [row for row in here if row["rung"] != "staged"], "checked",
               f"{ranks} rank{'s' * (ranks > 1)} with NVSHMEM v3.4.5 (fake), {pes} PE{'s' * (pes > 1)}")
        expect(f"{gpus} devices", here, "checked", "", wanted)
expect("timed", rows("timed", 2, ["--quick", "--iterations", "2"], target=HALO), "measured", "NVSHMEM v3.4.5 (fake)", 6)
for order in ("latest", "random"):
    expect(order, rows(order, 2, ["--quick", "--validate"], AISP_SIM_ORDER=order, AISP_SIM_SEED="3"), "checked", "NVSHMEM", 10)
expect("launcher", rows("launcher", 1, SMALL, target=HALO, launcher_ranks=2), "checked", "2 PEs", 2)
expect("PE without a rank", rows("PE without a rank", 1, ("--sizes", "9x40x4x1", "--validate"), target=HALO, launcher_ranks=2),
       "checked", "1 rank with NVSHMEM v3.4.5 (fake), 2 PEs", 2)
expect("graph", rows("graph", 1, ("--sizes", "9x40x4x2", "--timer", "graph"), IN_KERNEL, HALO), "measured", "1 PE", 1)
expect("captured", rows("captured", 2, ("--sizes", "9x40x4x2", "--timer", "graph"), IN_KERNEL, HALO), "failed",
       "needs --timer events", 1)

# A signal that comes before what it stands for is seen.
expect("signals too early", rows("signals too early", 2, SMALL, ON_STREAM, HALO, AISP_FAKE_NVSHMEM_EARLY="1"), "wrong", "", 1)

# PEs that take turns on a GPU meet on the host, and cannot wait in a stream.
turns = {"AISP_FAKE_NVSHMEM_STATUS": "3"}
expect("turns", rows("turns", 2, SMALL, IN_KERNEL, HALO, **turns), "checked", "2 PEs that take turns on a GPU", 1)
expect("no waits in turns", rows("no waits in turns", 2, SMALL, ON_STREAM, HALO, **turns), "skipped", "streams cannot wait", 1)

# What the library says no to.
for name, gpus, words, environment in (
        ("start", 1, "NVSHMEM does not start PE 0 of 1: nvshmemx_hostlib_init_attr failed with 7", {"AISP_FAKE_NVSHMEM_INIT": "7"}),
        ("unfinished start", 1, "its state is that of an unfinished start, 1", {"AISP_FAKE_NVSHMEM_STATUS": "1"}),
        ("heap", 1, "NVSHMEM_SYMMETRIC_SIZE makes its heap larger", {"AISP_FAKE_NVSHMEM_HEAP": "1000"}),
        ("apart", 2, "do not reach the memory of PE", {"AISP_FAKE_NVSHMEM_APART": "1"})):
    for row in rows(name, gpus, SMALL, IN_KERNEL, HALO, **environment):
        # The other PE may be refused first, which is a failure of this one.
        if words not in row.get("reason", "") or row["status"] not in ("skipped", "failed")[:gpus]:
            found.append(f"{name}: {row['status']}: {row.get('reason')}, wanted '{words}'")
# Dead while memory is made, before a run, and when the others' kernels and streams have waited for it.
for barrier in (0, 1, 2):
    for rung in (IN_KERNEL, ON_STREAM):
        name = f"{rung} killed at {barrier}"
        expect(name, rows(name, 2, SMALL, rung, HALO, AISP_FAKE_NVSHMEM_KILL=f"1:{barrier}"), "failed",
               "rank 1 was killed by SIGKILL", 1)

# What the machine lacks is named with what was looked for and the way out; where nothing else is to run that is exit 4.
absent = {"AISP_NVSHMEM_LIBRARY": "/no/libnvshmem_host.so.3"}
no_library = "no NVSHMEM: /no/libnvshmem_host.so.3: cannot open"
beside = rows("no library", 1, SMALL, f"staged,{IN_KERNEL}", HALO, **absent)
expect("no library", [row for row in beside if row["rung"] == "staged"], "checked", "", 1)
expect("no library", [row for row in beside if row["rung"] != "staged"], "skipped", no_library, 1)
only = jobs.command(aisp, HALO, device(1), "--rungs", ON_STREAM, *SMALL)
says("no library alone", run("no library alone", only, **absent), 4, no_library)
says("way out", run("way out", only, **absent), 4, "or name its libnvshmem_host.so.3 in AISP_NVSHMEM_LIBRARY")
says("another library", run("another library", only, AISP_NVSHMEM_LIBRARY="libm.so.6"), 4,
     "no NVSHMEM: libm.so.6 has no nvshmem_info_get_name")
says("doctor", run("doctor", [aisp, "doctor"]), 0, f"NVSHMEM v3.4.5 (fake) at {fake}")
says("doctor without", run("doctor without", [aisp, "doctor"], **absent), 0, f"note     NVSHMEM      {no_library}")

# Where the wheels of a user's Python are it is found; what is found, and not named, runs on no simulator.
with tempfile.TemporaryDirectory() as home:
    place = pathlib.Path(home) / ".local/lib/python3.99/site-packages/nvidia/nvshmem/lib/libnvshmem_host.so.3"
    place.parent.mkdir(parents=True)
    place.symlink_to(fake)
    wheel = {"AISP_NVSHMEM_LIBRARY": None, "HOME": home}
    says("wheel", run("wheel", [aisp, "doctor"], **wheel), 0, f"NVSHMEM v3.4.5 (fake) at {place}")
    expect("simulated", rows("simulated", 1, SMALL, target=HALO, **wheel), "skipped", "NVSHMEM needs a GPU; this run is simulated", 2)

print("\n".join(found) or "ranks as PEs of NVSHMEM: right, named where they cannot be, and gone when they should be")
sys.exit(1 if found else 0)
