"""Uses the program of the checker alone as its user does: sim, check, layout and draw on a program, every command of the
help, and the words of the commands that it does not have.

    checker_program.py AISP CLI_PAGE PROGRAM PAIR RULE

PROGRAM PAIR bug has a planted hazard of RULE, PROGRAM PAIR fixed has none (tests/hazards).
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

AISP, CLI_PAGE, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:4])
PAIR, RULE = sys.argv[4:]
# Every command that is not in it, with what its refusal names.
LEFT_OUT = {"cache": "kernels that are compiled at run time", "demo": "demonstrations", "inspect": "rungs to look at",
            "tune gemm": "recipes of the tile library to tune", "tune program": "tile programs to tune"}


def demand(condition, *what):
    if not condition:
        sys.exit(" ".join(str(word) for word in what))


class Checker:
    def __init__(self, home):
        self.home = home
        self.environment = {**os.environ, "AISP_HOME": str(home), "NO_COLOR": "1"}

    def run(self, *words, exit=0):
        done = subprocess.run([AISP, *words], capture_output=True, text=True, env=self.environment, cwd=self.home,
                              timeout=120)  # a program with chapters would run all of them
        demand(exit is None or done.returncode == exit, "aisp", *words,
               f": exit code {done.returncode} instead of {exit}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr


def check_what_it_has(checker):
    demand(re.match(r"aisp \d+\.\d+\.\d+ ", checker.run("--version")), "no version")
    demand(checker.run("layout", "(4,2):(2,1)").startswith("(4,2):(2,1)\nrank 2, size 8"), "no layout")
    simulated = checker.run("sim", "--device", "h200,sms=8", "--", PROGRAM, PAIR, "fixed")
    demand(f"{PAIR} fixed: right" in simulated, "wrong numbers:", simulated)
    found = checker.run("check", "--", PROGRAM, PAIR, "bug", exit=3)
    demand(RULE in found, f"the planted {RULE} was not named:", found)
    checker.run("check", "--", PROGRAM, PAIR, "fixed")
    checker.run("check", "--format", "sarif", "--out", "findings.sarif", "--", PROGRAM, PAIR, "bug", exit=3)
    results = json.loads((checker.home / "findings.sarif").read_text())["runs"][0]["results"]
    demand([result for result in results if RULE in result["ruleId"]], f"no {RULE} in the SARIF file:", results)
    demand(RULE in checker.run("check", "--explain", RULE), "explains nothing about", RULE)
    checker.run("draw", "sync", "--out", "sync.svg", "--", PROGRAM, PAIR, "fixed")
    demand("<svg" in (checker.home / "sync.svg").read_text(), "draw sync wrote no picture")
    demand("complete -F" in checker.run("completion", "bash"), "no completion")


def check_commands(checker):
    """Each command of the help is known; those that are left out are refused in one line, and no others."""
    commands = re.findall(r"^## aisp ([a-z -]+)$", pathlib.Path(CLI_PAGE).read_text(), re.MULTILINE)
    demand(set(LEFT_OUT) <= set(commands), "the help has no", sorted(set(LEFT_OUT) - set(commands)))
    for command in commands:
        words = command.split()
        demand(f"aisp {words[0]}" in checker.run(*words, "--help"), f"aisp {command} --help shows no help")
        said = checker.run(*words, exit=4 if command in LEFT_OUT else None)
        demand("unknown command" not in said or f"'aisp {command} " in said,  # the first word of several commands
               f"aisp {command} is not known:", said)
        line = ("aisp: this build of aisp is the checker alone and has no "
                f"{LEFT_OUT.get(command, '')}; build them with 'make all'\n")
        if command in LEFT_OUT:
            demand(said == line, f"aisp {command} prints", said, "instead of", line)
        else:
            demand("is the checker alone" not in said, f"aisp {command} is left out:", said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(pathlib.Path(folder).resolve())
        check_what_it_has(checker)
        check_commands(checker)


main()
