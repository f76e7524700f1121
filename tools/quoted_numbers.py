#!/usr/bin/env python3
"""Numbers of an H200 that pages quote, computed from chapters/*/expectations_h200.json.

    tools/quoted_numbers.py          names every quoted number that is not the expected one; exit 1 if there are any
    tools/quoted_numbers.py --fix    writes the expected ones into the pages

A comment directly above a table says where its numbers come from:

    <!-- expected: ch09:memory_bound/268435456; GB/s = 8 * D0 / rung -->

The first part is an entry of the expectations, or a target alone where the table's first column has the size. A row's rung
is the cell below "rung". Columns called "median" or "time", "±", "speed-up", "against X", "of X", "its median" and "ratio",
and columns that are called as a rung is, need nothing more. For others `heading = expression` says what they show, in terms of
the rungs' times in seconds, and `heading @ size = expression` for the rows of one size; `rung` is the row's rung, `first` that of the first row of its entry, `peer` the one in the
column "peer", `flops` and `bytes` are what `flops = …` and `bytes @ size = …` say, and D0, D1, … are the dimensions of the entry's size. Several numbers in a cell have several expressions, with
commas, and `expression in UNIT` where the page does not write the unit. `row NAME = size` gives the size of a row whose first cell
does not. A row that starts with "geometric mean" has the means of its columns. The second column of a name is "name #2".

Where columns are sizes and rows are rungs:

    <!-- expected columns: ch10:attention_scaling; S512 = 512x64x1x4; S1024 = 1024x64x1x4; row rate = D0 / library in TFLOP/s -->

`heading = size` says which entry a column has. A row has the time of the rung in its first cell, or what `row NAME =` or, for
all rows, `rows =` says; `in UNIT` is the unit of numbers without one.

A number in a sentence, or in a cell of another table, has its comment behind it:

    8.0x<!--= ch09:memory_bound/268435456: eight_passes / sixteen_bytes -->

`geomean`, `max` or `min` before an entry with `*` in it is taken over all entries that match.
Units (us, ms, %, x, GB/s, TB/s, TFLOP/s) and decimals are those that the page has.
"""

import ast
import fnmatch
import json
import math
import operator
import pathlib
import re
import sys

UNITS = {"s": 1, "ms": 1e3, "us": 1e6, "%": 100, "x": 1, "GB/s": 1e-9, "TB/s": 1e-12, "TFLOP/s": 1e-12, "": 1}
NUMBER = re.compile(r"(?<![\w.,])(±?)(\d+(?:\.\d+)?)(x\b| (?:us|ms|s|%|GB/s|TB/s|TFLOP/s)(?!\w))?(?![\w.]*\w)")
TABLE_MARK = re.compile(r"^<!-- expected( columns)?: (.*) -->$")
INLINE = re.compile(r"(\d+(?:\.\d+)?)(x| ?(?:us|ms|s|%|GB/s|TB/s|TFLOP/s))?<!--= (?:(\w+) )?([^\s:]+:[^:]*): (.*?) -->")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow}
MEANS = {"geomean": lambda values: math.exp(sum(map(math.log, values)) / len(values)), "max": max, "min": min}


class Unknown(Exception):
    """Something that a mark names and no expectation has."""


def load(root):
    """Entry -> rung -> the expected time as it is in the file."""
    entries = {}
    for path in sorted(root.glob("chapters/*/expectations_h200.json")):
        entries.update(json.loads(path.read_text())["entries"])
    return entries


def evaluate(text, names):
    def value(node):
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in names:
                raise Unknown(f"no expected time of '{node.id}'")
            return names[node.id]
        raise Unknown(f"'{text}' is not understood")
    try:
        return value(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        raise Unknown(f"'{text}' is not understood") from None


def names_of(entries, entry):
    if entry not in entries:
        raise Unknown(f"no expectations of {entry}")
    names = {rung: time["median_ms"] / 1e3 for rung, time in entries[entry].items()}
    size = re.split("[ /]", entry)[-1]
    names.update({f"D{i}": int(dim) for i, dim in enumerate(size.split("x"))} if re.fullmatch(r"\d+(x\d+)*", size) else {})
    return names


def formatted(value, like, unit):
    decimals = len(like.partition(".")[2])
    return f"{value * UNITS[unit.strip()]:.{decimals}f}"


def interval(time):
    """Half the width of the 95 % interval over the median."""
    return (time["high_ms"] - time["low_ms"]) / 2 / time["median_ms"]


def heading_unit(heading):
    return next((unit for unit in ("TFLOP/s", "TB/s", "GB/s", "%") if unit in heading), "")


def cells_of(line):
    return line.strip().strip("|").split("|")


class TableMark:
    def __init__(self, text):
        parts = [part.strip() for part in text.split(";")]
        self.entry = parts[0]
        self.expressions = dict(re.split(r"\s+=\s+", part, maxsplit=1) for part in parts[1:] if part)

    def entry_of(self, row):
        size = plain(row[0])
        return self.entry if "/" in self.entry else f"{self.entry}/{self.expressions.get(f'row {size}', size)}"

    def expressions_of(self, heading, rungs, size):
        """Texts of expressions for the numbers of a cell in this column, in order."""
        for key in (f"{heading} @ {size}", heading):
            if key in self.expressions:
                return self.expressions[key].split(",")
        if heading in ("median", "time"):
            return ["rung"]
        if heading == "speed-up":
            return ["first / rung"]
        if heading == "its median":
            return ["peer"]
        if heading == "ratio":
            return ["peer / rung"]
        for before in ("against ", "of "):
            if heading.startswith(before) and heading[len(before):] in rungs:
                return [f"{heading[len(before):]} / rung"]
        return [heading] if heading in rungs else []


def plain(cell):
    return re.sub(r"[`*]| \((?:peer|beside the ladder)\)", "", cell).strip()


def unique(headings):
    return [name if headings[:i].count(name) == 0 else f"{name} #{headings[:i].count(name) + 1}" for i, name in enumerate(headings)]


class Table:
    """Rows of a marked table with their numbers computed anew."""

    def __init__(self, entries, mark, header):
        self.entries, self.mark = entries, mark
        self.headings = unique([cell.strip() for cell in cells_of(header)])
        self.first, self.values = {}, {}

    def row(self, line):
        cells = cells_of(line)
        if plain(cells[0]) == "geometric mean":
            return self.joined(line, [self.mean(i, cell) for i, cell in enumerate(cells)])
        self.size = plain(cells[0])
        entry = self.mark.entry_of(cells)
        names = names_of(self.entries, entry)
        for work in ("flops", "bytes"):
            text = self.mark.expressions.get(f"{work} @ {self.size}") or self.mark.expressions.get(work)
            if text:
                names[work] = evaluate(text, names)
        for role in ("rung", "peer"):
            if role in self.headings:
                name = plain(cells[self.headings.index(role)])
                if name in names:
                    names[role] = names[name]
                    names[role + " name"] = name
        if "rung" in names:
            names["first"] = names[self.first.setdefault(entry, names["rung name"])]
        elif "rung" in self.headings and not any(re.search(r"\d (us|ms)\b|\dx", cell) for cell in cells):
            return line  # "not run: needs sm_100a"
        return self.joined(line, [self.cell(i, cell, entry, names) for i, cell in enumerate(cells)])

    def cell(self, column, cell, entry, names):
        heading = self.headings[column]
        if heading in ("size", "rung", "peer"):
            return cell
        if heading == "±":
            return NUMBER.sub(lambda found: formatted(interval(self.entries[entry][names["rung name"]]), found[2], "%")
                              + (found[3] or ""), cell, count=1)
        texts = self.mark.expressions_of(heading, names, self.size)
        waiting = list(texts)

        def replaced(found):
            if found[1]:
                spoken = texts[len(texts) - len(waiting) - 1].strip()
                time = self.entries[entry].get(names.get("rung name") if spoken == "rung" else spoken)
                return "±" + formatted(interval(time), found[2], "%") + (found[3] or "") if time else found[0]
            if not waiting:
                return found[0]
            text, _, unit = waiting.pop(0).partition(" in ")
            value = evaluate(text, names)
            self.values.setdefault(column, []).append(value)
            return formatted(value, found[2], found[3] or unit or heading_unit(heading)) + (found[3] or "")
        return NUMBER.sub(replaced, cell) if texts else cell

    def mean(self, column, cell):
        if not self.values.get(column):
            return cell
        return NUMBER.sub(lambda found: formatted(MEANS["geomean"](self.values[column]), found[2],
                                                  found[3] or heading_unit(self.headings[column])) + (found[3] or ""), cell, count=1)

    @staticmethod
    def joined(line, cells):
        return "|" + "|".join(cells) + "|" if line.startswith("|") else "|".join(cells)


class ColumnTable:
    """The same for a table whose columns are sizes."""

    def __init__(self, entries, mark, header):
        self.entries, self.mark = entries, mark
        self.headings = [cell.strip() for cell in cells_of(header)]

    def row(self, line):
        cells = cells_of(line)
        name = plain(cells[0])
        text = self.mark.expressions.get(f"row {name}") or self.mark.expressions.get("rows") or "rung"
        text, _, unit = text.partition(" in ")
        for i, heading in enumerate(self.headings):
            if heading in self.mark.expressions and i > 0:
                names = names_of(self.entries, f"{self.mark.entry}/{self.mark.expressions[heading]}")
                names["rung"] = names.get(name)
                cells[i] = NUMBER.sub(lambda found: formatted(evaluate(text, names), found[2], found[3] or unit) + (found[3] or ""),
                                      cells[i], count=1) if names["rung"] or f"row {name}" in self.mark.expressions else cells[i]
        return Table.joined(line, cells)


def inline(entries, line):
    def replaced(found):
        number, unit, mean, pattern, text = found.groups()
        text, _, spoken = text.partition(" in ")
        matching = fnmatch.filter(sorted(entries), pattern) if mean else [pattern]
        if not matching or (mean and mean not in MEANS):
            raise Unknown(f"no expectations of {mean} {pattern}")
        values = [evaluate(text, names_of(entries, entry)) for entry in matching]
        value = MEANS[mean](values) if mean else values[0]
        return found[0].replace(number, formatted(value, number, unit or spoken), 1)
    return INLINE.sub(replaced, line)


def expected_lines(entries, lines, complain):
    """The page as it should be. `complain(number of line, text)` is called where a mark cannot be followed."""
    result, table, mark, kind, begun = [], None, None, Table, ""
    for number, line in enumerate(lines, 1):
        new = line
        begun = f"{begun} {line.strip()}".strip() if begun or line.startswith("<!-- expected") else ""
        if begun and "-->" not in begun:  # a mark of several lines
            result.append(line)
            continue
        try:
            if found := TABLE_MARK.match(begun):
                kind, mark, table = ColumnTable if found[1] else Table, TableMark(found[2]), None
            elif mark and line.startswith("|"):
                if table is None:
                    table = kind(entries, mark, line)
                elif not re.fullmatch(r"[-:| ]+", line):
                    new = table.row(line)
            elif mark and table is None:
                raise Unknown("a mark of expected numbers has no table below it")
            else:
                mark = table = None
            new = inline(entries, new)
        except Unknown as unknown:
            complain(number, str(unknown))
            mark = mark if table is not None else None
        begun = ""
        result.append(new)
    return result


def changed(old, new):
    """Pairs of what a line quotes and what is expected: numbers with a mark of their own, else whole cells."""
    marked = [(a[1] + (a[2] or ""), b[1] + (b[2] or "")) for a, b in zip(INLINE.finditer(old), INLINE.finditer(new))]
    cells = [(a.strip(), b.strip()) for a, b in zip(old.split("|"), new.split("|"))]
    return [(a, b) for a, b in marked or cells if a != b]


def pages(root):
    found = [root / "README.md", *sorted(root.glob("chapters/**/README.md")), *sorted(root.glob("docs/**/*.md"))]
    return [page for page in found if page.exists()]


def differences(root, fix=False):
    """A line for each number that is not the expected one, and for each mark that cannot be followed."""
    entries, complaints = load(root), []
    for page in pages(root):
        lines = page.read_text().split("\n")
        place = page.relative_to(root)
        expected = expected_lines(entries, lines, lambda number, text, place=place: complaints.append(f"{place}:{number}: {text}"))
        for number, (old, new) in enumerate(zip(lines, expected), 1):
            if old != new and not fix:
                complaints += [f"{place}:{number}: quotes '{a}', expected is '{b}'" for a, b in changed(old, new)]
        if fix and lines != expected:
            page.write_text("\n".join(expected))
    return complaints


def main():
    if set(sys.argv[1:]) - {"--fix"}:
        sys.exit(__doc__)
    complaints = differences(pathlib.Path(__file__).resolve().parent.parent, "--fix" in sys.argv)
    print("\n".join(complaints) or "all quoted numbers are the expected ones")
    if complaints and "--fix" not in sys.argv:
        print("tools/quoted_numbers.py --fix writes the expected ones")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
