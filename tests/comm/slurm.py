"""A Slurm cluster of two nodes on this machine, for as long as a test takes: munge, slurmctld and two slurmd under names
of their own, in a folder that goes with them. Then ranks of aisp started by srun over both.

    slurm.py AISP FAKE_NCCL

Needs what `./setup slurm` installs. Slurm asks for root to be several nodes on one machine."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import jobs
from jobs import expect, found

NODES = ["aisp0", "aisp1"]
RANKS = 4


def free_ports(count):
    taken = [socket.socket() for _ in range(count)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


class Cluster:
    """Its daemons end with it."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        folder.chmod(0o755)
        controller, *nodes = free_ports(1 + len(NODES))
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 21
        self.socket = folder / "munge" / "socket"
        self.configuration = folder / "slurm.conf"
        host = socket.gethostname()
        for name in ("munge", "state", *NODES):
            (folder / name).mkdir(mode=0o755)
        for name in NODES:  # two nodes that share a machine do not share PMIx's folder
            (folder / name / "tmp").mkdir(mode=0o777)
        key = folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        lines = f"""ClusterName=aisp
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.socket}
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
TmpFS={folder}/%n/tmp
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=pmix
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdParameters=config_overrides
"""
        for name, port in zip(NODES, nodes):
            lines += f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={RANKS} RealMemory={memory} State=UNKNOWN\n"
        lines += f"PartitionName=all Nodes={','.join(NODES)} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8\n"
        self.configuration.write_text(lines)
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration)}

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_all(self):
        self.start("munged", "--foreground", "--force", f"--socket={self.socket}", f"--key-file={self.folder}/munge/key",
                   f"--pid-file={self.folder}/munge/pid", f"--log-file={self.folder}/munge/log",
                   f"--seed-file={self.folder}/munge/seed")
        self.until(self.socket.exists, "munged has no socket")
        self.start("slurmctld", "-D", "-f", str(self.configuration))
        for name in NODES:
            self.start("slurmd", "-D", "-N", name, "-f", str(self.configuration))
        self.until(self.ready, "the nodes are not idle")

    def start(self, *words):
        log = (self.folder / f"{words[0]}{len(self.daemons)}.out").open("w")
        self.daemons.append(subprocess.Popen(words, stdout=log, stderr=log, env=self.environment))

    def until(self, done, problem):
        deadline = time.monotonic() + 60
        while not done():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{problem}: {self.logs()}")
            time.sleep(0.2)

    def ready(self):
        shown = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %T"], capture_output=True, text=True, env=self.environment)
        return sorted(shown.stdout.split("\n")[:-1]) == [f"{name} idle" for name in NODES]

    def logs(self):
        return "\n".join(f"{path.name}: {path.read_text(errors='replace')[-1500:]}"
                         for path in sorted(self.folder.glob("*.*")) if path.suffix in (".log", ".out"))

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(timeout=15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def srun(cluster, name, target, sizes, status, words, kills=False, **environment):
    mark = f"AISP_TEST_MARK=slurm_{name}-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.Popen(
            ["srun", "--mpi=pmix", "--nodes=2", f"--ntasks={RANKS}", "--overcommit",
             *jobs.command(aisp, target, f"sim:h200,sms=2,gpus={RANKS}", "--sizes", sizes), "--out", folder],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Open MPI names its shared memory by machine: nodes that share one speak TCP, as those that do not.
            env={**cluster.environment, "OMPI_MCA_btl": "tcp,self", "AISP_HOME": folder, **environment,
                 **dict([mark.split("=")])})
        if kills:
            os.kill(jobs.wait_for_ranks(mark, RANKS - 1)[-1], signal.SIGKILL)
        out, err = job.communicate(timeout=180)
    rows = jobs.rows_of(out)
    if not rows:
        found.append(f"{name}: no rows, exit {job.returncode}: {out} {err} {cluster.logs()}")
    expect(name, rows[:1] if kills else rows, status, words)
    jobs.expect_gone(name, mark, 20)


aisp, fake_nccl = (str(pathlib.Path(given).resolve()) for given in sys.argv[1:])
missing = [program for program in ("munged", "slurmctld", "slurmd", "srun") if shutil.which(program) is None]
if missing or os.getuid() != 0:
    print(f"slurm.py: {'needs root' if not missing else 'no ' + ', '.join(missing)}; ./setup slurm installs what is missing", file=sys.stderr)
    sys.exit(4)
with tempfile.TemporaryDirectory(prefix="aisp-slurm-") as folder:
    with Cluster(pathlib.Path(folder)) as cluster:
        shown = subprocess.run(["srun", "--nodes=2", "--ntasks=2", "sh", "-c", "echo $SLURMD_NODENAME"], capture_output=True,
                               text=True, timeout=60, env=cluster.environment)
        if sorted(shown.stdout.split()) != NODES:
            found.append(f"two nodes: {shown.stdout} {shown.stderr} {cluster.logs()}")
        srun(cluster, "staged", "distributed_streams_staged", f"3x517x4x{RANKS}", "measured", "staged on the host over Open MPI ")
        srun(cluster, "nccl", "distributed_streams_nccl", f"3x517x4x{RANKS}", "measured",
             f"NCCL 2.28.3, {RANKS} ranks as processes", AISP_NCCL_LIBRARY=fake_nccl)
        srun(cluster, "killed", "distributed_streams_staged", f"24x20011x64x{RANKS}", "failed", ": was killed by SIGKILL (Killed)",
             kills=True)
    if left := [daemon.args[0] for daemon in cluster.daemons if daemon.poll() is None]:
        found.append(f"still running: {left}")

print("\n".join(found) or f"{RANKS} ranks by srun on two nodes: right, and gone when they should be")
sys.exit(1 if found else 0)
