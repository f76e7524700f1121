"""Runs the bugs and the fixed twins of a folder of tests/hazards under the hazard checker.

    run.py [--side bug|fixed|both] [--seeds N] [--summary] [--library LIBRARY] AISP PROGRAM FOLDER [NAME...]

PROGRAM holds all .cu files of FOLDER. The first lines of a .cu file say what is to be found:

    // hazard: RULE[, RULE...]   the bug is reported under at least one of these; `none`: there is no bug, only correct code
    // also: RULE[, RULE...]     may be reported beside them
    // follows: RULE[, RULE...]  may be reported beside them, as consequences of one of them only
    // roots: N                  in the order of `aisp check` as many findings are no consequence of another one; other orders may
                                 show a consequence before what it follows from
    // options: --uninitialised --advice --device NAME
    // says: WORDS               a finding of these rules has them in its message, its reason or its remedy; lines may be several

A bug must be found, and nothing else, in every order: earliest, latest, and random with each seed; unless
AISP_TEST_SWEEPS=full, with SAMPLED_SEEDS of the seeds, chosen by the name of the file. Of a fixed twin nothing
may be reported and its numbers must be right. One of the rules must be reported as a root, not as a consequence only. A file with
`// example begin: RULE`, which `aisp check --explain` shows, must be reported under that rule in one of the orders. Each side runs once through `aisp check` too, whose exit code is looked at;
the others are run as `aisp check` runs them, with the simulator's library in front, because that is faster.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweep

TIME_LIMIT = 120
SAMPLED_SEEDS = 2


class Wrong(Exception):
    pass


class Expected:
    """What the first lines of a .cu file say."""

    def __init__(self, source):
        lines = {"hazard": "", "also": "", "options": "", "follows": "", "roots": ""}
        self.says = []
        for line in source.read_text().splitlines():
            if not line.startswith("//"):
                break
            if found := re.fullmatch(r"// (hazard|also|options|follows|roots): *(.+)", line):
                lines[found[1]] = found[2].strip()
            if found := re.fullmatch(r"// says: *(.+)", line):
                self.says.append(found[1].strip())
        if not lines["hazard"]:
            raise Wrong("its first lines have no `// hazard: RULE`")
        self.rules = {rule.strip() for rule in lines["hazard"].split(",")} - {"none"}
        self.also = {rule.strip() for rule in lines["also"].split(",")} - {""}
        self.follows = {rule.strip() for rule in lines["follows"].split(",")} - {""}
        self.roots = int(lines["roots"] or 0)
        self.options = lines["options"].split()
        self.examples = set(re.findall(r"^ *// example begin: (\S+)$", source.read_text(), re.MULTILINE))

    def environment(self):
        words, given = list(self.options), {}
        while words:
            word = words.pop(0)
            if word in ("--uninitialised", "--advice"):
                given[f"AISP_SIM_HAZARDS_{word[2:].upper()}"] = "1"
            elif word == "--device" and words:
                given["AISP_SIM_DEVICE"] = words.pop(0)
            else:
                raise Wrong(f"options: {word} is not known here")
        return given

    def judge(self, side, findings, folded=False):
        """The rules that were reported, if they are as they should be."""
        rules = {finding["rule"] for finding in findings}
        roots = [finding for finding in findings if not finding["follows"]]
        root_rules = {finding["rule"] for finding in roots}
        extra = rules if side == "fixed" else rules - self.rules - self.also - self.follows
        if side == "bug" and not root_rules & self.rules:
            raise Wrong(f"reported {', '.join(sorted(root_rules)) or 'nothing'}, not {', '.join(sorted(self.rules))}")
        if side == "bug" and folded and self.roots and len(roots) != self.roots:
            raise Wrong(f"{len(roots)} roots, not {self.roots}{tail(os.linesep.join(one['message'] for one in roots))}")
        if side == "bug" and folded and root_rules & (self.follows - self.rules - self.also):
            raise Wrong(f"reported {', '.join(sorted(root_rules & self.follows))} as a root, not as a consequence")
        if extra:
            messages = [finding.get("message", "") for finding in findings if finding["rule"] in extra]
            but = ", but it is correct" if side == "fixed" else " as well"
            raise Wrong(f"reported {', '.join(sorted(extra))}{but}{tail(os.linesep.join(messages))}")
        if side == "bug":
            told = " ".join(finding.get(part, "") for finding in findings if finding["rule"] in self.rules
                            for part in ("message", "why", "fix"))
            for words in self.says:
                if words not in told:
                    raise Wrong(f"says nothing of '{words}'{tail(told)}")
        return rules


def run(command, environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AISP_SIM_")}
    try:
        return subprocess.run(command, env={**clean, **environment}, capture_output=True, text=True, errors="replace",
                              timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Wrong(f"did not end within {TIME_LIMIT} s") from None


def tail(text):
    return "".join(f"\n      {line}" for line in text.strip().splitlines()[-6:])


def with_consequences(findings):
    """Roots and what is folded below them, in one list."""
    listed = []
    for finding in findings:
        listed.append({**finding, "follows": []})
        listed += [{**one, "follows": [finding["rule"]]} for one in finding["consequences"]]
    return listed


def checked_by_aisp(given, words, side, expected):
    done = run([given.aisp, "check", "--format", "json", *expected.options, "--", *words], {})
    try:
        findings = with_consequences(json.loads(done.stdout)["findings"])
    except (ValueError, KeyError) as error:
        raise Wrong(f"aisp check: exit {done.returncode}, no report ({error}){tail(done.stderr)}") from None
    rules = expected.judge(side, findings, folded=True)
    code = 3 if any(finding["severity"] == "error" for finding in findings) else 0  # formal and advice do not change it
    if done.returncode != code:
        raise Wrong(f"aisp check: exit {done.returncode}, not {code}{tail(done.stderr)}")
    return rules


def checked_in_order(given, words, side, expected, order, seed):
    with tempfile.TemporaryDirectory() as folder:
        done = run(words, {**expected.environment(), "LD_PRELOAD": str(given.library), "AISP_SIM_HAZARDS": folder,
                           "AISP_SIM_ORDER": order, "AISP_SIM_SEED": str(seed), "AISP_SIM_THREADS": "1"})
        files = list(pathlib.Path(folder).glob("*.jsonl"))
        findings = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    if done.returncode != 0:  # a bug that ends in an error of CUDA exits 0 too
        raise Wrong(f"exit {done.returncode}{tail(done.stderr)}")
    if not files:
        raise Wrong(f"the checker did not run{tail(done.stderr)}")
    return expected.judge(side, findings)


def check_side(given, source, side, expected):
    """The rules reported in all runs, their number, and what was wrong."""
    words = [given.program, source.stem, side]
    schedules = [("aisp check", lambda: checked_by_aisp(given, words, side, expected))]
    seeds = sweep.sample(range(1, given.seeds + 1), SAMPLED_SEEDS, source.stem)
    for order, seed in [("earliest", 1), ("latest", 1), *(("random", seed) for seed in seeds)]:
        name = f"random, seed {seed}" if order == "random" else order
        schedules.append((name, lambda order=order, seed=seed: checked_in_order(given, words, side, expected, order, seed)))
    rules, wrong = set(), {}
    for name, one in schedules:
        try:
            rules |= one()
        except Wrong as problem:
            headline, _, details = str(problem).partition("\n")
            wrong.setdefault(headline, []).append((name, details))
    problems = []
    if side == "bug" and not expected.examples <= rules:
        problems.append(f"all runs: reported {', '.join(sorted(rules))}, but it is the example of {', '.join(sorted(expected.examples))}")
    for headline, runs in wrong.items():
        name, details = runs[0]
        others = f" and {len(runs) - 1} other runs" if len(runs) > 1 else ""
        problems.append(f"{name}{others}: {headline}" + (f"\n{details}" if details else ""))
    return rules, len(schedules), problems


def check_folder(given):
    """Failures, and how many were good: {"bugs found": [good, all], ...}."""
    sources = {source.stem: source for source in sorted(given.folder.glob("*.cu"))}
    held = {line.split()[0] for line in run([given.program], {}).stdout.splitlines()}
    failures = [f"{name}: in one of {given.program} and {given.folder} only" for name in sorted(held ^ set(sources))]
    failures += [f"{name}: no such program" for name in given.names if name not in sources]
    counts = {"bugs found": [0, 0], "twins clean": [0, 0], "correct programs clean": [0, 0]}
    for name in given.names or sources:
        if name not in sources:
            continue
        try:
            expected = Expected(sources[name])
        except Wrong as problem:
            failures.append(f"{name}: {problem}")
            continue
        for side in ("bug", "fixed"):
            if given.side not in (side, "both") or (side == "bug" and not expected.rules):
                continue
            rules, runs, wrong = check_side(given, sources[name], side, expected)
            kind = "bugs found" if side == "bug" else "twins clean" if expected.rules else "correct programs clean"
            counts[kind][0] += not wrong
            counts[kind][1] += 1
            failures += [f"{name} {side}, {problem}" for problem in wrong]
            if not given.summary:
                found = ", ".join(sorted(rules)) or "nothing reported"
                print(f"{name} {side}: {found}; {runs} runs{', WRONG' if wrong else ''}", flush=True)
    return failures, counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=["bug", "fixed", "both"], default="both")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--summary", action="store_true", help="only the counts, and what failed")
    parser.add_argument("--library", type=pathlib.Path, help="of the simulator (default: ../lib/sim/libcudart.so.13)")
    parser.add_argument("aisp", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    given.aisp, given.program = given.aisp.resolve(), given.program.resolve()
    given.library = (given.library or given.aisp.parent.parent / "lib/sim/libcudart.so.13").resolve()
    for file in (given.aisp, given.program, given.library):
        if not file.exists():
            parser.error(f"{file} does not exist")

    failures, counts = check_folder(given)
    parts = [f"{good} of {every} {what}" for what, (good, every) in counts.items() if every]
    seeds = min(SAMPLED_SEEDS, given.seeds) if not sweep.is_full() else given.seeds
    print(f"{given.folder.name}: {', '.join(parts) or 'nothing was run'}; random orders: "
          + sweep.stated(seeds, given.seeds, "seeds"))
    for failure in failures:
        print(f"  {failure}")
    return 1 if failures or not parts else 0


if __name__ == "__main__":
    sys.exit(main())
