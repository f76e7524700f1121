"""Every command of `make help` is run by `make test` or by a step of tools/nightly, and the documents know it.

    make_targets.py [--self-test]

`make test` itself runs what it depends on. What a step runs is read from its commands (tools/nightly --list), so a target
that is only named there does not count.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
import tempfile

import tree

BY_HAND = {"help", "test", "nightly"}  # what prints the list, and the two commands that run the others


def output(root, *words):
    return subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout


def helped(root):
    """The targets that `make help` names, in its order."""
    return re.findall(r"^make ([a-z-]+)  ", output(root, "make", "help"), re.MULTILINE)


def run_by_steps(listed):
    """Targets of make in the commands of the steps."""
    commands = [line.strip() for line in listed.splitlines() if line.startswith("    ")]
    return {target for command in commands for target in re.findall(r"(?:^|&& )make (?:-C \S+ )?([a-z-]+)", command)}


def run_by_test(makefile):
    """What `make test` depends on, and what those depend on."""
    found, left = set(), ["test"]
    while left:
        target = left.pop()
        for line in re.findall(rf"^(?:[a-z -]* )?{target}(?: [a-z -]*)?:([^=\n]*)$", makefile, re.MULTILINE):
            new = [word for word in line.split() if word not in found]
            found.update(new)
            left += new
    return found


def check(root):
    makefile = (root / "Makefile").read_text()
    targets, listed = helped(root), output(root, "tools/nightly", "--list")
    covered = BY_HAND | run_by_steps(listed) | run_by_test(makefile)
    complaints = [] if targets else ["make help names no target"]
    for target in targets:
        if target not in covered:
            complaints.append(f"make {target} is run neither by make test nor by a step of tools/nightly")
    phony = re.search(r"^\.PHONY:(.*)$", makefile, re.MULTILINE).group(1).split()
    rules = set(re.findall(r"^([a-z][a-z -]*):(?!=)", makefile, re.MULTILINE))
    for target in sorted({name for rule in rules for name in rule.split()}):
        if target not in phony:
            complaints.append(f"{target} is a rule of the Makefile and not in .PHONY")
        if target not in targets and target not in ("help", "build"):
            complaints.append(f"make {target} is not in make help")
    contributing = (root / "CONTRIBUTING.md").read_text()
    complaints += [f"CONTRIBUTING.md does not name make {target}" for target in targets if f"`make {target}`" not in contributing]
    makers = [root / "Makefile", root / "tools/nightly", root / "tools/other_host", root / "binding/python/backend/aisp_build.py"]
    folders = {folder for maker in makers if maker.exists() for folder in re.findall(r"(?<![\w/-])build-[a-z]+", maker.read_text())}
    cleaned = output(root, "make", "-n", "clean").split()
    complaints += [f"make clean leaves {folder}" for folder in sorted(folders | {"build"}) if folder not in cleaned]
    return complaints


PLANTED = {
    "Makefile": ".PHONY: help test nightly all asan clean\nhelp:\n\t@echo 'make all         x'\n\t@echo 'make test        x'\n"
                "\t@echo 'make nightly     x'\n\t@echo 'make asan        x'\n\t@echo 'make clean       x'\n"
                "all:\n\t@true\ntest: all\n\t@true\nnightly: all\n\t@tools/nightly\nasan:\n\t@true\nclean:\n\t@rm -rf build build-asan\n",
    "tools/nightly": "#!/bin/sh\nprintf 'asan\\n    rm -rf build-asan\\n    make asan\\nclean\\n    make -C x clean\\n'\n",
    "CONTRIBUTING.md": "`make all` `make test` `make nightly` `make asan` `make clean`\n",
}
CHANGES = [  # file, text, its replacement, what is complained about
    ("tools/nightly", "make asan", "make clean", "make asan is run neither by make test nor by a step"),
    ("tools/nightly", "    make asan", "    echo make asan", "make asan is run neither by make test nor by a step"),
    ("Makefile", "test: all", "test:", "make all is run neither by make test nor by a step"),
    ("Makefile", "\t@echo 'make asan        x'\n", "", "make asan is not in make help"),
    ("Makefile", " asan clean\n", " clean\n", "asan is a rule of the Makefile and not in .PHONY"),
    ("Makefile", "build build-asan", "build", "make clean leaves build-asan"),
    ("CONTRIBUTING.md", "`make asan`", "", "CONTRIBUTING.md does not name make asan"),
]


def planted(change=None):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in PLANTED.items():
            if change and path == change[0]:
                if change[1] not in text:
                    sys.exit(f"{path} has no '{change[1]}'")
                text = text.replace(change[1], change[2])
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        (root / "tools/nightly").chmod(0o755)
        return check(root)


def load_nightly():
    loader = importlib.machinery.SourceFileLoader("nightly", str(tree.ROOT / "tools/nightly"))
    nightly = importlib.util.module_from_spec(importlib.util.spec_from_loader("nightly", loader))
    loader.exec_module(nightly)
    return nightly


def check_toolkit():
    """The toolkit of the build is found where CMake found nvcc by itself and its cache does not name it."""
    with tempfile.TemporaryDirectory() as folder:
        tree.plant(pathlib.Path(folder), {
            "build/CMakeCache.txt": "CMAKE_CUDA_FLAGS:STRING=\n",
            "build/CMakeFiles/3.25.1/CMakeCUDACompiler.cmake": 'set(CMAKE_CUDA_COMPILER "/opt/cuda-13/bin/nvcc")\n'
                                                               'set(CMAKE_CUDA_COMPILER_ID "NVIDIA")\n'})
        done = subprocess.run(["bash", "-c", f"echo {load_nightly().CUDA}"], cwd=folder, capture_output=True, text=True)
    if (done.stdout, done.stderr) != ("/opt/cuda-13\n", ""):
        sys.exit(f"tools/nightly finds the toolkit {done.stdout!r} and prints {done.stderr!r}")


def check_runner():
    """tools/nightly goes on behind a step that failed, counts it, and names the steps that it skipped."""
    nightly = load_nightly()
    nightly.STEPS = {"first": (None, ["echo began", "false", "echo went on"]), "second": (None, ["echo ran | cat"]),
                     "third": (lambda: "no moon tonight", ["false"])}
    with tempfile.TemporaryDirectory() as folder:
        nightly.ROOT = pathlib.Path(folder)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            codes = nightly.main([]), nightly.main(["second", "third"])
        logs = [(nightly.ROOT / nightly.LOGS / f"{name}.log").read_text() for name in ("first", "second")]
    text = said.getvalue()
    for part in ("failed: 'false', exit code 1; see build/nightly/first.log", "skipped: no moon tonight",
                 "nightly: 1 of 3 steps failed: first; 1 skipped: third\n", "nightly: 0 of 2 steps failed, 1 skipped: third\n"):
        if part not in text:
            sys.exit(f"tools/nightly does not print '{part}':\n{text}")
    if codes != (1, 0) or logs != ["$ echo began\nbegan\n$ false\n", "$ echo ran | cat\nran\n"]:
        sys.exit(f"tools/nightly: exit codes {codes}, logs {logs}")


def self_test():
    check_toolkit()
    check_runner()
    if planted():
        sys.exit(f"complains about nothing: {planted()}")
    for change in CHANGES:
        found = planted(change)
        if not any(change[3] in complaint for complaint in found):
            sys.exit(f"{change[:3]}: '{change[3]}' is not in {found}")
    unknown = subprocess.run([tree.ROOT / "tools/nightly", "no_such_step"], capture_output=True, text=True)
    if unknown.returncode != 2 or "no step no_such_step; the steps are checker" not in unknown.stderr:
        sys.exit(f"a word that is no step: {unknown.returncode} {unknown.stderr}")


if "--self-test" in sys.argv:
    self_test()
else:
    wrong = check(tree.ROOT)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
