"""Every C++ and CUDA file is in the house format (.clang-format); --fix brings it there (`make format`)."""

import re
import shutil
import subprocess
import sys

import tree

VERSION = 14  # other versions break lines elsewhere; the tree can follow only one
SKIPPED = 77


def options(parser):
    parser.add_argument("--fix", action="store_true", help="rewrite the files")


def formatter():
    """clang-format of the version the tree is written with, or an exit that says what is missing."""
    seen = []
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if not path:
            continue
        banner = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        major = re.search(r"version (\d+)", banner)
        if major and int(major.group(1)) == VERSION:
            return path
        seen.append(banner.strip())
    if not seen:
        sys.exit("clang-format not found; run ./setup")
    print(f"skipped: the house format is that of clang-format {VERSION}, here is {', '.join(seen)}")
    sys.exit(SKIPPED)


def check(root, arguments):
    sources = [path for path in tree.files(root) if path.suffix in tree.CPP]
    if not sources:
        return []
    mode = ["-i"] if arguments.fix else ["--dry-run", "-Werror"]
    result = subprocess.run([formatter(), "--style=file", *mode, *sources], cwd=root, capture_output=True, text=True)
    if result.returncode == 0:
        return []
    places = re.findall(r"^(\S+:\d+):\d+: error:", result.stderr, re.MULTILINE)
    first_of = {place.split(":")[0]: place for place in reversed(places)}
    return [f"{place}: not in the house format; run `make format`" for place in sorted(first_of.values())] \
        or result.stderr.splitlines()


def self_test(planted):
    style = {".clang-format": (tree.ROOT / ".clang-format").read_text()}
    tree.expect(planted({**style, "base/good.hpp": "int good();\n"}), [], "a formatted file")
    complaint = "not in the house format; run `make format`"
    tree.expect(planted({**style, "base/good.hpp": "int good();\n", "base/bad.cu": "int good();\nint  bad( );\n"}),
                [f"base/bad.cu:2: {complaint}"], "a file with odd blanks")


tree.main(check, self_test, options)
