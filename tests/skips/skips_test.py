"""tests/skips/run on made-up tests, by this machine's ctest: expected and unexpected skips, and what it exits with.

    skips_test.py
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import skips  # noqa: E402

TESTS = {  # name: (shell script, properties)
    "good": ("true", ""),
    "unit.Skips": (r"printf '[ RUN      ] A.B\n/tree/a_test.cpp:12: Skipped\nno GPU here:\nno driver\n\n[  SKIPPED ] A.B (0 ms)\n'",
                   r'SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]"'),
    "script": ("echo looked around; echo no chromium on this machine; exit 77", "SKIP_RETURN_CODE 77"),
    "turned_off": ("true", "DISABLED TRUE"),
    "no_program": (None, ""),
    "bad": ("echo 100% tests passed, 0 tests failed out of 2; false", ""),  # as a ctest of its own prints
}
ALL_EXPECTED = """# name | condition | reason
unit.* | always | no GPU here: no driver
script | always | no [chromium?] on this machine
script | always | no chromium on * machine
turned_off | always | disabled
"""


def demand(condition, *what):
    if not condition:
        sys.exit(" ".join(str(word) for word in what))


def run(names, expected):
    """(exit code, lines) of tests/skips/run on these tests."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name in ("run", "skips.py"):
            shutil.copy(HERE / name, folder)
        (folder / "expected.txt").write_text(expected)
        (folder / "build").mkdir()
        lines = []
        for name in names:
            script, properties = TESTS[name]
            program = "/nowhere/program" if script is None else "sh"
            lines.append(f'add_test([=[{name}]=] "{program}"' + ('' if script is None else f' "-c" [=[{script}]=]') + ')')
            if properties:
                lines.append(f"set_tests_properties([=[{name}]=] PROPERTIES {properties})")
        (folder / "build/CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        done = subprocess.run([folder / "run", "build"], cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout.rstrip().splitlines()


def check_expected():
    code, lines = run(("good", "unit.Skips", "script", "turned_off"), ALL_EXPECTED)
    text = "\n".join(lines)
    demand(code == 0, "expected skips exit", code, text)
    demand(lines[-1].startswith("100% tests passed"), "the last line is", lines[-1])
    for line in ("skipped: 3", "  no GPU here: no driver (always):", "    unit.Skips", "    script", "    turned_off"):
        demand(line in lines, f"no line '{line}' in\n{text}")


def check_unexpected():
    lines_of = ALL_EXPECTED.splitlines()
    for missing, name, reason in ((1, "unit.Skips", "no GPU here: no driver"), (3, "script", "no chromium on this machine"),
                                  (4, "turned_off", "disabled")):
        expected = "\n".join(line for place, line in enumerate(lines_of) if place != missing)
        code, lines = run(("good", name), expected)
        demand(code == 1 and f"    {name}: {reason}" in lines and "skipped: 1, of which 1 unexpected" in lines,
               f"without its line {name} gives {code}:", *lines)
        demand(lines[-1].startswith("100% tests passed"), "the last line is", lines[-1])
    # By its name alone no skip is expected: another reason, or a condition that does not hold.
    demand(run(("good", "script"), "script | always | no dpkg\n")[0] == 1, "another reason was expected")
    skips.CONDITIONS["never"] = lambda: False
    demand(not skips.Line("script | never | *").fits("script", "x"), "a condition that does not hold was taken")
    demand(skips.Line("script | always | *").fits("script", "x"), "a condition that holds was not taken")


def check_codes():
    code, lines = run(("good", "bad", "script"), ALL_EXPECTED)
    demand(code == 8, "a failed test gives", code, "and not ctest's 8:", *lines)
    demand(lines[-2:] == ["", "67% tests passed, 1 tests failed out of 3"], "the last lines are", lines[-2:])
    code, lines = run(("bad", "script"), "")
    demand(code == 8, "a failed test beside an unexpected skip gives", code)
    demand(run(("good", "no_program"), ALL_EXPECTED)[0] == 8, "a test without its program passes")
    demand(run(("good",), "a line\n")[0] == 4, "a bad line of expected.txt passes")
    demand(run(("good",), "x | full moon | y\n")[0] == 4, "an unknown condition passes")
    demand(run(("good",), "")[1].count("skipped: 0") == 1, "nothing skipped is not counted")


def check_committed():
    lines = [skips.Line(line) for line in (HERE / "expected.txt").read_text().splitlines() if line.strip() and not line.startswith("#")]
    # The report page is skipped for what it prints without a browser, and for nothing else.
    page = subprocess.run([sys.executable, "-B", HERE.parent / "system/report/page.py", "aisp"], capture_output=True, text=True,
                          env={"PATH": "/nowhere"})
    demand(page.returncode == 77, "without chromium page.py exits", page.returncode, page.stderr)
    for line in lines:
        line.holds = line.holds or line.condition == "no chromium"
    for reason, wanted in ((skips.reason_of(page.stdout), True), ("no reason given", False)):
        demand(any(line.fits("report.page", reason) for line in lines) == wanted, f"report.page with '{reason}' is", not wanted)


check_expected()
check_unexpected()
check_codes()
check_committed()
