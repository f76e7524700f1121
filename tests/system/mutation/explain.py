"""Reads survivors.txt: mutants that nobody can notice, and why. Its format is told at its head."""

import dataclasses
import fnmatch


@dataclasses.dataclass
class Explanation:
    instruction: str
    programs: list = dataclasses.field(default_factory=list)
    places: list = dataclasses.field(default_factory=list)  # (file, part of its line)
    why: str = ""
    used: set = dataclasses.field(default_factory=set)  # programs


def read(path):
    explanations = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" "):
            explanations.append(Explanation(line.strip()))
            continue
        if not explanations:
            raise SystemExit(f"{path}:{number}: no instruction before this line")
        word, _, rest = line.strip().partition(" ")
        here = explanations[-1]
        if word == "in":
            here.programs += rest.split()
        elif word == "at":
            file, _, code = rest.strip().partition(" ")
            here.places.append((file, code.strip()))
        elif word == "why":
            here.why = rest.strip()
        elif here.why:
            here.why += " " + line.strip()
        else:
            raise SystemExit(f"{path}:{number}: neither in, at nor why: {line.strip()}")
    for explanation in explanations:
        if not explanation.programs or not explanation.why:
            raise SystemExit(f"{path}: {explanation.instruction} needs an 'in' and a 'why'")
    return explanations


def line_of(root, place):
    path, _, number = place.rpartition(":")
    file = root / path
    lines = file.read_text().splitlines() if file.is_file() else []
    return path, lines[int(number) - 1] if 0 < int(number) <= len(lines) else ""


def find(explanations, program, mutant, root):
    frames = [line_of(root, place) for place in mutant["source"]]
    for explanation in explanations:
        if program not in explanation.programs or not fnmatch.fnmatchcase(mutant["text"], explanation.instruction):
            continue
        if all(any(path == file and code in line for path, line in frames) for file, code in explanation.places):
            explanation.used.add(program)
            return explanation.why
    return None


def unused(explanations, results):
    """Only what this run could have needed: programs that took part."""
    for explanation in explanations:
        for program in explanation.programs:
            if program in results and program not in explanation.used:
                yield f"{explanation.instruction} in {program}"
