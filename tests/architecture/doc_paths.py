"""Every path of the tree that a document names exists.

Looked at: words in `backticks` that begin with a top folder, and targets of links. A word may hold
stand-ins: chNN, <name>, * and {a,b}. What comes before its last stand-in must match something.
"""

import os
import re

import tree

TOP_FOLDERS = {"app", "base", "binding", "comm", "tile", "sim", "lab", "chapters", "examples", "jit", "peers", "tests", "docs", "cmake", "tools",
               ".ci"}

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
BACKTICKS = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def without_fences(text):
    return FENCE.sub(lambda match: "\n" * match.group().count("\n"), text)


def as_globs(word):
    """'lab/{case,judge}/<name>.hpp' -> ['lab/case/*.hpp', 'lab/judge/*.hpp']"""
    word = re.sub(r"<[^>]*>|…|\.\.\.", "*", word)
    word = re.sub(r"\bchNN\b", "ch[0-9][0-9]", word)
    braces = re.search(r"\{([^{}]*)\}", word)
    if not braces:
        return [word]
    return [glob for choice in braces.group(1).split(",")
            for glob in as_globs(word[:braces.start()] + choice + word[braces.end():])]


def exists(root, word):
    for glob in as_globs(word):
        parts = [part for part in glob.split("/") if part]
        wild = [place for place, part in enumerate(parts) if re.search(r"[*?\[]", part)]
        if wild and wild[-1] == len(parts) - 1:
            parts.pop()  # the file's name is open: its folder must be there
        if parts and not any(root.glob("/".join(parts))):
            return False
    return True


def named_paths(text):
    """(offset, path, is_link) of everything that looks like a path of the tree."""
    for match in BACKTICKS.finditer(text):
        # A stand-in may hold blanks; a word may not.
        for word in re.findall(r"(?:<[^>]*>|[^\s<>])+", match.group(1)):
            word = re.sub(r"(:\d+)+$", "", word.strip("()[],;:'\"").removeprefix("./")).rstrip(".")
            if "/" in word and word.split("/")[0] in TOP_FOLDERS:
                yield match.start(), word, False
    for match in LINK.finditer(text):
        target = match.group(1).split("#")[0]
        if target and not re.match(r"[a-z]+:", target):
            yield match.start(), target, True


def check_document(root, path):
    text = without_fences((root / path).read_text())
    complaints = []
    for offset, name, is_link in named_paths(text):
        word = os.path.normpath(path.parent / name) if is_link else name
        if not exists(root, word):
            line = text.count("\n", 0, offset) + 1
            complaints.append(f"{path}:{line}: names {name}, which does not exist")
    return complaints


def check(root, _):
    return [complaint for path in tree.files(root) if path.suffix == ".md" for complaint in check_document(root, path)]


def self_test(planted):
    there = {"lab/case/case.hpp": "", "chapters/ch09/sum/case.cpp": "", "docs/tour.md": ""}

    def one(text, missing, line=1):
        wanted = [f"docs/page.md:{line}: names {missing}, which does not exist"] if missing else []
        tree.expect(planted({**there, "docs/page.md": text}), wanted, repr(text))

    one("Read `lab/case/gone.hpp`.", "lab/case/gone.hpp")
    one("\n\nRun `python3 tests/gone.py --fix` now.", "tests/gone.py", line=3)
    one("Start at `app/gone.cpp`.", "app/gone.cpp")
    one("Copy `examples/gone/`.", "examples/gone/")
    one("See [the tour](toor.md).", "toor.md")
    one("See [up](../chapters/ch10/).", "../chapters/ch10/")
    one("`chapters/ch10/expectations_<hardware>.json`", "chapters/ch10/expectations_<hardware>.json")
    one("`lab/{case,judge}/`", "lab/{case,judge}/")
    one("`chapters/chNN/<the target>/notes/*.txt`", "chapters/chNN/<the target>/notes/*.txt")
    one("`lab/case/case.hpp:12`, `./lab/case/`, `lab/{case}/*.hpp`, `chapters/chNN/expectations_<hardware>.json`, "
        "`chapters/chNN/<a target>/case.cpp`, [tour](tour.md#start), [web](https://lab/none), `GB/s`, "
        "`build/bin/aisp`", None)
    one("```\nlab/gone/\n`lab/gone/`\n```\n", None)


tree.main(check, self_test)
