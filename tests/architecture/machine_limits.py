"""Machine limits are written once, in tile/arch/limits.hpp: the number of SMs, the bytes of shared memory of an SM and of a block,
the registers of a block. Code of tile/ and jit/ that writes one of these numbers again, as 232448 or as 227 * 1024, is
reported. Comments are left out, and so are numbers that mean many things (1024 threads, 512 columns)."""

import re

import tree

LIMITS = "tile/arch/limits.hpp"
FOLDERS = {"tile", "jit"}
EVERYDAY = {1024, 512, 100, 90, 80, 8, 1, 0}  # numbers of the header that are written elsewhere with other meanings
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.%\"'])(\d[\d']*)(?:\s*(\*|<<)\s*(\d+))?(?![\w.])")


def without_comments(text):
    return COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)


def numbers(text):
    """(line, value, as it is written) of each integer, and of one that is written in KiB."""
    for found in NUMBER.finditer(text):
        value = int(found[1].replace("'", ""))
        values = {value}
        if found[2]:
            factor = int(found[3])
            values |= {factor}
            if 1024 in values and found[2] == "*" or (found[2], factor) == ("<<", 10):
                values |= {1024 * (factor if value == 1024 else value)}
        for one in values:
            yield text.count("\n", 0, found.start()) + 1, one, found[0]


def limits(root):
    text = without_comments((root / LIMITS).read_text())
    return {value for _, value, _ in numbers(text)} - EVERYDAY


def check(root, _):
    if not (root / LIMITS).is_file():
        return [f"{LIMITS}: is not there; tests/architecture/machine_limits.py reads the limits from it"]
    known, complaints = limits(root), []
    for path in tree.files(root):
        if path.parts[0] not in FOLDERS or path.suffix not in tree.CPP or path.as_posix() == LIMITS:
            continue
        for line, value, written in numbers(without_comments((root / path).read_text())):
            if value in known:
                complaints.append(f"{path}:{line}: writes {written}, a machine limit; take it from {LIMITS}, or from the device by "
                                  "tile/device/launch/machine.hpp")
    return complaints


def self_test(planted):
    header = {LIMITS: "// 77777 is no limit.\nif (a >= 90) return {90, 132, 233472, 232448, 0, 8};\nint registers = 65536, threads = 1024;\n"}

    def one(text, written, line=1, path="tile/kernel/a.cuh"):
        complaint = (f"{path}:{line}: writes {written}, a machine limit; take it from {LIMITS}, or from the device by "
                     "tile/device/launch/machine.hpp")
        tree.expect(planted({**header, path: text}), [complaint] if written else [], f"{path} with {text!r}")

    one("int budget = 232448;\n", "232448")
    one("int x;\nint budget = 232'448;\n", "232'448", 2)
    one("static_assert(bytes <= 227 * 1024);\n", "227 * 1024", path="jit/pass/plan.cpp")
    one("int budget = 1024 * 227;\n", "1024 * 227")
    one("int budget = 227 << 10;\n", "227 << 10")
    one("return 65536 / threads;\n", "65536")
    one("int grid = 132 * 2;\n", "132 * 2")
    one('text += "if (at < 232448)";\n', "232448", path="jit/emit/block.cpp")
    one("// 232448 bytes, in 132 SMs\nint a = 1024 + 512 + 90; /* 65536\n */ int b = 77777;\n", None)
    one("int a = 1320, b = 2132, c = x132, d = 132.5, e = 1 << 16, f = g / 256 * 256;\n", None)
    one("int budget = 232448;\n", None, path="chapters/ch10/a.cuh")
    one("%132 %65536\n", None, path="tile/arch/wgmma_instructions.inc")
    tree.expect(planted({"tile/kernel/a.cuh": ""}),
                [f"{LIMITS}: is not there; tests/architecture/machine_limits.py reads the limits from it"], "a tree without the header")


tree.main(check, self_test)
