"""Files that must not compile, and say why: the first line of each is `// expect: a part of the compiler's message`.

The message must hold that text and stay short: the reader sees one screen, not a tower of templates. The list of headers
that include each other in front of it is not counted. Files end in .cpp
where the host's compiler is enough, in .cu where the refused thing is device code.

    refusals.py CXX NVCC ROOT

AISP_TEST_SWEEPS=full compiles all of them; otherwise all that are device code and all of tests/jit, which are few, and
every third of the others, by name.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweep

cxx, nvcc, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
most_lines = 15
words = {".cpp": [cxx, "-fsyntax-only"], ".cu": [nvcc, "-ccbin", cxx, "-arch=sm_90a", "--ptx", "-o", os.devnull]}


def look(file):
    """Empty, or what is wrong with the refusal."""
    wanted = file.read_text().split("\n", 1)[0].removeprefix("// expect: ")
    done = subprocess.run([*words[file.suffix], "-std=c++20", f"-I{root}", str(file)], capture_output=True, text=True,
                          timeout=240)
    lines = [line for line in done.stderr.strip().split("\n") if not re.match(r"In file included from | +from ", line)]
    if done.returncode == 0:
        return f"{file.name}: compiles"
    if wanted not in done.stderr:
        return f"{file.name}: the message lacks '{wanted}':\n{done.stderr}"
    if len(lines) > most_lines:
        return f"{file.name}: {len(lines)} lines of message, at most {most_lines}:\n{done.stderr}"
    return ""


every = {suffix: sorted(root.glob(f"tests/*/**/refuse_*{suffix}")) for suffix in words}
always = [file for file in every[".cpp"] if file.is_relative_to(root / "tests/jit")] + every[".cu"]
others = [file for file in every[".cpp"] if file not in always]
files = sweep.sample(others, len(others) // 3, 1, lambda file: file.name) + always
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    bad = [why for why in pool.map(look, files) if why]
tried = sweep.stated(len(files), sum(map(len, every.values())), "wrong uses")
print("\n".join(bad) or f"{tried}; each is refused with its numbers")
sys.exit(1 if bad or not files else 0)
