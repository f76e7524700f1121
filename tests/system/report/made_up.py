"""Runs as `aisp bench run` writes them, made up: every kind of record, hostile names, thousands of rows."""

import json
import pathlib
import random
import statistics

HOSTILE = "<script>alert(1)</script>&\"'<img src=x onerror=alert(2)>"


def device(simulated=False, host="node1", hardware="h200"):
    name = "simulated H200" if simulated else "NVIDIA H200"
    record = {"kind": "device", "hardware": hardware + ("-simulated" if simulated else ""), "name": name, "driver": "580.65.06", "runtime": "13.0",
              "uuid": "GPU-" + host, "multiprocessors": 132, "major": 9, "minor": 0, "l2_bytes": 52428800, "memory_bytes": 150000000000,
              "simulated": simulated, "host": host, "system": "Linux 6.1 x86_64", "processor": "made up"}
    if not simulated:
        record["roofs"] = [{"name": "memory", "rate": 4.25e12, "operations": False}, {"name": "f32 FMA", "rate": 6e13, "operations": True},
                           {"name": "bf16 matrix", "rate": 7.9e14, "operations": True}]
    return record


class Run:
    def __init__(self, name, seed=1, simulated=False, host="node1", hardware="h200", started="2026-03-01T12:00:00Z", commit="abc1234", **header):
        self.random = random.Random(seed)
        self.name, self.simulated = name, simulated
        self.header = {"kind": "run", "schema": 1, "id": name, "started": started, "version": "0.2.0", "commit": commit,
                       "command": ["bench", "run", "--targets", "made up"], "timer": "events", "l2": "cold", "seed": 0, "iterations": 0, "warmup": 0,
                       "profile": "none", "validate": False, "time_limit": 600, "self_check": 0, "plan": [], **header}
        self.records = [device(simulated, host, hardware)]

    def entry(self, target, size, rungs, variant="bf16", dims=(1024, 1024, 1024), flops=2.1e9, bytes=6.3e6, at=None, samples=20, roof="bf16 matrix", counts=None,
              check=1.7e-3):
        """rungs: {name: median in ms}; one whose name begins with + is a peer. counts: {name: {rung: value}} of a simulated run, whose medians are
        estimates that no table and no chart may show."""
        entry = f"{target}/{size}"
        names = [name.lstrip("+") for name in rungs]
        plan = {"entry": entry, "target": target, "variant": variant, "dims": list(dims), "rungs": names}
        if at:
            plan["at"] = list(at)
        self.header["plan"].append(plan)
        self.records.append({"kind": "attempt", "entry": entry, "attempt": 1, "rungs": names, "flops": flops, "bytes": bytes, "unit": roof})
        base = None
        for given, median in rungs.items():
            rung = given.lstrip("+")
            times = [median * (1 + self.random.gauss(0, 0.01)) for _ in range(samples)]
            for index, ms in enumerate(times):
                self.records.append({"kind": "sample", "entry": entry, "rung": rung, "attempt": 1, "index": index, "ms": ms})
            self.records.append({"kind": "check", "entry": entry, "rung": rung, "when": "before", "attempt": 1, "seed": 0, "right": True, "elements": 64, "wrong": 0,
                                 "worst_ulp": 1, "relative_norm": check, "report": "", "set": 0})
            middle = statistics.median(times)
            base = base or middle
            row = {"kind": "row", "entry": entry, "rung": rung, "attempt": 1, "peer": given.startswith("+"), "status": "measured", "samples": samples,
                   "median_ms": middle, "low_ms": middle * 0.995, "high_ms": middle * 1.005, "speedup": base / middle,
                   "speedup_low": 0.99 * base / middle, "speedup_high": 1.01 * base / middle, "p_value": 1e-9}
            if self.simulated:
                # An aisp of before 0.3 wrote a speed-up and a verdict there.
                row.update(counts=[{"count": name, "value": values[rung]} for name, values in counts.items()], verdict="slower")
            else:
                row.update(verdict="same" if base == middle else "faster", roof=roof, roof_ms=0.01, roof_share=0.01 / middle)
            self.records.append(row)
        return entry

    def failed(self, target, size, rung, reason):
        entry = f"{target}/{size}"
        self.header["plan"].append({"entry": entry, "target": target, "dims": [1], "rungs": [rung]})
        self.records.append({"kind": "row", "entry": entry, "rung": rung, "attempt": 1, "peer": False, "status": "wrong", "reason": reason, "samples": 0,
                             "median_ms": 0, "low_ms": 0, "high_ms": 0, "speedup": 0, "speedup_low": 0, "speedup_high": 0, "p_value": 1})

    def trace(self, entry, rung, spans, folder, overlapped=0, at_once=1):
        """spans: (track, name, kind, start, length) in microseconds; overlapped: for how long `at_once` of them ran together."""
        tracks = list(dict.fromkeys(span[0] for span in spans))
        events = [{"ph": "M", "name": "process_name", "pid": 2, "tid": 0, "args": {"name": "GPU 0"}}]
        events += [{"ph": "M", "name": "thread_name", "pid": 2, "tid": place + 1, "args": {"name": track}} for place, track in enumerate(tracks)]
        events += [{"ph": "X", "name": name, "cat": kind, "pid": 2, "tid": tracks.index(track) + 1, "ts": start, "dur": length, "args": {}}
                   for track, name, kind, start, length in spans]
        path = pathlib.Path(folder) / self.name / "traces" / (rung + ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"displayTimeUnit": "ns", "otherData": {"title": entry, "simulated": self.simulated}, "traceEvents": events}))
        self.header["trace"] = True
        self.records.append({"kind": "trace", "entry": entry, "rung": rung, "attempt": 1, "simulated": self.simulated, "file": f"traces/{rung}.json",
                             "devices": [{"device": 0, "window_us": 60, "engines": [], "overlapped_us": overlapped, "engines_overlapped_us": 0, "most_at_once": at_once,
                                          "idle_us": 12, "gaps": 1, "longest_gap_us": 12, "ended_by": "scale on side", "waited_for": "the host"}],
                             "idle": [{"device": 0, "start_us": 30, "us": 12, "ended_by": "scale on side", "waited_for": "the host, " + HOSTILE}]})

    def profile(self, entry, rung):
        counters = {"time": 120.5, "compute throughput": 31, "memory throughput": 88, "DRAM bytes": 4.2e8, "L2 bytes": 9e8, "L1 bytes": 2e9, "tensor operations": 8e10,
                    "operations": 1e9, "achieved occupancy": 24.5}
        kernel = {"name": f"void gemm<{HOSTILE}>(float*)", "grid": [132, 1, 1], "block": [384, 1, 1], "registers": 168, "static_shared": 0, "dynamic_shared": 230000,
                  "local_bytes": 0, "us": 120.5, "limit": "shared memory", "counters": [{"counter": name, "value": value} for name, value in counters.items()],
                  "pipes": [{"name": "tensor", "percent": 45}, {"name": "fma", "percent": 12}],
                  "stalls": [{"name": "long scoreboard", "percent": 61}, {"name": "barrier", "percent": 20}, {"name": "wait", "percent": 9}],
                  "lines": [{"file": "gemm.cu", "line": 42, "text": "acc += a[i] * b[i];  // " + HOSTILE, "percent": 55, "stall": "long scoreboard"}]}
        self.records.append({"kind": "profile", "entry": entry, "rung": rung, "attempt": 1, "kernels": [kernel], "by": "ncu 2025.3.1", "bound": "It is bound by DRAM."})

    def write(self, folder):
        here = pathlib.Path(folder) / self.name
        here.mkdir(parents=True, exist_ok=True)
        end = {"kind": "end", "status": "complete", "finished": "2026-03-01T12:10:00Z", "exit": 0, "verdict": "good: made up"}
        (here / "run.jsonl").write_text("".join(json.dumps(record) + "\n" for record in [self.header, *self.records, end]))
        return here


LADDER = {"baseline": 4.0, "tiled": 1.2, "pipelined": 0.4, "+cublaslt": 0.35}


def everything(folder):
    """A measured run with everything in it, a simulated one, and older runs for the history."""
    run = Run("full")
    entry = run.entry("ch10:matmul", "bf16 1024x1024x1024", LADDER)
    run.entry("ch10:matmul", "fp8 1024x1024x1024", {"baseline": 3.0, "tiled": 0.9}, variant="fp8")
    run.entry("ch10:attention", "bf16 64x64", {"baseline": 2.0, "flash": 0.5}, flops=4e10, bytes=2e8)
    run.entry("ch09:memory_bound", "f32 1048576", {"baseline": 0.09, "vectorised": 0.02}, variant="f32", flops=3e6, bytes=2.4e7, roof="memory")
    run.entry(HOSTILE, "bf16 7", {HOSTILE: 1.0, "two": 0.5})
    run.failed("ch10:broken", "1", "baseline", "wrong at " + HOSTILE)
    run.trace(entry, "tiled", [("main", "copy", "to device", 0, 10), ("main", "gemm", "compute", 10, 20), ("side", "scale", "compute", 42, 8), ("side", HOSTILE, "to host", 50, 5)], folder)
    run.trace(entry, "pipelined", [("main", "gemm", "compute", 0, 30), ("side", "scale", "compute", 10, 30), ("side", "copy", "to host", 52, 8)], folder, overlapped=20, at_once=2)
    run.profile(entry, "pipelined")
    run.write(folder)
    simulated_run(folder, "simulated")
    sweep = Run("sweep", sweep=["N", "D"], command=["sweep", "ch10:attention", "--axis", "N=512:4096:x2", "--axis", "D=64,128"])
    for n in (512, 1024, 2048, 4096):
        for d in (64, 128):
            sweep.entry("ch10:attention", f"bf16 {n}x{d}", {"baseline": n * d / 1e5, "flash": n * d / 4e5}, dims=(n, d), at=(n, d), flops=4.0 * n * n * d, bytes=8.0 * n * d,
                        samples=5, roof="memory" if n < 2048 else "bf16 matrix")
    sweep.write(folder)


def simulated_run(folder, name, more=1.0):
    """Estimated times that contradict the idea: what the optimised rung gains is in its counts alone, or in none."""
    run = Run(name, simulated=True)
    tiling = {"naive": 0.0104, "shared_tile": 0.0221, "micro_tiles": 0.0387, "cp_async_ring": 0.0400}
    counts = {"launches": dict.fromkeys(tiling, 1), "instructions": {rung: 1e6 * more for rung in tiling},
              "distinct bytes": dict.fromkeys(tiling, 49152), "wavefronts": dict.fromkeys(tiling, 12480), "bank conflicts": dict.fromkeys(tiling, 256),
              "tensor operations": dict.fromkeys(tiling, 100663296), "waits": dict.fromkeys(tiling, 63), "overlap": dict.fromkeys(tiling, 0),
              "L2 bytes": {"naive": 1048576, "shared_tile": 262144, "micro_tiles": 262144 * more, "cp_async_ring": 131072}}  # at the end
    entry = run.entry("ch09:micro_tiling_matmul", "64x64x64", tiling, variant="", dims=(64, 64, 64), samples=3, counts=counts)
    run.entry("ch14:one_sided_exchange", "halo 3x33x4x2", {"staged": 0.021, "put_in_kernel": 0.34}, variant="halo", dims=(3, 33, 4, 2), samples=3,
              counts={"launches": {"staged": 8, "put_in_kernel": 8}})
    chains = {"dependent_chain": 0.021, "four_chains": 0.34}
    run.entry("ch09:compute_bound", "f32 5000", chains, variant="f32", dims=(5000,), samples=3, counts={name: dict.fromkeys(chains, 1) for name in counts})
    run.trace(entry, "naive", [("main", "gemm", "compute", 0, 30), ("main", "scale", "compute", 30, 30)], folder)
    run.trace(entry, "cp_async_ring", [("main", "gemm", "compute", 0, 30), ("side", "scale", "compute", 0, 30)], folder, overlapped=30, at_once=2)
    return run.write(folder)


def sweep_without_count(folder):
    """A simulated sweep of a target whose idea no count shows."""
    run = Run("uncounted", simulated=True, sweep=["N"], command=["sweep", "ch09:compute_bound", "--axis", "N=64:256:x2"])
    for n in (64, 128, 256):
        run.entry("ch09:compute_bound", f"f32 {n}", {"dependent_chain": 0.02, "four_chains": 0.3}, variant="f32", dims=(n,), at=(n,), samples=3,
                  counts={"launches": {"dependent_chain": 1, "four_chains": 1}})
    return run.write(folder)


def past(folder, name, day, scale, commit):
    run = Run(name, seed=day, started=f"2026-02-{day:02}T12:00:00Z", commit=commit)
    run.entry("ch10:matmul", "bf16 1024x1024x1024", {rung: ms * scale for rung, ms in LADDER.items()})
    return run.write(folder)


def large(folder, rows=5000):
    run = Run("large", seed=9)
    for target in range(50):
        for size in range(rows // 500):
            run.entry(f"ch{9 + target % 4:02}:target_{target}", f"bf16 {64 * (size + 1)}", {f"rung_{rung}": 4.0 / (rung + 1) for rung in range(10)},
                      flops=1e9 * (size + 1), bytes=1e7 * (1 + target))
    return run.write(folder)


def findings(path):
    place = {"what": "a write of 4 bytes " + HOSTILE, "on_device": True, "block": [0, 0, 0], "warp": 0, "lane": 3, "address": "shared 0x40", "ptx_line": 12, "ptx": "st.shared.f32 [%r1], %f2;",
             "file": "kernels/race.cu", "line": 17, "inlined": []}
    other = {**place, "what": "a read of 4 bytes", "line": 23, "warp": 1}
    item = {"rule": "shared-race", "title": "race", "severity": "error", "kernel": f"race<{HOSTILE}>", "message": "two warps touch the same bytes", "why": "no barrier lies between them",
            "fix": "__syncthreads()", "count": 4, "places": [place, other], "graph": [], "pairs": 1, "also": [], "seen": {}, "replay": "aisp check -- ./race"}
    pathlib.Path(path).write_text(json.dumps({"version": 1, "aisp": "0.2.0", "command": ["./race"], "runs": [], "findings": [item], "suppressed": [], "summary": {}}))
