"""Code that a document shows is code of the tree.

A fenced block whose first line names a file, such as ```cpp lab/case/case.hpp, must be found in that file line by
line; a line of only … stands for lines that are left out. In docs/extend/ and docs/tile.md every block of code names
its file, and every page of docs/extend/ but its table of contents has such a block. A program of docs/programs/, which
a test compiles and runs, is shown whole, and by some page.
"""

import re

import tree

FENCE = re.compile(r"^(```+|~~~+)[ \t]*(\S*)[ \t]*(\S*)[ \t]*$")
LEFT_OUT = "…"
EXTEND = ("docs", "extend")
PROGRAMS = "docs/programs/"


def blocks(text):
    """(line of the fence, language, path, lines) of every fenced block."""
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if opened is None:
            if fence:
                opened = (number, fence.group(1), fence.group(2), fence.group(3), [])
        elif fence and line.strip() == opened[1]:
            yield opened[0], opened[2], opened[3], opened[4]
            opened = None
        else:
            opened[4].append(line)


def runs_of(lines):
    """[(place in the block, [lines])]: what stands between lines that are left out."""
    runs, current = [], []
    for place, line in enumerate(lines):
        if line.strip() == LEFT_OUT:
            runs.append((place - len(current), current))
            current = []
        else:
            current.append(line)
    runs.append((len(lines) - len(current), current))
    return [(place, run) for place, run in runs if run]


def first_missing(lines, source):
    """Place in the block of the first line that the file does not have where it should; None when all are there."""
    at = 0
    for place, run in runs_of(lines):
        matched = 0
        for start in range(at, len(source)):
            here = 0
            while here < len(run) and start + here < len(source) and source[start + here] == run[here]:
                here += 1
            matched = max(matched, here)
            if here == len(run):
                at = start + here
                break
        if matched < len(run):
            return place + matched
    return None


def check_document(root, path):
    complaints = []
    in_extend = path.parts[:2] == EXTEND
    names_files = in_extend or path.as_posix() == "docs/tile.md"
    shown = 0
    for line, language, name, lines in blocks((root / path).read_text()):
        if not name:
            if names_files and language:
                complaints.append(f"{path}:{line}: code without the path of its file")
            continue
        shown += 1
        if not (root / name).is_file():
            complaints.append(f"{path}:{line}: shows {name}, which does not exist")
            continue
        source = (root / name).read_text().splitlines()
        if name.startswith(PROGRAMS) and lines != source:
            at = next((place for place, (here, there) in enumerate(zip(lines, source)) if here != there),
                      min(len(lines), len(source)))
            complaints.append(f"{path}:{line + 1 + at}: {name} is a program and has to be shown whole")
            continue
        missing = first_missing(lines, source)
        if missing is not None:
            complaints.append(f"{path}:{line + 1 + missing}: not in {name} at this place: {lines[missing].strip()!r}")
    if in_extend and shown == 0 and path.name != "README.md":
        complaints.append(f"{path}:1: shows no code of the tree")
    return complaints


def check(root, _):
    files = tree.files(root)
    pages = [path for path in files if path.suffix == ".md"]
    shown = {name for path in pages for _, _, name, _ in blocks((root / path).read_text())}
    unseen = [f"{path}:1: no page shows this program" for path in files
              if path.as_posix().startswith(PROGRAMS) and path.as_posix() not in shown]
    return [complaint for path in pages for complaint in check_document(root, path)] + unseen


def self_test(planted):
    source = {"base/sum.cpp": "int sum(int a, int b) {\n  return a + b;\n}\n\nint twice(int a) {\n  return a + a;\n}\n"}

    def one(block, complaint, page="docs/page.md"):
        found = planted({**source, page: block})
        tree.expect(found, [f"{page}:{complaint}"] if complaint else [], repr(block))

    one("```cpp base/sum.cpp\nint sum(int a, int b) {\n  return a + b;\n}\n```\n", None)
    one("```cpp base/sum.cpp\nint sum(int a, int b) {\n…\n}\n  …\n  return a + a;\n```\n", None)
    one("```cpp base/gone.cpp\nint sum;\n```\n", "1: shows base/gone.cpp, which does not exist")
    one("text\n\n```cpp base/sum.cpp\nint sum(int a, int b) {\n  return b + a;\n}\n```\n",
        "5: not in base/sum.cpp at this place: 'return b + a;'")
    one("```cpp base/sum.cpp\nint sum(int a, int b) {\n}\n```\n", "3: not in base/sum.cpp at this place: '}'")
    one("```cpp base/sum.cpp\nint twice(int a) {\n…\nint sum(int a, int b) {\n```\n",
        "4: not in base/sum.cpp at this place: 'int sum(int a, int b) {'")
    one("```cpp base/sum.cpp\nreturn a + b;\n```\n", "2: not in base/sum.cpp at this place: 'return a + b;'")
    one("```cpp\nint other;\n```\n", None)
    one("```\nmake test\n```\n", "1: shows no code of the tree", page="docs/extend/page.md")
    one("Pages.\n", None, page="docs/extend/README.md")
    one("```cpp base/sum.cpp\nint twice(int a) {\n```\n```\nmake\n```\n", None, page="docs/extend/page.md")
    one("```cpp base/sum.cpp\nint twice(int a) {\n```\n```cpp\nint b;\n```\n", "4: code without the path of its file",
        page="docs/extend/page.md")
    program = {"docs/programs/one.cu": "int main() {\n  return 0;\n}\n"}
    whole = "```cpp docs/programs/one.cu\nint main() {\n  return 0;\n}\n```\n"
    tree.expect(planted({**program, "docs/page.md": whole}), [], "a program shown whole")
    tree.expect(planted({**program, "docs/page.md": whole.replace("  return 0;\n", "…\n")}),
                ["docs/page.md:3: docs/programs/one.cu is a program and has to be shown whole"], "a program cut")
    tree.expect(planted({**program, "docs/page.md": "text\n"}), ["docs/programs/one.cu:1: no page shows this program"],
                "a program that nobody sees")
    one("```cpp\nint b;\n```\n", "1: code without the path of its file", page="docs/tile.md")
    one("~~~text\n```cpp base/gone.cpp\n```\n~~~\n", None)


tree.main(check, self_test)
