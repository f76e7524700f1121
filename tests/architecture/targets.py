"""What `aisp bench list-targets` says and what the pages say is the same.

Every target stands on its chapter's page and has a page of its own; that page names every rung of its ladder, and its
tables of rungs have no row that is none. A page, an expectation or a link that names a target names one that there is.
A build of a part of the chapters, which has no peers, lists too little to say that: without --aisp nothing is checked.
"""

import json
import re
import subprocess
import sys

import tree

LINK = re.compile(r"\[([^\]]+)\]\((\w+)/README\.md\)")
NAME = re.compile(r"\bch\d\d:(\w+)")
# Of docs/extend/target.md, which walks through making one, and of a line that shows how they are written.
MADE_UP = {"ch09:scale", "ch09:name"}


def listed(root, arguments):
    if (root / "list.json").exists():  # planted
        return json.loads((root / "list.json").read_text())
    out = subprocess.run([arguments.aisp, "bench", "list-targets", "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def rung_rows(text):
    """The first cells of all tables whose first column is headed 'rung', as (line, name)."""
    lines, inside = text.splitlines(), False
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[0] == "rung":
            inside = True
        elif inside and not set(cells[0]) <= set("-: "):
            yield number, cells[0]


def page_of_chapter(root, chapter, targets, known):
    page = f"chapters/{chapter}/README.md"
    if not (root / page).exists():
        return [f"{page}: is missing; {chapter} has targets"]
    links = LINK.findall((root / page).read_text())
    complaints = [f"{page}: {one['target']} is not on it" for one in targets
                  if one["name"] not in {folder for _, folder in links}]
    for text, folder in links:
        if f"{chapter}:{folder}" not in known:
            complaints.append(f"{page}: links {folder}, which is no target")
        elif " " not in text and text != folder:
            complaints.append(f"{page}: calls {folder} '{text}'")
    return complaints


def page_of_target(root, one):
    page = f"chapters/{one['chapter']}/{one['name']}/README.md"
    if not (root / page).exists():
        return [f"{page}: is missing"]
    text = (root / page).read_text()
    title = re.match(r"# (?:ch\d\d:)?(\w+)", text)
    complaints = [] if title and title.group(1) == one["name"] else [f"{page}: does not begin with '# {one['name']}'"]
    rungs = {rung["name"]: rung["peer"] for rung in one["rungs"]}
    complaints += [f"{page}: the rung {rung} is not on it" for rung, peer in rungs.items()
                   if not peer and not re.search(rf"\b{rung}\b", text)]
    for line, cell in rung_rows(text):
        name = re.match(r"`?(\w+)", cell)
        # A library beside the ladder may stand there by its own name: cuBLASLt, PyTorch.
        if name and name.group(1).islower() and name.group(1) not in rungs:
            complaints.append(f"{page}:{line}: {name.group(1)} is no rung of {one['target']}")
    return complaints


def expectations(root, path, by_name):
    complaints = []
    for entry, rungs in json.loads((root / path).read_text())["entries"].items():
        one = by_name.get(entry.split("/")[0])
        if one is None:
            complaints.append(f"{path}: expects {entry}, which is no target")
            continue
        known = {rung["name"] for rung in one["rungs"]}
        complaints += [f"{path}: {entry} expects the rung {rung}, which there is none of" for rung in rungs if rung not in known]
    return complaints


def check(root, arguments):
    if not arguments.aisp and not (root / "list.json").exists():
        print("only a part of the chapters is built")
        sys.exit(77)
    targets = listed(root, arguments)
    built = [one for one in targets if one["status"] == "built" and re.fullmatch(r"ch\d\d", one["chapter"])]
    files = tree.files(root)
    folders = {f"{path.parts[1]}:{path.parts[2]}" for path in files
               if path.name == "case.cpp" and len(path.parts) == 4 and re.fullmatch(r"ch\d\d", path.parts[1])}
    names = {one["target"] for one in targets}
    complaints = [f"{name.replace(':', '/')}: has a case.cpp and is not listed" for name in sorted(folders - names)]
    aliases = {f"{one['chapter']}:{re.split(' ', alias)[0]}" for one in targets for alias in one["aliases"]}
    known = names | folders | aliases
    for chapter in sorted({one["chapter"] for one in built}):
        complaints += page_of_chapter(root, chapter, [one for one in built if one["chapter"] == chapter], known)
    for one in built:
        complaints += page_of_target(root, one)
    for path in files:
        if path.suffix == ".md":
            text = (root / path).read_text()
            complaints += [f"{path}: names {name}, which is no target" for name in
                           sorted({found.group(0) for found in NAME.finditer(text)} - known - MADE_UP)]
        if path.name.startswith("expectations_") and path.parts[0] == "chapters":
            complaints += expectations(root, path, {one["target"]: one for one in targets})
    return complaints


def options(parser):
    parser.add_argument("--aisp", help="the program that lists, with all chapters")


def self_test(planted):
    rungs = [{"name": "in_turn", "peer": False}, {"name": "side_by_side", "peer": False}, {"name": "library_sum", "peer": True}]
    one = {"target": "ch09:sum", "chapter": "ch09", "name": "sum", "status": "built", "aliases": ["add (bf16)"], "rungs": rungs}
    waits = {**one, "target": "ch09:later", "name": "later", "status": "needs sm_100a, not built yet", "rungs": []}
    roof = {**one, "target": "roof:link", "chapter": "roof", "name": "link", "rungs": []}
    page = "# sum\n\n| rung | idea |\n|---|---|\n| `in_turn` | |\n| side_by_side, 8 lanes | |\n| `library_sum` | |\n"
    good = {"list.json": json.dumps([one, waits, roof]),
            "chapters/ch09/sum/case.cpp": "", "chapters/ch09/sum/README.md": page,
            "chapters/ch09/README.md": "| [sum](sum/README.md) | adds |\n[the page](sum/README.md)\n",
            "README.md": "`ch09:sum`, ch09:add, ch09:later and `ch09:sum/4096`\n",
            "chapters/ch09/expectations_h200.json": json.dumps({"entries": {"ch09:sum/4096": {"in_turn": {}, "library_sum": {}}}})}

    def found(complaints, **changes):
        names = {"list": "list.json", "chapter": "chapters/ch09/README.md", "page": "chapters/ch09/sum/README.md",
                 "readme": "README.md", "expected": "chapters/ch09/expectations_h200.json", "more": "chapters/ch09/more/case.cpp"}
        contents = {**good, **{names[key]: text for key, text in changes.items()}}
        tree.expect(planted({path: text for path, text in contents.items() if text is not None}), complaints, str(changes))

    found([])
    found(["chapters/ch09/README.md: is missing; ch09 has targets"], chapter=None)
    found(["chapters/ch09/README.md: ch09:sum is not on it"], chapter="`ch09:sum`\n")
    found(["chapters/ch09/README.md: links product, which is no target"],
          chapter=good["chapters/ch09/README.md"] + "[product](product/README.md)\n")
    found(["chapters/ch09/README.md: calls sum 'total'"], chapter=good["chapters/ch09/README.md"] + "[total](sum/README.md)\n")
    found(["chapters/ch09/sum/README.md: is missing"], page=None)
    found(["chapters/ch09/sum/README.md: does not begin with '# sum'"], page=page.replace("# sum", "# total"))
    found(["chapters/ch09/sum/README.md: the rung side_by_side is not on it"], page=page.replace("side_by_side", "cuBLASLt"))
    found(["chapters/ch09/sum/README.md:8: one_pass is no rung of ch09:sum"], page=page + "| `one_pass` | |\n")
    found(["chapters/ch09/sum/README.md:8: one_pass is no rung of ch09:sum"], page=page + "| one_pass, 8 lanes | |\n")
    found([], page=page + "\n| file | |\n|---|---|\n| `one_pass` | |\n")
    found(["README.md: names ch09:product, which is no target"], readme="`ch09:product`\n")
    found(["chapters/ch09/expectations_h200.json: expects ch09:product/8, which is no target"],
          expected=json.dumps({"entries": {"ch09:product/8": {}}}))
    found(["chapters/ch09/expectations_h200.json: ch09:sum/8 expects the rung one_pass, which there is none of"],
          expected=json.dumps({"entries": {"ch09:sum/8": {"one_pass": {}}}}))
    found(["ch09/more: has a case.cpp and is not listed"], more="")


if __name__ == "__main__":
    tree.main(check, self_test, options)
