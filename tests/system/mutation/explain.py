"""Reads survivors.txt: mutants that nobody can notice, and why. Its format is told at its head."""

import dataclasses
import fnmatch


@dataclasses.dataclass
class Explanation:
    instruction: str
    programs: list = dataclasses.field(default_factory=list)
    places: list = dataclasses.field(default_factory=list)  # [file, part of its line, part of the line above]
    why: str = ""
    correct: bool = False  # the mutant is a correct program
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
            here.places.append([file, code.strip(), ""])
        elif word == "below" and here.places:
            here.places[-1][2] = rest.strip()
        elif word in ("why", "correct"):
            here.why = rest.strip()
            here.correct = word == "correct"
        elif here.why:
            here.why += " " + line.strip()
        else:
            raise SystemExit(f"{path}:{number}: neither in, at, why nor correct: {line.strip()}")
    for explanation in explanations:
        if not explanation.programs or not explanation.why:
            raise SystemExit(f"{path}: {explanation.instruction} needs an 'in', and a 'why' or 'correct'")
    return explanations


def line_of(root, place):
    path, _, number = place.rpartition(":")
    file = root / path
    lines = file.read_text().splitlines() if file.is_file() else []
    lines = ["", *lines]
    return (path, *(lines[at] if 0 < at < len(lines) else "" for at in (int(number), int(number) - 1)))


def takes_part(explanation, program):
    return any(fnmatch.fnmatchcase(program, one) for one in explanation.programs)


def match(explanations, program, mutant, root):
    """What says why nobody can notice the mutant, or None."""
    frames = [line_of(root, place) for place in mutant["source"]]
    for explanation in explanations:
        if not takes_part(explanation, program) or not fnmatch.fnmatchcase(mutant["text"], explanation.instruction):
            continue
        if all(any(path == file and code in line and above in line_above for path, line, line_above in frames)
               for file, code, above in explanation.places):
            if mutant.get("by") is None:
                explanation.used.add(program)
            return explanation
    return None


def find(explanations, program, mutant, root):
    """Why nobody can notice the mutant; None where nothing says so."""
    found = match(explanations, program, mutant, root)
    return found and found.why


def unused(explanations, results):
    """Only what this run could have needed: programs that took part."""
    for explanation in explanations:
        for program in explanation.programs:
            here = set(fnmatch.filter(results, program))
            if here and not here & explanation.used:
                yield f"{explanation.instruction} in {program}"
