"""docs/cli.md keeps the shape the program reads its help from, and names the exit codes of base/refuse.hpp.

A command is `## aisp <command>`, then a one-line summary, a usage block, and options of one line each that
occur in the usage block, and the other way round.
"""

import re

import tree

OPTION = re.compile(r"^- `(--[a-z0-9-]+)( [A-Za-z]+)?`: \S")
WANTED = ["bench list-targets", "bench run", "sweep", "compare", "expectations", "report", "history", "doctor", "sim", "check", "layout", "tune gemm", "tune program", "demo", "inspect", "draw sync", "cache",
          "new project", "new target", "completion", "help", "version"]


def sections(text):
    """{heading: [lines]} of the second level."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {parts[at].strip(): parts[at + 1].strip("\n").split("\n") for at in range(1, len(parts), 2)}


def check_command(name, lines):
    complaints = []
    if not lines[0] or lines[0].startswith(("`", "-", "#")) or (len(lines) > 1 and lines[1]):
        complaints.append(f"{name}: needs a one-line summary below its heading")
    fences = [place for place, line in enumerate(lines) if line.startswith("```")]
    if len(fences) != 2:
        return complaints + [f"{name}: needs one usage block"]
    usage = "\n".join(lines[fences[0] + 1:fences[1]])
    shown = set(re.findall(r"--[a-z0-9-]+", usage)) - {"--help", "--version"}
    explained = set()
    for line in lines[fences[1]:]:
        if line.startswith("###"):
            break
        if line.startswith("- "):
            option = OPTION.match(line)
            if option:
                explained.add(option.group(1))
            else:
                complaints.append(f"{name}: not an option line: {line}")
    complaints += [f"{name}: {option} is shown in the usage and not explained" for option in sorted(shown - explained)]
    complaints += [f"{name}: {option} is explained and not shown in the usage" for option in sorted(explained - shown)]
    return complaints


def check_exit_codes(root, lines):
    source = (root / "base/refuse.hpp").read_text()
    body = re.search(r"enum class Exit \{(.*?)\}", source, re.DOTALL).group(1)
    wanted = [f"- `{code}`: {name}" for name, code in re.findall(r"(\w+) = (\d+)", body)]
    found = [line.split(": ", 2)[0] + ": " + line.split(": ", 2)[1] for line in lines if line.count(": ") >= 2]
    return [] if found == wanted else [f"Exit codes: base/refuse.hpp says {wanted}, the page {found}"]


def check(root, _):
    found = sections((root / "docs/cli.md").read_text())
    commands = [heading.removeprefix("aisp ") for heading in found if heading.startswith("aisp ")]
    complaints = [] if commands == WANTED else [f"commands are {commands}, wanted {WANTED}"]
    for heading, lines in found.items():
        if heading.startswith("aisp "):
            complaints += check_command(heading, lines)
    for heading in ("Exit codes", "Files", "Environment"):
        if heading not in found:
            complaints.append(f"no section '{heading}'")
    if "Exit codes" in found:
        complaints += check_exit_codes(root, found["Exit codes"])
    return [f"docs/cli.md: {complaint}" for complaint in complaints]


def self_test(planted):
    page = (tree.ROOT / "docs/cli.md").read_text()
    codes = {"base/refuse.hpp": (tree.ROOT / "base/refuse.hpp").read_text()}

    def changed(old, new, complaint):
        if old not in page:
            raise SystemExit(f"self-test: {old!r} is not in docs/cli.md")
        found = planted({**codes, "docs/cli.md": page.replace(old, new, 1)})
        if not any(complaint in line for line in found):
            tree.expect(found, [f"… {complaint} …"], f"{old!r} -> {new!r}")

    tree.expect(planted({**codes, "docs/cli.md": page}), [], "the page itself")
    changed("## aisp history", "## aisp past", "commands are")
    changed("[--measure]", "", "--measure is explained and not shown")
    changed("- `--measure`", "- `--gauge`", "--measure is shown in the usage and not explained")
    changed("- `--json`: ", "- --json ", "not an option line")
    changed("- `3`: wrong", "- `5`: wrong", "base/refuse.hpp says")
    changed("## Files", "## Folders", "no section 'Files'")


tree.main(check, self_test)
