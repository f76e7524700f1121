"""Takes fences, waits, arrivals and barriers out of the kernels of chapters, one at a time, and sees who notices.

    chapters.py AISP [options] chNN|chNN:name...

Every rung runs at its quick sizes. A mutant is a rung without one synchronising instruction of a kernel that it
launches; copies of an instruction with the same source lines, from unrolled loops and instances of a template, are one
mutant, and a kernel that several rungs launch counts in the first of them. It is caught by wrong numbers, a finding of the hazard checker (formal ones count), an error, a deadlock or a
time limit: at one of the sizes, in the earliest order, the latest or one of `--explore` random ones.

Fails when less than `--least` percent are caught, when a mutant survives that chapter_survivors.txt does not explain,
and when nothing needs an explanation any more; a mutant that is caught in spite of one is named. `--device b200` tries the
rungs for Blackwell alone. `--sample N` tries N mutants of each target's last rung at its first size, always the same
ones, and at all sizes those that survive: what a test has time for. `--targets N` takes every Nth target, always the same
ones, unless AISP_TEST_SWEEPS=full. `--resume FILE` keeps what is known of each mutant,
so that a long run may be ended and taken up again.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import threading
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import sweep

import explain
import ladders
from run import ROOT, relative, table

MOST_COPIES = 3  # of a mutant, that are tried


def orders(explore):
    yield "earliest", {"AISP_SIM_ORDER": "earliest"}
    yield "latest", {"AISP_SIM_ORDER": "latest"}
    for seed in range(1, explore + 1):
        yield f"seed {seed}", {"AISP_SIM_ORDER": "random", "AISP_SIM_SEED": str(seed)}


class Memory:
    """What a run has found out, by key; with a file, from one run to the next."""

    def __init__(self, path):
        self.path, self.known, self.lock = path, {}, threading.Lock()
        if path and path.exists():
            self.known = dict(json.loads(line) for line in path.read_text().splitlines())

    def get(self, key, make, still_good=bool):
        if key not in self.known or not still_good(self.known[key]):
            value = make()
            with self.lock:
                self.known[key] = value
                if self.path:
                    with self.path.open("a") as file:
                        file.write(json.dumps([key, value]) + "\n")
        return self.known[key]


def survey(aisp, rung, sizes):
    """The rung's mutants, each with its copies and the sizes that launch their kernels; and what could not run."""
    seconds, sizes_of, points, skipped = {}, collections.defaultdict(list), [], []
    for size in sizes:
        outcome = ladders.run(aisp, rung, size, watched=False)
        if outcome.wrong:
            skipped.append(f"{size}: {outcome.wrong[0]}")
            continue
        seconds[size] = outcome.seconds
        points += outcome.points
        for kernel in {point.kernel for point in outcome.points}:
            sizes_of[kernel].append(size)
    quickest_first = {kernel: sorted(found, key=seconds.get) for kernel, found in sizes_of.items()}
    return {"mutants": ladders.mutants_of(points, relative, quickest_first), "skipped": skipped, "ran": len(seconds)}


def noticed(outcome):
    """(by, detail), or None."""
    stopping = ("deadlock", "memory-fault", "misuse")
    hazards = [rule for rule in outcome.rules if rule not in stopping]
    if hazards:
        return "checker", hazards[0]
    if outcome.rules:
        return outcome.rules[0], None
    if outcome.wrong:
        wrong = outcome.wrong[0]
        return "wrong numbers" if wrong.startswith("wrong") else "error", wrong[:200]
    return None


def try_original(aisp, rung, sizes):
    for size in sizes:
        outcome = ladders.run(aisp, rung, size)
        if noticed(outcome):
            sys.exit(f"{ladders.named(rung)} {size}: not right as it is: {noticed(outcome)}")
    return True


def copies_to_try(mutant):
    """Of many copies some: the first and the last of the text, and others in between."""
    copies = mutant["copies"]
    step = max(1, (len(copies) - 1) // (MOST_COPIES - 1))
    return [*copies[:-1:step][:MOST_COPIES - 1], copies[-1]]


def tries(mutant, explore):
    """(name of the order, its settings, copy, size): some copies in the earliest order, then one of them in the others."""
    first = mutant["copies"][0]
    for name, order in orders(explore):
        for copy in copies_to_try(mutant) if name == "earliest" else [first]:
            sizes = copy["sizes"] if name in ("earliest", "latest") else (copy["sizes"][0], copy["sizes"][-1])
            for size in dict.fromkeys(sizes):
                yield name, order, copy, size


def run_changed(aisp, rung, size, setting, said, copy, **more):
    outcome = ladders.run(aisp, rung, size, **{setting: f"{copy['kernel']}:{copy['index']}"}, **more)
    if f"{said} line {copy['ptx_line']}:" not in outcome.log:
        sys.exit(f"{ladders.named(rung)} {size}: line {copy['ptx_line']} was not taken out\n{outcome.log}")
    return outcome


def reached(aisp, rung, mutant):
    """Whether a run comes to the instruction at all, at one of the sizes: then a trap in its place stops it."""
    return any(run_changed(aisp, rung, size, "AISP_SIM_TRAP", "stops at", copy).wrong
               for copy in copies_to_try(mutant) for size in copy["sizes"])


def try_mutant(aisp, rung, mutant, explore):
    nobody = {"by": None, "detail": None, "schedule": None, "explored": explore}
    for name, order, copy, size in tries(mutant, explore):
        if name == "latest" and "reached" not in nobody:
            nobody["reached"] = reached(aisp, rung, mutant)
            if not nobody["reached"]:
                return nobody
        found = noticed(run_changed(aisp, rung, size, "AISP_SIM_DROP", "runs without", copy, **order))
        if found:
            return {"by": found[0], "detail": found[1], "schedule": name}
    return nobody


def sampled(rung, mutants, count):
    """The same ones in every run and on every machine, and after changes of other lines of their files."""
    def number(mutant):
        lines = [" ".join(explain.line_of(ROOT, place)[:2]) for place in mutant["source"]]
        return zlib.crc32(" ".join([ladders.named(rung), ladders.opcode(mutant["text"]), *lines]).encode())
    return sorted(mutants, key=number)[:count]


def last_rungs(rungs):
    """Of each target, and of each device that it has rungs for, at their first size; and the same at all sizes, by name."""
    last = {(rung.target, rung.device): rung for rung in rungs}.values()
    return [rung._replace(sizes=rung.sizes[:1]) for rung in last], {ladders.named(rung): rung for rung in last}


def of_new_kernels(mutants, rung, owners):
    """Without copies in kernels that a rung before has launched, too."""
    for mutant in mutants:
        copies = [copy for copy in mutant["copies"] if owners.setdefault(copy["kernel"], rung) == rung]
        if copies:
            yield {**mutant, "copies": copies}


def explained(given, name, mutant):
    return explain.find(explain.read(given.survivors), name, {**mutant, "by": None}, ROOT) is not None


def try_at_all_sizes(aisp, rung, mutant, explore):
    """A mutant that nobody has missed at a rung's first size."""
    for other in survey(aisp, rung, rung.sizes)["mutants"]:
        if other["source"] == mutant["source"] and ladders.opcode(other["text"]) == ladders.opcode(mutant["text"]):
            return try_mutant(aisp, rung, other, explore)
    sys.exit(f"{ladders.named(rung)}: no {mutant['text']} at {' < '.join(mutant['source'])} at all of its sizes")


def results_of(given, rungs, whole, memory, pool):
    def all_of(rung):
        name = ladders.named(rung)
        found = memory.get(f"survey {name} {' '.join(rung.sizes)}", lambda: survey(given.aisp, rung, rung.sizes))
        if not found["ran"]:
            return rung, found["skipped"], []
        ran = [size for size in rung.sizes if not any(one.startswith(f"{size}: ") for one in found["skipped"])]
        memory.get(f"original {name} {' '.join(ran)}", lambda: try_original(given.aisp, rung, ran))
        return rung, [], found["mutants"]

    def outcome(rung, mutant):
        first = mutant["copies"][0]
        key = f"mutant {ladders.named(rung)} {first['kernel']}:{first['index']}"
        found = memory.get(key, lambda: try_mutant(given.aisp, rung, mutant, given.explore),
                           lambda old: old["by"] or not old["reached"] or old["explored"] >= given.explore)
        if whole and found["by"] is None and found["reached"] and not explained(given, ladders.named(rung), mutant):
            found = try_at_all_sizes(given.aisp, whole[ladders.named(rung)], mutant, given.explore)
        return {**mutant, **found}

    tasks, owners = {}, {}
    for rung, skipped, mutants in pool.map(all_of, rungs):
        for reason in skipped:
            print(f"{ladders.named(rung)} does not run here: {reason}")
        mutants = list(of_new_kernels(mutants, rung, owners))
        if given.sample:
            mutants = sampled(rung, mutants, given.sample)
        tasks[ladders.named(rung)] = [pool.submit(outcome, rung, mutant) for mutant in mutants]
    return {name: [task.result() for task in found] for name, found in tasks.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--explore", type=int, default=20, help="random orders that a mutant must survive")
    parser.add_argument("--least", type=float, default=95, help="percent of the mutants")
    parser.add_argument("--sample", type=int, default=0, help="this many mutants of each target's last rung (all)")
    parser.add_argument("--targets", type=int, default=1, help="every Nth target, unless AISP_TEST_SWEEPS=full (1)")
    parser.add_argument("--device", default="", help="only rungs of devices with this in their name, as b200 (all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--survivors", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("chapter_survivors.txt"))
    parser.add_argument("--resume", type=pathlib.Path, help="file of what is known of each mutant")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    parser.add_argument("aisp")
    parser.add_argument("wanted", nargs="+", help="chapters or targets")
    given = parser.parse_args()

    rungs = [rung for rung in ladders.ladders(given.aisp, given.wanted) if given.device in rung.device]
    if not rungs:
        print(f"{given.aisp} was built without targets of {' '.join(given.wanted)}")
        sys.exit(0)
    every = list(dict.fromkeys(rung.target for rung in rungs))
    chosen = sweep.sample(every, -(-len(every) // given.targets), "targets")
    rungs = [rung for rung in rungs if rung.target in chosen]
    print(sweep.stated(len(chosen), len(every), "targets"))
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        tried, whole = last_rungs(rungs) if given.sample else (rungs, {})
        results = results_of(given, tried, whole, Memory(given.resume), pool)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")
    sys.exit(verdict(given, results))


def verdict(given, results):
    never = sum(mutant["by"] is None and not mutant["reached"] for mutants in results.values() for mutant in mutants)
    results = {name: [mutant for mutant in mutants if mutant["by"] or mutant["reached"]]
               for name, mutants in results.items()}
    text, total = table({name: mutants for name, mutants in results.items() if mutants})
    print(text)
    print(f"{never} more instructions are in code that no run comes to at these sizes")
    bad = 0
    if not total["mutants"]:
        bad += 1
        print("nothing was tried")
    explanations = explain.read(given.survivors)
    matched = [explain.match(explanations, name, mutant, ROOT)
               for name, mutants in results.items() for mutant in mutants if mutant["by"] is None]
    correct = sum(found is not None and found.correct for found in matched)
    wrong = total["mutants"] - correct
    print(f"{total['caught']} of {wrong} caught; {correct} other mutants are correct programs")
    if 100 * total["caught"] < given.least * wrong and not given.sample:
        bad += 1
        print(f"less than {given.least:g} %")
    for name, mutants in results.items():
        for mutant in mutants:
            reason = explain.find(explanations, name, mutant, ROOT)
            first = mutant["copies"][0]
            told = f"{first['kernel']}:{first['index']}: {mutant['text']}\n    at {' < '.join(mutant['source'])}"
            if mutant["by"] is None:
                bad += reason is None
                print(f"{name}: survives without {told}\n    {reason or f'not explained in {given.survivors.name}'}")
            elif reason:
                print(f"{name}: {given.survivors.name} explains why nobody misses {told}\n"
                      f"    but it is missed: {mutant['by']}: {mutant['detail']}")
    if not given.sample and given.targets == 1:
        for unused in explain.unused(explanations, {name: mutants for name, mutants in results.items() if mutants}):
            bad += 1
            print(f"{given.survivors.name}: not needed any more: {unused}")
    return 1 if bad else 0


if __name__ == "__main__":
    main()
