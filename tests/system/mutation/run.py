"""Takes every fence, wait, arrival and barrier out of kernels, one at a time, and sees who notices.

    run.py --library LIBCUDART [options] EXECUTABLE [PROGRAM...]

The executable is several programs, which it lists. Each launches a kernel on the simulator and checks its numbers: a
template of something in the namespace PROGRAM_cu, or the only kernel beside it that is of no program's namespace. A mutant is caught by a finding of the
hazard checker (formal ones count, as with --strict), wrong numbers, a CUDA error, a deadlock, a crash or a time limit:
at the earliest order, or at the latest, or at one of `--explore` random ones. Fails when less than `--least` percent are caught, when a mutant
survives that survivors.txt does not explain, and when one of its explanations is not needed any more. A mutant that is said
there to be a correct program counts neither way.

`--sample N` tries every Nth mutant of each program, always the same ones, unless AISP_TEST_SWEEPS=full. Each of them must
be caught or explained; the percentage and explanations that are not needed are judged of all mutants only. The programs as
they are run in one random order then.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import sweep

import explain

ROOT = pathlib.Path(__file__).resolve().parents[3]

STOPPING = ("deadlock", "memory-fault", "misuse")  # what ends a kernel without the checker, too

Point = collections.namedtuple("Point", "kernel index ptx_line chain text")


def schedules(explore):
    yield "earliest", {"AISP_SIM_ORDER": "earliest"}
    yield "latest", {"AISP_SIM_ORDER": "latest"}
    for seed in range(1, explore + 1):
        yield f"seed {seed}", {"AISP_SIM_ORDER": "random", "AISP_SIM_SEED": str(seed)}


def mangled(program):
    """Its namespace in a kernel's name."""
    return f"{len(program) + 3}{program}_cu"


class Simulator:
    def __init__(self, given):
        self.given = given
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("AISP_SIM_")}
        self.environment.update(LD_PRELOAD=str(given.library), AISP_SIM_DEVICE=given.device, AISP_SIM_THREADS="1")

    def run(self, program, extra):
        """(exit code, or None past the time limit; what it printed)"""
        try:
            done = subprocess.run([self.given.executable, program], env={**self.environment, **extra}, capture_output=True, text=True,
                                  errors="replace", timeout=self.given.limit)
        except subprocess.TimeoutExpired as late:
            printed = late.stderr or b""  # bytes, whatever was asked for
            return None, printed.decode(errors="replace") if isinstance(printed, bytes) else printed
        return done.returncode, done.stdout + done.stderr

    def points(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "list"
            self.run(program, {"AISP_SIM_LIST_SYNC": str(path)})
            lines = path.read_text().splitlines() if path.exists() else []
        points = [line.split("\t") for line in lines]
        points = [Point(kernel, int(index), int(line), chain.split(" < "), text)
                  for kernel, index, line, chain, text in points
                  if self.given.kernel in kernel and not kernel.startswith("(")]
        own = [point for point in points if mangled(program) in point.kernel]
        points = own or [point for point in points
                         if not any(mangled(other) in point.kernel for other in self.given.known)]
        if not points or (len({point.kernel for point in points}) != 1 and not self.given.all_kernels):
            sys.exit(f"{program}: not one kernel with '{self.given.kernel}' in its name that synchronises")
        return points

    def notice(self, program, extra):
        """What gave the program away: (how, detail), or None. And what it printed."""
        with tempfile.TemporaryDirectory() as folder:
            if not self.given.without_checker:
                extra = {**extra, "AISP_SIM_HAZARDS": folder}
            code, printed = self.run(program, extra)
            files = list(pathlib.Path(folder).glob("*.jsonl"))
            if not files and not self.given.without_checker and code is not None and code >= 0:
                sys.exit(f"{program}: the hazard checker has written nothing; exit {code}\n{printed}")
            findings = [json.loads(line) for file in files for line in file.read_text().splitlines() if line]
        errors = [finding["rule"] for finding in findings if finding["severity"] in ("error", "formal")]
        if errors:
            hazards = [rule for rule in errors if rule not in STOPPING]
            return (("checker", hazards[0]) if hazards else (errors[0], None)), printed
        if code is None:
            return ("time limit", f"{self.given.limit} s"), printed
        if code < 0:
            return ("crash", f"signal {-code}"), printed
        if code == 0:
            return None, printed
        last = printed.strip().splitlines()[-1] if printed.strip() else f"exit {code}"
        wrong = " not " in last and "element (" in last or "wrote between" in last
        return ("wrong numbers" if wrong else "error", last), printed


def try_original(simulator, program):
    sampled = simulator.given.sample > 1 and not sweep.is_full()
    for name, schedule in schedules(min(simulator.given.explore, 1) if sampled else simulator.given.explore):
        noticed, printed = simulator.notice(program, schedule)
        if noticed:
            sys.exit(f"{program}: not right as it is, {name}: {noticed[0]}: {noticed[1]}\n{printed}")


def try_mutant(simulator, program, point):
    for name, schedule in schedules(simulator.given.explore):
        drop = {"AISP_SIM_DROP": f"{point.kernel}:{point.index}"}
        noticed, printed = simulator.notice(program, {**schedule, **drop})
        if f"runs without line {point.ptx_line}:" not in printed:
            sys.exit(f"{program}: line {point.ptx_line} was not taken out, {name}\n{printed}")
        if noticed:
            return {"by": noticed[0], "detail": noticed[1], "schedule": name}
    return None


def sampled(given, program, points):
    """The same ones in every run and on every machine, and after changes of other lines of their files."""
    def key(point):
        lines = [" ".join(explain.line_of(ROOT, relative(place))[:2]) for place in point.chain]
        return " ".join([point.text, *lines])
    return sweep.sample(points, -(-len(points) // given.sample), program, key)


def relative(place):
    """Below the root, also where a compiler's cache has the paths of another tree with the same files."""
    path, _, line = place.rpartition(":")
    parts = pathlib.Path(os.path.normpath(path)).parts
    for first in range(len(parts)):
        inside = pathlib.Path(*parts[first:])
        if not inside.is_absolute() and (ROOT / inside).is_file():
            return f"{inside}:{line}"
    return place


def table(results):
    rows = [("kernel", "mutants", "caught", "checker", "numbers", "error, deadlock", "earliest", "other orders")]
    total = collections.Counter()
    for name, mutants in results.items():
        count = collections.Counter(mutants=len(mutants))
        for mutant in mutants:
            if mutant["by"] is None:
                continue
            count["caught"] += 1
            count["earliest" if mutant["schedule"] == "earliest" else "later"] += 1
            count[{"checker": "checker", "wrong numbers": "numbers"}.get(mutant["by"], "error")] += 1
        total += count
        rows.append((name, *(count[key] for key in COLUMNS)))
    rows.append(("all", *(total[key] for key in COLUMNS)))
    width = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(str(cell).ljust(width[i]) for i, cell in enumerate(row)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (size + 2) for size in width) + "|")
    return "\n".join(lines), total


def summary(mutants):
    """How many were caught by which rule (or otherwise) and at which order."""
    caught = [mutant for mutant in mutants if mutant["by"] is not None]
    by = collections.Counter(mutant["detail"] if mutant["by"] == "checker" else mutant["by"] for mutant in caught)
    return {"mutants": len(mutants), "caught": len(caught), "by": dict(by.most_common()),
            "schedules": dict(collections.Counter(mutant["schedule"] for mutant in caught).most_common())}


COLUMNS = ("mutants", "caught", "checker", "numbers", "error", "earliest", "later")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the simulator's libcudart.so.13")
    parser.add_argument("--kernel", default="gemm_", help="part of the kernel's mangled name")
    parser.add_argument("--all-kernels", action="store_true", help="a program may have several; mutants of each of them")
    parser.add_argument("--device", default="h200,sms=4")
    parser.add_argument("--explore", type=int, default=50, help="random orders that a mutant must survive")
    parser.add_argument("--sample", type=int, default=1, help="every Nth mutant, unless AISP_TEST_SWEEPS=full")
    parser.add_argument("--least", type=float, default=95, help="percent of the mutants")
    parser.add_argument("--limit", type=float, default=60, help="seconds of a run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--survivors", type=pathlib.Path, default=pathlib.Path(__file__).with_name("survivors.txt"))
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    parser.add_argument("--without-checker", action="store_true", help="numbers, errors and deadlocks only")
    parser.add_argument("executable", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", help="all of them, unless some are named")
    given = parser.parse_args()
    given.library, given.executable = given.library.resolve(), given.executable.resolve()
    simulator = Simulator(given)

    given.known = sorted(subprocess.run([given.executable], capture_output=True, text=True, check=True).stdout.split())
    if unknown := set(given.programs) - set(given.known):
        parser.error(f"{given.executable.name} knows no {', '.join(sorted(unknown))}, but {', '.join(given.known)}")
    programs = given.programs or given.known
    results = {name: [] for name in programs}
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(lambda program: try_original(simulator, program), programs))
        points = {name: simulator.points(name) for name in programs}
        tasks = [(name, point, pool.submit(try_mutant, simulator, name, point))
                 for name in programs for point in sampled(given, name, points[name])]
        for name, point, task in tasks:
            mutant = {"index": point.index, "ptx_line": point.ptx_line, "text": point.text,
                      "source": [relative(place) for place in point.chain]}
            results[name].append({**mutant, **(task.result() or {"by": None, "detail": None, "schedule": None})})
    if given.json:
        counts = {name: summary(mutants) for name, mutants in results.items()}
        everything = {"explore": given.explore, "counts": counts, "mutants": results}
        given.json.write_text(json.dumps(everything, indent=1) + "\n")

    text, total = table(results)
    print(text)
    bad = correct = 0
    explanations = explain.read(given.survivors)
    for name, mutants in results.items():
        for mutant in mutants:
            if mutant["by"] is not None:
                continue
            found = explain.match(explanations, name, mutant, ROOT)
            reason = found and found.why
            bad += reason is None
            if found and found.correct:
                correct += 1
                continue
            print(f"{name}: survives without number {mutant['index']}, line {mutant['ptx_line']}: {mutant['text']}\n"
                  f"    at {' < '.join(mutant['source'])}\n    {reason or 'not explained in survivors.txt'}")
    wrong, every = total["mutants"] - correct, sum(map(len, points.values()))
    print(f"{total['caught']} of {wrong} caught" + (f"; {correct} other mutants are correct programs" if correct else ""))
    print(sweep.stated(total["mutants"], every, "mutants were tried"))
    if total["mutants"] == every and 100 * total["caught"] < given.least * wrong:
        bad += 1
        print(f"less than {given.least:g} %")
    for unused in explain.unused(explanations, results) if total["mutants"] == every else []:
        bad += 1
        print(f"survivors.txt: not needed any more: {unused}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
