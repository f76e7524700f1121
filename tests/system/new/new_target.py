"""`aisp new target` into a chapter: in the house format, and it compiles and passes as it is.

    new_target.py AISP SOURCE BUILD SIMULATOR

The chapter is a folder elsewhere (AISP_CHAPTERS). Each file is compiled by the command that compiles its like in
chapters/, and linked into the program of the command-line tests, which has the lab and no other kernels.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# Long enough for lines to break elsewhere than in the example.
NAME = "scaled_sum_of_two_arrays"
LIKE = ("chapters_ch09.dir", "chapters_ch09_memory_bound.dir")  # with units and without


def run(*words, **more):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def command_like(build, language):
    """(folder, words, source) of the command that compiles a file of a chapter's target."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = entry.get("arguments") or shlex.split(entry["command"])
        if entry["file"].endswith(language) and any(f"/{name}/" in word for word in words for name in LIKE):
            return entry["directory"], words, entry["file"]
    sys.exit(f"no command of {' or '.join(LIKE)} compiles a {language} file in {build}")


def compiled(build, root, source):
    folder, words, like = command_like(build, source.suffix)
    made = root / f"{source.stem}.o"
    words = [str(source) if word == like else word for word in words]
    words[words.index("-o") + 1] = str(made)
    if "-MF" in words:  # where the compiler notes what it read
        words[words.index("-MF") + 1] = f"{made}.d"
    run(*words, f"-I{root}", cwd=folder)
    return made


def link_command(build, target):
    """The words that link a program, as the build has them."""
    if (build / "build.ninja").exists():
        lines = run("ninja", "-C", build, "-t", "commands", target).splitlines()
        return build, next(line for line in reversed(lines) if re.search(rf" -o \S*{target}\b", line))
    link = next(build.rglob(f"{target}.dir/link.txt"))
    return link.parents[2], link.read_text()


def linked(build, root, objects):
    folder, line = link_command(build, "aisp_fixture")
    program = root / "program"
    line, count = re.subn(r" -o \S*aisp_fixture\b", f" {' '.join(map(str, objects))} -o {program}", line)
    if count != 1:
        sys.exit(f"not a line that links aisp_fixture: {line}")
    run("sh", "-c", line, cwd=folder)
    return program


def main():
    aisp, source, build, simulator = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        (root / "chapters/ch09").mkdir(parents=True)
        shutil.copy(source / ".clang-format", root)
        os.environ["AISP_CHAPTERS"] = str(root / "chapters")
        os.environ["AISP_HOME"] = str(root / "home")
        os.environ["AISP_SIM_LIBRARY"] = str(simulator)
        said = run(aisp, "new", "target", f"ch09:{NAME}")
        files = sorted((root / "chapters/ch09" / NAME).iterdir())
        code = [path for path in files if path.suffix in (".cpp", ".cu", ".hpp")]
        if len(files) != 5 or len(code) != 4:
            sys.exit(f"made {files}")
        if shutil.which("clang-format-14"):
            run("clang-format-14", "--style=file", "--dry-run", "-Werror", *code)
            if "make format" in said:
                sys.exit(f"formatted, and yet:\n{said}")
        objects = [compiled(build, root, path) for path in code if path.suffix != ".hpp"]
        program = linked(build, root, objects)
        print(run(program, "bench", "run", "--quick", "--validate", "--device", "sim", "--targets", f"ch09:{NAME}", cwd=root))
        print(run(program, "check", "--explore", "2", "--targets", f"ch09:{NAME}", cwd=root))


main()
