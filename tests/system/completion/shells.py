"""What `aisp completion` prints, asked as a user's shell asks it.

    shells.py AISP INSTALLED

INSTALLED is the folder of scripts that `cmake --install` copies. bash is always there; zsh and fish are asked where
they are installed. Elsewhere their scripts are looked at only: every option of the help page must be in them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INSTALLED = {"bash": "aisp", "zsh": "_aisp", "fish": "aisp.fish"}

# What is typed up to the cursor, and some of what must be offered, or all of it where the list is exact.
ASKED = [
    ("aisp ", {"bench", "sweep", "new", "completion", "help"}, False),
    ("aisp he", {"help"}, True),
    ("aisp bench ", {"run", "list-targets"}, True),
    ("aisp new t", {"target"}, True),
    ("aisp expectations ", {"show", "check"}, True),
    ("aisp bench run --ti", {"--timer", "--time-limit"}, True),
    ("aisp check --ti", {"--timeout"}, True),
    ("aisp check --ex", {"--explain", "--explore"}, True),
    ("aisp bench run --quick --timer ", {"events", "graph"}, True),
    ("aisp sweep --l2 ho", {"hot"}, True),
    ("aisp bench list-targets --js", {"--json"}, True),
    ("aisp completion ", {"bash", "zsh", "fish"}, True),
    ("aisp bench run --targets ch09:memory_b", {"ch09:memory_bound"}, True),
    ("aisp bench run --targets ch10:matmul,ch09:memory_b", {"ch10:matmul,ch09:memory_bound"}, True),
    ("aisp history ch09:memory_b", {"ch09:memory_bound"}, True),
    ("aisp inspect ch14:ins", {"ch14:inspect"}, True),
    ("aisp inspect ch14:inspect --what res", {"resources"}, True),
    ("aisp bench list-targets --chapter ch1", {"ch10", "ch11", "ch14"}, True),
    ("aisp check --suppressions acc", {"accepted.txt"}, True),
    ("aisp bench run --out fo", {"folder/"}, True),
    ("aisp help tu", {"tune"}, True),
    ("aisp bench run --seed ", set(), True),
]


# The same with a program in the place of aisp that knows a target where two modules are loaded, and fails elsewhere.
LOADED = [
    ("aisp history --load one.so --load two.so mine:a", {"mine:axpy"}, True),
    ("aisp check --targets mine:a", set(), True),
    ("aisp demo m", set(), True),
]
STAND_IN = """#!/bin/sh
case "$*" in
  "bench list-targets --json --load one.so --load two.so") echo '    "target": "mine:axpy"' ;;
  *) echo "aisp: no" >&2; exit 4 ;;
esac
"""


def output_of(*words, **more):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if result.returncode != 0 or result.stderr:
        sys.exit(f"{' '.join(map(str, words))[:300]}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def commands_of(page):
    """{command: options} as the page has them, read another way than the program reads it."""
    commands = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        if not heading.startswith("aisp "):
            continue
        usage = re.search(r"```\n(.*?)```", body, re.DOTALL).group(1)
        name = heading.removeprefix("aisp ")
        names = re.findall(rf"^aisp ({name} [a-z][a-z-]*)(?=\s)", usage, re.MULTILINE) or [name]
        options = re.findall(r"^- `(--[a-z0-9-]+)", body.split("\n### ")[0], re.MULTILINE)
        for one in names:
            commands[one] = options
    return commands


def expect_every_option(shell, script, commands):
    for command, options in commands.items():
        for option in [*options, "--help"]:
            wanted = {
                "bash": rf"^{command}\|{option}\|",
                "zsh": rf"^  '{command}'\)\n(?:    .*\n)*?      '{option}=?\[",
                "fish": rf"^complete -c aisp -n '__aisp_at {command}' -l {option[2:]} ",
            }[shell]
            if not re.search(wanted, script, re.MULTILINE):
                sys.exit(f"{shell}: {option} of 'aisp {command}' is not in the script")


def with_slash(word):
    """The slash of a folder is added by bash and zsh themselves."""
    return word + "/" if os.path.isdir(word) else word


def as_bash_words(line):
    """bash cuts words at blanks, and at ':' and '=' which become words themselves."""
    words = re.findall(r"[:=]+|[^\s:=]+", line)
    return words + [""] if line.endswith(" ") else words


def ask_bash(script, line):
    words = as_bash_words(line)
    quoted = " ".join(f"'{word}'" for word in words)
    ask = f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _aisp; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    offered = set(output_of("bash", "--norc", "-c", ask).split("\n")) - {""}
    # bash keeps what stands before the last ':' or '='.
    typed = re.match(r".*?([^\s]*)$", line).group(1)
    before = typed[:max(typed.rfind(":"), typed.rfind("=")) + 1]
    return {before + with_slash(one) for one in offered}


def ask_fish(script, line):
    lines = output_of("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'").splitlines()
    return {line.split("\t")[0] for line in lines}


# A shell at a terminal of its own, whose compadd notes what it is given. A key completes and then notes the end.
ZSH = r"""
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $2/dump"
zpty -w asked "compadd() { local -a made; builtin compadd -O made \"\$@\"; print -rl -- \${^made/#/\$IPREFIX} >> $2/offers; builtin compadd \"\$@\" }"
zpty -w asked "ask() { zle complete-word; print >> $2/done }; zle -N ask; bindkey '^T' ask"
zpty -w -n asked "$3"$'\x14'
repeat 300; do [[ -e $2/done ]] && break; sleep 0.1; done
zpty -d asked
"""


def ask_zsh(folder, scratch, line):
    offers = scratch / "offers"
    offers.write_text("")
    done = scratch / "done"
    done.unlink(missing_ok=True)
    subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", folder, scratch, line], capture_output=True, text=True, timeout=60)
    if not done.exists():
        sys.exit(f"zsh: '{line}' was not answered within 30 seconds")
    return {with_slash(one) for one in offers.read_text().split("\n") if one}


def expect_answers(shell, ask, asked):
    for line, wanted, exact in asked:
        offered = ask(line)
        if offered != wanted if exact else not wanted <= offered:
            sys.exit(f"{shell}: '{line}' offers {sorted(offered)}, wanted {sorted(wanted)}{'' if exact else ' and more'}")
    print(f"{shell}: {len(asked)} answers are right")


def main():
    aisp, installed = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    commands = commands_of(output_of(aisp, "help", "all"))
    if len(commands) < 15 or "--timer" not in commands["bench run"]:
        sys.exit(f"the help page has the commands {commands}")
    os.environ["PATH"] = f"{aisp.parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        scripts = {}
        for shell, name in INSTALLED.items():
            text = output_of(aisp, "completion", shell)
            if (installed / name).read_text() != text:
                sys.exit(f"{installed / name} is not what the program prints; build it again")
            expect_every_option(shell, text, commands)
            scripts[shell] = scratch / name
            scripts[shell].write_text(text)
        place = scratch / "place"
        (place / "folder").mkdir(parents=True)
        (place / "accepted.txt").write_text("")
        os.chdir(place)
        shells = {"bash": lambda line: ask_bash(scripts["bash"], line)}
        if shutil.which("fish"):
            output_of("fish", "--no-config", "-n", scripts["fish"])
            shells["fish"] = lambda line: ask_fish(scripts["fish"], line)
        if shutil.which("zsh"):
            output_of("zsh", "-f", "-n", scripts["zsh"])
            shells["zsh"] = lambda line: ask_zsh(scratch, scratch, line)
        for shell, ask in shells.items():
            expect_answers(shell, ask, ASKED)
        stand_in = scratch / "bin/aisp"
        stand_in.parent.mkdir()
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        os.environ["PATH"] = f"{stand_in.parent}:{os.environ['PATH']}"
        for shell, ask in shells.items():
            expect_answers(shell, ask, LOADED)


main()
