"""clang-tidy over the sources of base, comm, lab and sim with the commands of a configured build folder.

    python3 tools/tidy.py BUILD [part of a path]…

The build folder must have been configured; nothing is compiled but what configuring left to be generated. Prints every
finding once and exits 1 if there is one, 4 if clang-tidy or the folder is missing.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "comm", "lab", "sim")
# Options of g++ that clang does not know, and what only the compiler's own build needs.
UNKNOWN = re.compile(r"^(-fno-gnu-unique|-Werror|-fmax-errors=.*|-Winvalid-pch|-W.*restrict)$")


def commands(build):
    """{source: its compile command's words} of the folders, once each."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if ROOT in path.parents and path.relative_to(ROOT).parts[0] in FOLDERS and path.suffix == ".cpp":
            found.setdefault(path, entry)
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tidy, build = shutil.which("clang-tidy"), pathlib.Path(sys.argv[1])
    if tidy is None or not (build / "compile_commands.json").exists():
        print(f"tidy: {'no clang-tidy on PATH' if tidy is None else f'{build} is not configured'}; run: make tidy", file=sys.stderr)
        return 4
    # A list of commands of its own, in clang's words.
    own = build / "tidy"
    own.mkdir(exist_ok=True)
    chosen = {path: entry for path, entry in commands(build).items()
              if not sys.argv[2:] or any(part in str(path) for part in sys.argv[2:])}
    entries = []
    for path, entry in chosen.items():
        words = [word for word in entry["command"].split() if not UNKNOWN.match(word)]
        entries.append({**entry, "command": " ".join([*words, "-Wno-unknown-warning-option"])})
    (own / "compile_commands.json").write_text(json.dumps(entries))

    def look(path):
        done = subprocess.run([tidy, "-quiet", "-p", own, path], capture_output=True, text=True)
        return done.stdout if done.returncode or done.stdout.strip() else ""

    seen = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, text in enumerate(pool.map(look, chosen), 1):
            for block in re.split(r"(?=^/\S+:\d+:\d+: (?:warning|error): )", text, flags=re.MULTILINE):
                first = block.split("\n", 1)[0]
                if re.match(r"/\S+:\d+:\d+: ", first) and first not in seen:
                    seen.add(first)
                    print(block.rstrip().replace(f"{ROOT}/", ""), flush=True)
            if sys.stderr.isatty():
                print(f"\r{number} of {len(chosen)}", end="", file=sys.stderr)
    print(f"tidy: {len(seen)} findings in {len(chosen)} sources")
    return 1 if seen else 0


sys.exit(main())
