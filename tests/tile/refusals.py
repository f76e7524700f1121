"""Files that must not compile, and say why: the first line of each is `// expect: a part of the compiler's message`.

The message must hold that text and stay short: the reader sees one screen, not a tower of templates.
"""

import pathlib
import subprocess
import sys

compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
most_lines = 15
bad = []
files = sorted(root.glob("tests/tile/**/refuse_*.cpp"))
for file in files:
    wanted = file.read_text().split("\n", 1)[0].removeprefix("// expect: ")
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{root}", str(file)],
                          capture_output=True, text=True, timeout=120)
    lines = done.stderr.strip().split("\n")
    if done.returncode == 0:
        bad.append(f"{file.name}: compiles")
    elif wanted not in done.stderr:
        bad.append(f"{file.name}: the message lacks '{wanted}':\n{done.stderr}")
    elif len(lines) > most_lines:
        bad.append(f"{file.name}: {len(lines)} lines of message, at most {most_lines}")
print("\n".join(bad) or f"{len(files)} wrong uses are refused with their numbers")
sys.exit(1 if bad or not files else 0)
