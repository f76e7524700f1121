"""Every header compiles on its own and when it is included twice: .hpp with the host compiler, .cuh with nvcc.

Several are compiled in one unit: a header, then one that includes it, then one that includes that. Nothing stands
before any of them that it would not have brought along itself, so each is as good as alone.

Headers that others take into their own programs (TAKEN) are alone indeed. The rest is always compiled behind
precompiled headers of the standard library, and so it is here. A header of these whose own source includes it before
anything else is compiled alone by every build; of it only the guard is looked for, and so it is of what the sources of
its own folder compile and nobody else does: headers of tests and chapters.

With AISP_TEST_SWEEPS=full every chain has a unit of its own. Otherwise about six chains share a unit, those that include
least first. The first chain of a unit is still compiled alone. Another one can lack an include without an error only if
the chains before it bring that along, so it comes behind those that bring the least beyond what it includes itself. Of
twelve includes that were taken out of headers, one at a time, the shared units showed eight."""

import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tree

JOBS = 2
CHAINS_PER_UNIT = 1 if os.environ.get("AISP_TEST_SWEEPS") == "full" else 6
TAKEN = {"base", "comm", "tile", "examples"}
# Where the lists of precompiled headers stand: for one folder, and for the others.
LISTS = {"sim": "sim/CMakeLists.txt", "": "cmake/units.cmake"}


def options(parser):
    parser.add_argument("--cxx", default="g++", help="host compiler")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", help="CUDA compiler")
    parser.add_argument("--include", action="append", default=[], help="further include folders")


def command(header, unit, root, arguments):
    folders = [f"-I{root}"] + [f"-I{folder}" for folder in arguments.include]
    if header.suffix == ".hpp":
        # tests/CMakeLists.txt gives the test programs these paths.
        paths = [f'-DAISP_{name}=""' for name in ("FIXTURE", "SOURCE_DIR", "BUILD_DIR")]
        # sim/ is built for processors with wide vectors; here, without them, only their passing would be warned of.
        return [arguments.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-psabi",
                "-Wno-missing-field-initializers", *paths, *folders, *what_of(header, unit)]
    # PTX for Hopper: enough to see that the device code parses and lowers, without the assembler.
    return [arguments.nvcc, "-std=c++20", "-Werror=all-warnings", "-gencode", "arch=compute_90a,code=compute_90a",
            "-ptx", "-o", unit.with_suffix(".ptx"), *folders, unit]


def what_of(header, unit):
    if unit.suffix == ".gch":
        return ["-x", "c++-header", "-o", unit, unit.with_suffix("")]
    folder = header.parts[0]
    behind = [] if folder in TAKEN else ["-Winvalid-pch", "-include", unit.parent / precompiled(folder)]
    return ["-fsyntax-only", *behind, unit]


def precompiled(folder):
    return f"precompiled_{folder if folder in LISTS else ''}.hpp"


def precompile(folders, root, scratch, arguments):
    """The lists that headers of these folders stand behind."""
    for folder in sorted({folder if folder in LISTS else "" for folder in folders}):
        found = re.search(r"(?:target_precompile_headers\(\S+ PRIVATE|set\(sim_headers)((?:\s+<[^>]+>)+)\)",
                          (tree.ROOT / LISTS[folder]).read_text())
        if found is None:
            sys.exit(f"{LISTS[folder]} has no list of precompiled headers any more")
        text = scratch / precompiled(folder)
        text.write_text("".join(f"#include {name}\n" for name in found.group(1).split()))
        subprocess.run(command(text, text.with_suffix(".hpp.gch"), root, arguments), check=True)


def compile_unit(headers, number, root, scratch, arguments):
    """What the compiler says about these headers in one unit, or None."""
    unit = scratch / f"unit_{number}{'.cu' if headers[0].suffix == '.cuh' else '.cpp'}"
    unit.write_text("".join(f'#include "{header.as_posix()}"\n' * 2 for header in headers))
    try:
        result = subprocess.run(command(headers[0], unit, root, arguments), capture_output=True, text=True)
    except FileNotFoundError as error:
        return f"no compiler: {error}"
    if result.returncode == 0:
        return None
    lines = (result.stderr or result.stdout).splitlines()
    errors = [line for line in lines if "error" in line] or lines
    return f"does not compile alone: {errors[0] if errors else result.returncode}"


def compile_chain(chain, number, root, scratch, arguments):
    """The complaints about a chain of headers; one by one where it does not compile as a whole."""
    if compile_unit(chain, number, root, scratch, arguments) is None:
        return []
    said = [(header, compile_unit([header], f"{number}_{at}", root, scratch, arguments)) for at, header in enumerate(chain)]
    alone = [f"{header}: {text}" for header, text in said if text]
    return alone or [f"{chain[-1]}: does not compile after {', '.join(map(str, chain[:-1]))}, which it includes"]


def reached(headers, root, outside=False):
    """{header: every header of the tree that it includes, however far down; with `outside` others as well}"""
    direct = {header: [pathlib.Path(name) for name in
                       re.findall(r'^#include ["<]([^">]+)', (root / header).read_text(), re.MULTILINE)] for header in headers}
    known = {}

    def below(header):
        if header not in known:
            known[header] = set()  # a circle ends here; layers.py complains of it
            for name in direct[header]:
                if name in direct:
                    known[header] |= {name} | below(name)
                elif outside:
                    known[header].add(name)
        return known[header]

    for header in headers:
        below(header)
    return known


def share_units(chains, headers, root, per_unit):
    """The chains in lists of about `per_unit` that are compiled with the same options."""
    below = reached(headers, root, outside=True)
    every = {chain[0]: set(chain).union(*(below[header] for header in chain)) for chain in chains}

    def kind(chain):
        folder = chain[0].parts[0]
        return chain[0].suffix, "taken" if folder in TAKEN else precompiled(folder)

    result = []
    for _, same in itertools.groupby(sorted(chains, key=lambda chain: (kind(chain), chain)), key=kind):
        same = sorted(same, key=lambda chain: len(every[chain[0]]))
        left, units = -(-len(same) // per_unit), []  # how many more units there may be
        for chain in same:
            beyond = [len(set().union(*(every[other[0]] for other in unit)) - every[chain[0]]) for unit in units]
            room = [at for at, unit in enumerate(units) if len(unit) < 2 * per_unit]
            best = min(room, key=lambda at: beyond[at], default=None) if per_unit > 1 else None
            if best is None or left > 0 and beyond[best] > 1:
                units.append([chain])
                left -= 1
            else:
                units[best].append(chain)
        result += units
    return result


def compile_shared(chains, number, root, scratch, arguments):
    """The complaints about the chains of a unit; chain by chain where it does not compile as a whole."""
    if len(chains) > 1:
        if compile_unit([header for chain in chains for header in chain], number, root, scratch, arguments) is None:
            return []
    return [complaint for at, chain in enumerate(chains)
            for complaint in compile_chain(chain, f"{number}_{at}", root, scratch, arguments)]


def chains(headers, root):
    """The headers in as few chains as possible, in each of which every header includes those before it: a largest
    matching of headers with the next ones."""
    above = {header: [] for header in headers}
    for header, names in reached(headers, root).items():
        for name in names:
            above[name].append(header)
    below, following = {}, {}

    def match(header, tried):
        for other in above[header]:
            if other not in tried:
                tried.add(other)
                if other not in below or match(below[other], tried):
                    below[other], following[header] = header, other
                    return True
        return False

    for header in headers:
        match(header, set())
    result = []
    for header in headers:
        if header not in below:
            chain = [header]
            while chain[-1] in following:
                chain.append(following[chain[-1]])
            result.append(chain)
    return result


def built_alone(header, root):
    """Its source begins with it."""
    source = (root / header).with_suffix(".cpp")
    if header.parts[0] in TAKEN or header.suffix != ".hpp" or not source.exists():
        return False
    first = re.search(r'^#include [<"]([^>"]+)', source.read_text(), re.MULTILINE)
    return first is not None and first.group(1) == header.as_posix()


def check(root, arguments):
    found = tree.files(root)
    built = {path for path in found if built_alone(path, root) or path.parts[0] in ("chapters", "tests")}
    unguarded = [f"{path}: has no #pragma once" for path in sorted(built) if path.suffix in (".hpp", ".cuh")
                 and not re.search(r"^#pragma once$", (root / path).read_text(), re.MULTILINE)]
    found = [path for path in found if path not in built]
    apart = [chain for suffix in (".cuh", ".hpp")
             for chain in chains([path for path in found if path.suffix == suffix], root)]
    headers = [path for path in tree.files(root) if path.suffix in (".hpp", ".cuh")]
    units = share_units(apart, headers, root, CHAINS_PER_UNIT)
    if root == tree.ROOT:
        print(f"{len(apart)} chains of headers in {len(units)} units; {len(units)} of the chains are compiled alone"
              + ("; AISP_TEST_SWEEPS=full compiles all of them alone" if len(units) < len(apart) else ""))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        behind = {chain[0].parts[0] for chain in apart if chain[0].suffix == ".hpp"} - TAKEN
        precompile(behind, root, pathlib.Path(folder), arguments)
        results = pool.map(
            lambda at: compile_shared(at[1], at[0], root, pathlib.Path(folder), arguments), enumerate(units))
        return unguarded + sorted(complaint for complaints in results for complaint in complaints)


def self_test(planted):
    global CHAINS_PER_UNIT
    CHAINS_PER_UNIT = 6
    good = "#pragma once\n#include <string>\nstruct Good { std::string name; };\n"
    others = {f"base/other_{at}.hpp": f'#pragma once\n#include "base/good.hpp"\nstruct Other{at} : Good {{}};\n' for at in range(3)}
    for text, what in (("#pragma once\nstruct Odd { std::bitset<3> bits; };\n", "a missing include in a shared unit"),
                       ("#pragma once\nstruct Odd { std::string name; };\n", "a missing include of what comes first in a unit"),
                       ("struct Odd {};\n", "no include guard in a shared unit")):
        found = planted(others | {"base/good.hpp": good, "base/an_odd.hpp": text})
        if len(found) != 1 or not found[0].startswith("base/an_odd.hpp: does not compile alone: "):
            tree.expect(found, ["base/an_odd.hpp: does not compile alone: …"], what)
    CHAINS_PER_UNIT = 1
    tree.expect(planted({"base/good.hpp": good, "base/uses.hpp": '#pragma once\n#include "base/good.hpp"\n'}), [],
                "headers in order")

    def bad(name, text, what, beside={}):
        found = planted({name: text, "base/good.hpp": good} | beside)
        if len(found) != 1 or not found[0].startswith(f"{name}: does not compile alone: "):
            tree.expect(found, [f"{name}: does not compile alone: …"], what)

    source = '#include "lab/case/odd.hpp"\n\n#include <map>\n'
    tree.expect(planted({"lab/case/odd.hpp": "struct Odd {};\n", "lab/case/odd.cpp": source}),
                ["lab/case/odd.hpp: has no #pragma once"], "no guard in a header that its source begins with")
    needs = "#pragma once\nstruct Odd { std::map<int, int> map; };\n"
    tree.expect(planted({"lab/case/odd.hpp": needs, "lab/case/odd.cpp": source}), [], "what the build compiles alone")
    bad("lab/case/late.hpp", "#pragma once\nstruct Late { std::bitset<3> bits; };\n", "a source that begins with another",
        {"lab/case/late.cpp": '#include <bitset>\n#include "lab/case/late.hpp"\n'})
    bad("base/needs.hpp", "#pragma once\nstruct Needs { std::string name; };\n", "a missing include")
    bad("base/twice.hpp", "struct Twice {};\n", "no include guard")
    bad("base/gone.hpp", '#pragma once\n#include "base/nowhere.hpp"\n', "an include that is not there")
    chain = {"base/top.hpp": '#pragma once\n#include "base/middle.hpp"\n',
             "base/middle.hpp": '#pragma once\n#include "base/good.hpp"\n#include "base/low.hpp"\n', "base/good.hpp": good}
    tree.expect(planted(chain | {"base/low.hpp": '#pragma once\n#include "base/good.hpp"\nstruct Low : Good {};\n'}), [],
                "headers that include each other")
    for name, text, what in (("low", "#pragma once\nstruct Low : Good {};\n", "one that the header above it helps out"),
                             ("low", "struct Low {};\n", "no include guard, below another")):
        found = planted(chain | {f"base/{name}.hpp": text})
        if not any(line.startswith(f"base/{name}.hpp: does not compile alone: ") for line in found):
            tree.expect(found, [f"base/{name}.hpp: does not compile alone: …"], what)
    bad("tile/arch/bad.cuh", "#pragma once\n__device__ int broken() { return threadIdx.w; }\n", "device code")


tree.main(check, self_test, options)
