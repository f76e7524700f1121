"""Numbers of an H200 on the pages are those of chapters/*/expectations_h200.json (tools/quoted_numbers.py computes them), and a
section that quotes others says from which run they are: its command and its date. In README.md's results every number has a
mark; sections of docs/ whose numbers no expectation can hold are listed here with the reason."""

import json
import math
import pathlib
import re
import sys

import tree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import quoted_numbers

QUOTED = re.compile(r"[\d.]*\d (?:us|ms|TFLOP/s|TB/s|GB/s)\b|\d+\.\d+x\b")
COMMAND = re.compile(r"`aisp (?:bench run|sweep|doctor)\b|^aisp sweep\b", re.MULTILINE)
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
RESULTS = "What comes out"  # the section of README.md
RESULT = re.compile(r"(?<![\w.,])\d+(?:\.\d+)?(?:x\b| ?(?:us|ms|s|%|GB/s|TB/s|TFLOP/s)(?!\w))|(?<![\w.,])\d+\.\d+(?![\w.])")
# Sections of docs/ with numbers that are no times of rungs.
NO_RUNGS = {
    ("docs/cli.md", "Columns of a simulated run"): "what the simulator takes for a launch",
    ("docs/hazards.md", "The host"): "how long the checker holds a wait of the host",
    ("docs/measuring.md", "One sample"): "times of an empty kernel, of the flush and of a call that waits, which judge the lab",
    ("docs/measuring.md", "The clock, the power, and what held them back"): "the clock of a run, compared with ncu's",
    ("docs/measuring.md", "Simulated times"): "what the simulator takes for a launch",
    ("docs/pytorch.md", "Measured on an H200"): "calls from Python, which no target measures; the section names its script",
    ("docs/simulator.md", "Time"): "what the simulator takes for a launch",
}


def sections(lines):
    """Line number of the heading, heading and lines of each part of a page."""
    starts = [i for i, line in enumerate(lines) if line.startswith("#")] + [len(lines)]
    return [(first + 1, lines[first], lines[first + 1:last]) for first, last in zip(starts, starts[1:])]


def outside_marks(lines):
    """What is neither in a marked table nor in front of a mark."""
    left, marked = [], False
    for line in lines:
        if line.startswith("<!-- expected"):
            marked = True
        elif marked and line.strip() == "":
            marked = False
        if not marked:
            left.append(re.sub(r"[\d.]+[^\d<]*<!--=.*?-->", "", line))
    return left


def runs_without_name(page, text):
    complaints = []
    for number, heading, lines in sections(text.split("\n")):
        if not re.search("Measured|H200", heading):
            continue
        quoted = next((found[0] for line in outside_marks(lines) if (found := QUOTED.search(line))), None)
        body = "\n".join(lines)
        if quoted and not (COMMAND.search(body) and DATE.search(body)):
            complaints.append(f"{page}:{number}: quotes '{quoted}', which no expectation has, without the command and the date of its run")
    return complaints


def results_without_mark(page, text):
    """Numbers with a unit, ratios and fractions of the results that have no mark."""
    lines = text.split("\n")
    found = [(start, part) for start, heading, part in sections(lines) if heading.lstrip("# ") == RESULTS]
    if not found:
        return [f"{page}: has no section '{RESULTS}', whose numbers this test compares"]
    return [f"{page}:{start + number}: quotes '{number_text}' without a mark that says which expectation it is"
            for start, part in found for number, line in enumerate(part, 1)
            for number_text in RESULT.findall(re.sub(r"[\d.]+[^\d<]*<!--=.*?-->", "", line))]


def docs_without_name(page, text):
    """The same as runs_without_name, for every section of a page in docs/."""
    complaints, quoting = [], set()
    for number, heading, lines in sections(text.split("\n")):
        quoted = next((found[0] for line in outside_marks(lines) if (found := QUOTED.search(line))), None)
        if not quoted:
            continue
        name = (str(page), heading.lstrip("# "))
        quoting.add(name)
        body = "\n".join(lines)
        if name not in NO_RUNGS and not (COMMAND.search(body) and DATE.search(body)):
            complaints.append(f"{page}:{number}: quotes '{quoted}', which no expectation has, without the command and the date of its "
                              "run; where it is no time of a rung, NO_RUNGS of tests/architecture/quoted_numbers.py takes the reason")
    return complaints + [f"{page}: quotes no number in '{heading}', which NO_RUNGS lists"
                         for name, heading in NO_RUNGS if name == str(page) and (name, heading) not in quoting]


def ladders(root):
    """Ladders that tools/ladder_page.cpp drew: every rung's rate is in the picture."""
    complaints, entries = [], quoted_numbers.load(root)
    for picture in sorted(root.glob("docs/ladder_*.svg")):
        texts = re.findall(">([^<>]+)<", picture.read_text())
        title = next(filter(None, (re.match(r"(\w+:\w+) ((?:\w+ )?(\d+)x(\d+)x(\d+)) on h200$", text) for text in texts)))
        flops = 2 * math.prod(map(int, title.groups()[2:]))
        for rung, time in entries.get(f"{title[1]}/{title[2]}", {}).items():
            rate = f"{flops / time['median_ms'] / 1e9:.0f}"
            if rate not in texts and f"{rung} {rate}" not in texts:
                complaints.append(f"{picture.relative_to(root)}: has no {rate} TFLOP/s of {rung}; build and run ladder_page")
    return complaints


def check(root, _):
    complaints = quoted_numbers.differences(root) + ladders(root)
    for path in tree.files(root):
        if path.name == "README.md" and (path.parts[0] == "chapters" or path == pathlib.Path("README.md")):
            complaints += runs_without_name(path, (root / path).read_text())
        if path == pathlib.Path("README.md"):
            complaints += results_without_mark(path, (root / path).read_text())
        if path.suffix == ".md" and path.parts[0] == "docs":
            complaints += docs_without_name(path, (root / path).read_text())
    return complaints


def self_test(planted):
    time = {"low_ms": 1.9, "high_ms": 2.1, "median_ms": 2.0}
    file = {"entries": {"ch09:sum/8x4": {"slow": {**time, "median_ms": 4.0}, "quick": time},
                        "ch09:sum/8x8": {"slow": {**time, "median_ms": 18.0}, "quick": time}}}
    expectations = {"chapters/ch09/expectations_h200.json": json.dumps(file)}
    table = ("<!-- expected: ch09:sum/8x4; GB/s = 64e6 * D0 / rung -->\n| rung | median | ± | speed-up | GB/s |\n|---|---|---|---|---|\n"
             "| slow | 4.0 ms | 2.5 % | 1.00x | 128 |\n| quick (peer) | 2000 us | 5 % | 2.00x | 256 |\n")
    wide = ("<!-- expected columns: ch09:sum; four = 8x4;\n     eight = 8x8; row gain = slow / quick -->\n| rung | four | eight |\n|---|---|---|\n"
            "| `slow` | 4.00 ms | 18.00 ms |\n| gain | 2.0x | 9.0x |\n")
    good = ("# sum\n" + table + "\n" + wide + "\nIt gains 2.0x<!--= ch09:sum/8x4: slow / quick -->, in the mean "
            "4.2<!--= geomean ch09:sum/*: slow / quick -->.\n")

    def found(complaints, text):
        tree.expect(planted({**expectations, "chapters/ch09/sum/README.md": text}), complaints, text)

    place = "chapters/ch09/sum/README.md"
    found([], good)
    for line, quoted, expected in ((5, "4.0 ms", "4.1 ms"), (6, "2000 us", "1990 us"), (6, "5 %", "4 %"), (6, "2.00x", "2.10x"),
                                   (6, "256", "257"), (12, "18.00 ms", "16.00 ms"), (13, "9.0x", "9.5x")):
        found([f"{place}:{line}: quotes '{expected}', expected is '{quoted}'"], good.replace(f"| {quoted} |", f"| {expected} |", 1))
    found([f"{place}:15: quotes '2.5x', expected is '2.0x'"],
          good.replace("gains 2.0x", "gains 2.5x"))
    found([f"{place}:5: no expectations of ch09:sum/9x4", f"{place}:6: no expectations of ch09:sum/9x4"],
          good.replace("expected: ch09:sum/8x4", "expected: ch09:sum/9x4"))
    found([f"{place}:6: no expected time of 'rung'"], good.replace("quick (peer)", "fastest"))
    found([f"{place}:15: no expected time of 'fastest'"], good.replace("sum/8x4: slow / quick", "sum/8x4: slow / fastest"))
    one = "# sum\n## Measured on an H200\nIt takes 3.1 ms in one run.\n"
    found([f"{place}:2: quotes '3.1 ms', which no expectation has, without the command and the date of its run"], one)
    found([], one + "One run of `aisp bench run --targets ch09:sum`, 2026-11-16.\n")
    found([f"{place}:2: quotes '3.1 ms', which no expectation has, without the command and the date of its run"], one + "2026-11-16\n")
    found([], "# sum\n## Measured on an H200\n" + table)
    results = ("# aisp\n## What comes out\nA product of 4096 x 4096, 16 bytes at a time: 2.0x<!--= ch09:sum/8x4: slow / quick -->, "
               "50 %<!--= ch09:sum/8x4: quick / slow --> of slow, 0.50<!--= ch09:sum/8x4: quick / slow -->\n## More\n7 ms\n")
    tree.expect(planted({**expectations, "README.md": results}), [], "results with their marks")
    for number, mark in (("2.0x", "slow / quick"), ("50 %", "quick / slow"), ("0.50", "quick / slow")):
        marked = f"{number}<!--= ch09:sum/8x4: {mark} -->"
        assert marked in results
        tree.expect(planted({**expectations, "README.md": results.replace(marked, number)}),
                    [f"README.md:3: quotes '{number}' without a mark that says which expectation it is"], "a mark that was taken away")
    tree.expect(planted({**expectations, "README.md": results.replace("What comes", "All that comes")}),
                ["README.md: has no section 'What comes out', whose numbers this test compares"], "results with another heading")
    page = "# One\n## Of a kernel\nIt takes 3.1 ms.\n"
    unnamed = ("docs/one.md:2: quotes '3.1 ms', which no expectation has, without the command and the date of its run; where it is "
               "no time of a rung, NO_RUNGS of tests/architecture/quoted_numbers.py takes the reason")
    tree.expect(planted({"docs/one.md": page}), [unnamed], "a page of docs/")
    tree.expect(planted({"docs/one.md": page + "`aisp bench run --targets ch09:sum` on 2026-11-16.\n"}), [], "with its run")
    tree.expect(planted({"docs/one.md": page.replace("3.1 ms", "some time")}), [], "without a number")
    tree.expect(planted({"docs/hazards.md": "# H\n## The host\nIt holds a wait for 60 ms.\n"}), [], "a listed section")
    tree.expect(planted({"docs/hazards.md": "# H\n## The host\nIt holds a wait.\n"}),
                ["docs/hazards.md: quotes no number in 'The host', which NO_RUNGS lists"], "a listed section without a number")
    product = {"chapters/ch10/expectations_h200.json": json.dumps({"entries": {"ch10:product/1000x1000x1000": {
        "slow": {"median_ms": 0.02}, "library": {"median_ms": 0.01}}}})}
    picture = "<title>ch10:product 1000x1000x1000 on h200</title><text>100</text><text>library 200</text>"
    tree.expect(planted({**product, "docs/ladder_product.svg": picture}), [], "a ladder")
    tree.expect(planted({**product, "docs/ladder_product.svg": picture.replace("library 200", "library 204")}),
                ["docs/ladder_product.svg: has no 200 TFLOP/s of library; build and run ladder_page"], "an old ladder")


if __name__ == "__main__":
    tree.main(check, self_test)
