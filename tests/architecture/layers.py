"""No file includes a layer above its own, and nothing leans on each other in a circle. The rules in words: docs/tour.md.

A layer is a folder of the second level; where that has folders in turn, these have an order too (INSIDE). A circle is
looked for among units: a header and the source of its name are one."""

import os
import re

import tree

TILE = ["layout", "arch", "atom", "tiled", "pipeline", "collective", "schedule", "kernel", "device", "instances"]
SIM = ["ptx", "program", "machine", "exec", "launch", "runtime", "cuda", "cudart"]
JIT = ["ir", "trace", "pass", "emit", "build", "cache", "run", "attention"]
LAB = ["case", "module", "judge", "measure", "record", "expect", "profile", "trace", "device", "run", "check", "report", "draw", "cli"]

# Rooms of a folder from the bottom up; "." are the files beside them.
INSIDE = {
    "sim/exec": [".", "arithmetic", "move", "memory", "image", "warp", "sync", "async", "tensor_memory",
                 "matrix", "control"],
    "sim/exec/arithmetic": [".", "floating", "convert", "integer", "logic"],
    "sim/exec/matrix": ["product", ".", "mma", "wmma", "wgmma", "tcgen05"],
    "sim/watch": [".", "device", "host", "sync"],
    "sim/runtime": ["state", "module", "memory", "stream", "launch", "graph"],
    "sim/cuda": [".", "library"],
    "sim/cudart": [".", "memory", "stream", "graph", "launch"],
    "lab/profile": [".", "ncu"],
    "lab/run": ["process", "plan", "bench", "."],
    "lab/report": [".", "page", "ci"],
    "comm": ["process", "mpi", ".", "quantized"],
    "tile/collective": [".", "load", "mainloop", "epilogue", "split_k", "attention", "decode"],
    "tile/device": ["launch", "gemm", "quantize", "attention", "conv2d", "contract"],
}

# What differs between architectures is in files of one of them; none includes a file of another. A name speaks for its
# architecture, or for the instruction that only it has.
ARCHITECTURES = {"sm80": "sm80", "sm90": "sm90", "wgmma": "sm90", "sm100": "sm100", "sm100a": "sm100", "tcgen05": "sm100"}
# The maps of attention's operands are described by the configuration of sm_90 for both.
ACROSS = {("tile/collective/attention/config_sm100.hpp", "tile/collective/attention/config_sm90.hpp")}

# The layers in words, as docs/tour.md shows them: `layers.py --fix` writes that table.
IN_WORDS = [
    ("base", "the standard library; knows no GPU"),
    ("lab", f"base, and within lab only itself and what is listed before it: {', '.join(LAB)}"),
    ("comm", "base, the CUDA runtime: ranks that sum and exchange, for whoever wants them alone"),
    ("chapters", "base, comm, lab case and judge, tile, jit, and its own chapter; never another chapter"),
    ("peers", "base, comm, lab case and judge, and the library it adapts"),
    ("jit", f"base, tile, and within jit only what is listed before it: {', '.join(JIT)}; build, cache and run also the CUDA "
            "runtime. What a user includes is beside them"),
    ("app", "base, comm, lab, tile, jit, peers: the program, where lab, tile and jit meet; the folder of a command includes no "
            "other command's"),
    ("binding", "base, tile, jit: the C interface (`binding/c/aisp.h`), and Python on top of it (`binding/python/aisp_torch`), "
                "which includes nothing"),
    ("examples", "base, tile, jit, lab case and judge, as they are installed: projects of the kind a user has"),
    ("tile", f"base, and within tile only what is listed before it: {', '.join(TILE)}. In collective: "
             f"{', '.join(INSIDE['tile/collective'][1:])}; in device: {', '.join(INSIDE['tile/device'])}. A file of one "
             "architecture (`sm80`, `sm90`, `sm100`, `wgmma`, `tcgen05` in its name) includes none of another"),
    ("sim", f"base, and within sim only what is listed before it: {', '.join(SIM)}; the last three also CUDA's declarations. "
            "watch sees ptx, program and machine, and is seen by launch, runtime, cuda and cudart"),
    ("tests, tools", "anything"),
]
TOUR = "docs/tour.md"
TABLE_HEAD = ["| layer | may include |", "|---|---|"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def stack(top, folders):
    """Each folder may include itself, those before it, and base."""
    return {f"{top}/{name}": ["base"] + [f"{top}/{below}" for below in folders[:place + 1]]
            for place, name in enumerate(folders)}


ALLOWED = {"base": ["base"], **{folder: ["base", "comm"] for folder in ("comm", "comm/process", "comm/mpi", "comm/quantized")}, **stack("tile", TILE), **stack("sim", SIM), **stack("lab", LAB), **stack("jit", JIT)}
ALLOWED["sim/watch"] = ["base", "sim/ptx", "sim/program", "sim/machine", "sim/watch"]
ALLOWED["sim/launch"].append("sim/watch")
ALLOWED["sim/runtime"].append("sim/watch")
ALLOWED["sim/cuda"].append("sim/watch")
ALLOWED["sim/cudart"].append("sim/watch")

for layer in JIT:
    ALLOWED[f"jit/{layer}"].append("tile")
ALLOWED["jit/attention"].append("jit")  # and what a program shows of itself: jit/inspection.hpp
ALLOWED["jit"] = ["base", "tile", "jit"]  # what a user includes, on top of the layers

ALLOWED["docs/programs"] = ["tile"]  # as a user's would be
ALLOWED["app"] = ["base", "comm", "lab", "tile", "jit", "peers", "app"]
for command in ("cache", "completion", "demo", "draw", "inspect", "new", "tune"):  # a command knows no other; main.cpp puts them together
    ALLOWED[f"app/{command}"] = ["base", "lab", "tile", "jit", "peers", f"app/{command}"]

ALLOWED["binding/c"] = ["base", "tile", "jit", "binding/c"]  # what other languages call

RULED = ("base", "comm", "tile", "jit", "sim", "lab", "chapters", "peers", "app", "binding", "examples", "docs")  # top folders a rule speaks about
FREE = ("tests", "tools")


def within(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path):
    """'tile/atom/mma.hpp' -> 'tile/atom'; base has no folders of its own layer rank."""
    parts = path.split("/")
    return "base" if parts[0] == "base" else "/".join(parts[:-1][:2])


def room_of(path, folder):
    """'sim/runtime/stream/event.hpp' within 'sim/runtime' -> 'stream'; a file beside the rooms is in '.'."""
    first, _, rest = path.removeprefix(folder + "/").partition("/")
    return first if rest else "."


def check_rooms(name, line, target):
    """Within a folder that has rooms: none includes one that stands above it."""
    complaints = []
    for folder, rooms in INSIDE.items():
        if not (within(name, folder) and within(target, folder)):
            continue
        own, other = room_of(name, folder), room_of(target, folder)
        for room in (own, other):
            if room not in rooms:
                complaints.append(f"{name}:{line}: {folder}/{room} has no place in INSIDE of "
                                  "tests/architecture/layers.py; add it")
        if not complaints and rooms.index(other) > rooms.index(own):
            complaints.append(f"{name}:{line}: {folder}/{own} may not include {target}")
    return complaints[:1]


def allowed_for(layer):
    top, _, inner = layer.partition("/")
    if top == "chapters":
        return ["base", "comm", "tile", "jit", "lab/case", "lab/judge", "chapters/common", layer]
    if top == "examples":  # a user's project: it sees what is installed
        return ["base", "tile", "jit", "lab/case", "lab/judge", layer]
    if top == "peers":
        return ["base", "comm", "lab/case", "lab/judge", layer]
    return ALLOWED.get(layer)


def includes(text):
    """(line, quoted, path) of every include that is not commented out."""
    text = BLOCK_COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1) == '"', match.group(2)


def resolve(root, includer, quoted, path):
    """The included path relative to root: next to the includer first, as the compiler does."""
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), path))
    if quoted and (path.startswith(".") or (root / beside).is_file()):
        return beside
    return os.path.normpath(path)


def architectures_of(path):
    """{'sm90'} for tile/kernel/gemm_sm90.cuh and for what is in tile/instances/gemm_sm90/."""
    words = re.split(r"[/_.]", path)
    return {ARCHITECTURES[word] for word in words if word in ARCHITECTURES}


def check_architecture(name, line, target):
    """A file of one architecture includes none of another."""
    if not (within(name, "tile") and within(target, "tile")) or within(target, "tile/arch") or within(target, "tile/atom"):
        return []
    own, other = architectures_of(name), architectures_of(target)
    if not own or not other or own & other or (name, target) in ACROSS:
        return []
    return [f"{name}:{line}: is of {', '.join(own)} and may not include {target}; share a file without an architecture in its name"]


def table():
    return TABLE_HEAD + [f"| {layer} | {words} |" for layer, words in IN_WORDS]


def tour_with_table(text):
    """The tour with today's table of layers; nothing where it has none."""
    lines = text.split("\n")
    if TABLE_HEAD[0] not in lines:
        return None
    first = end = lines.index(TABLE_HEAD[0])
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return "\n".join(lines[:first] + table() + lines[end:])


def check_tour(root, fix):
    path = root / TOUR
    if not path.is_file():
        return []
    text = path.read_text()
    wanted = tour_with_table(text)
    if wanted is None:
        return [f"{TOUR}:1: has no table that begins with '{TABLE_HEAD[0]}'"]
    if fix:
        path.write_text(wanted)
    elif wanted != text:
        return [f"{TOUR}:1: its table of layers is not the one of tests/architecture/layers.py; run layers.py --fix"]
    return []


def check_file(root, name):
    layer = layer_of(name)
    allowed = allowed_for(layer)
    if allowed is None:
        return [f"{name}:1: {layer} is not a layer that tests/architecture/layers.py knows; add its rule"]
    complaints = []
    for line, quoted, path in includes((root / name).read_text()):
        target = resolve(root, name, quoted, path)
        ours = target.split("/")[0] in RULED + FREE and "/" in target
        if ours and not any(within(target, folder) for folder in allowed):
            complaints.append(f"{name}:{line}: {layer} may not include {target}")
        complaints += check_rooms(name, line, target) + check_architecture(name, line, target)
        if layer == "base" and re.match(r"(cuda|cu[a-z]+\.h|nv)", target):
            complaints.append(f"{name}:{line}: base knows no GPU and may not include {target}")
    return complaints


def leaning(root, names):
    """{unit: units that its files include}. A unit is a header with the source of its name and the headers that nobody
    but this source includes: what a source says of itself is no circle."""
    stem = {name: os.path.splitext(name)[0] for name in names}
    edges = {(name, target) for name in names for _, quoted, path in includes((root / name).read_text())
             if (target := resolve(root, name, quoted, path)) in stem}
    files = {}
    for name in names:
        files.setdefault(stem[name], []).append(name)
    includers = {name: set() for name in names}
    for name, target in edges:
        includers[target].add(name)
    unit = dict(stem)
    for name in names:
        others = includers[name] - {name}
        alone = len(files[stem[name]]) == 1 and len(others) == 1
        if alone and all(one.endswith((".cpp", ".cu")) and len(files[stem[one]]) > 1 for one in others):
            unit[name] = stem[others.pop()]
    graph = {one: set() for one in unit.values()}
    for name, target in edges:
        if unit[name] != unit[target]:
            graph[unit[name]].add(unit[target])
    return graph


def circles(graph):
    """Sets of units each of which leans on all others of its set, however far around (Tarjan, without recursion)."""
    number, lowest, open_units, found = {}, {}, [], []
    for start in sorted(graph):
        if start in number:
            continue
        number[start] = lowest[start] = len(number)
        open_units.append(start)
        path = [(start, iter(sorted(graph[start])))]
        while path:
            unit, others = path[-1]
            for other in others:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    open_units.append(other)
                    path.append((other, iter(sorted(graph[other]))))
                    break
                if other in open_units:
                    lowest[unit] = min(lowest[unit], number[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[unit])
                if lowest[unit] == number[unit]:
                    at = open_units.index(unit)
                    if len(open_units) - at > 1:
                        found.append(sorted(open_units[at:]))
                    del open_units[at:]
    return found


def check(root, arguments):
    names = [path.as_posix() for path in tree.files(root) if path.suffix in tree.CPP and path.parts[0] not in FREE]
    complaints = [complaint for name in names for complaint in check_file(root, name)]
    for circle in circles(leaning(root, names)):
        complaints.append(f"{circle[0]}: leans on itself by way of {', '.join(circle[1:])}; cut the circle")
    return complaints + check_tour(root, getattr(arguments, "fix", False))


def self_test(planted):
    def one(name, text, complaint):
        found = planted({name: text})
        tree.expect(found, [f"{name}:{complaint}"] if complaint else [], f"{name} with {text!r}")

    one("tile/kernel/gemm_sm100.cuh", '#include "tile/kernel/gemm_sm90.cuh"\n',
        "1: is of sm100 and may not include tile/kernel/gemm_sm90.cuh; share a file without an architecture in its name")
    one("tile/collective/mainloop/wgmma_x.cuh", '\n#include "tile/collective/load/loader_sm100.cuh"\n',
        "2: is of sm90 and may not include tile/collective/load/loader_sm100.cuh; share a file without an architecture in its name")
    one("tile/instances/gemm_sm90/a.cu", '#include "tile/kernel/gemm_sm90.cuh"\n#include "tile/device/gemm/plan.cuh"\n', None)
    one("tile/device/gemm/choose.hpp", '#include "tile/device/gemm/estimate_sm90.hpp"\n', None)
    tree.expect(planted({TOUR: "# A tour\n"}), [f"{TOUR}:1: has no table that begins with '{TABLE_HEAD[0]}'"], "a tour without table")
    tree.expect(planted({TOUR: "\n".join(table())}), [], "a tour with the table")
    tree.expect(planted({TOUR: "\n".join(table()[:-1])}),
                [f"{TOUR}:1: its table of layers is not the one of tests/architecture/layers.py; run layers.py --fix"], "an old table")
    one("tile/layout/bad.hpp", '#include "tile/atom/mma.hpp"\n',
        "1: tile/layout may not include tile/atom/mma.hpp")
    one("tile/device/good.hpp", "#include <tile/kernel/gemm.cuh>\n", None)
    one("tile/atom/lab.hpp", '\n#include "lab/case/case.hpp"\n', "2: tile/atom may not include lab/case/case.hpp")
    one("lab/run/tile.cpp", '#include "tile/layout/shape.hpp"\n', "1: lab/run may not include tile/layout/shape.hpp")
    one("lab/case/up.cpp", '  #  include "lab/judge/judge.hpp"\n', "1: lab/case may not include lab/judge/judge.hpp")
    one("lab/case/dots.cpp", '#include "../judge/judge.hpp"\n', "1: lab/case may not include lab/judge/judge.hpp")
    one("lab/cli/table.cpp", '#include "lab/report/table.hpp"\n#include "base/text.hpp"\n', None)
    one("lab/odd/new.cpp", "\n", "1: lab/odd is not a layer that tests/architecture/layers.py knows; add its rule")
    one("sim/exec/tile.cpp", '#include "tile/atom/mma.hpp"\n', "1: sim/exec may not include tile/atom/mma.hpp")
    one("tile/atom/sim.hpp", '#include "sim/exec/mma.hpp"\n', "1: tile/atom may not include sim/exec/mma.hpp")
    one("sim/watch/hazard.cpp", '#include "sim/exec/run.hpp"\n', "1: sim/watch may not include sim/exec/run.hpp")
    one("sim/launch/grid.cpp", '#include "sim/watch/hazard.hpp"\n', None)
    one("chapters/ch09/a/case.cpp", '#include "chapters/ch10/b/b.cuh"\n',
        "1: chapters/ch09 may not include chapters/ch10/b/b.cuh")
    one("chapters/ch09/a/b.cu", '#include "chapters/ch09/common.cuh"\n#include "lab/case/registry.hpp"\n', None)
    one("chapters/ch09/a/c.cu", '#include "lab/measure/timer.hpp"\n',
        "1: chapters/ch09 may not include lab/measure/timer.hpp")
    one("chapters/ch14/a/case.cpp", '#include "jit/program.hpp"\n#include "chapters/common/exhibits.hpp"\n', None)
    one("chapters/common/up.hpp", '#include "chapters/ch09/common/row.cuh"\n',
        "1: chapters/common may not include chapters/ch09/common/row.cuh")
    one("peers/torch/norm.cpp", '#include "tile/device/gemm.hpp"\n', "1: peers/torch may not include tile/device/gemm.hpp")
    one("app/tune.cpp", '#include "tile/device/gemm.hpp"\n#include "lab/cli/commands.hpp"\n#include "app/a.hpp"\n', None)
    one("comm/ring.cpp", '#include "base/refuse.hpp"\n#include "comm/sum.hpp"\n#include <cuda_runtime_api.h>\n', None)
    one("comm/lab.cpp", '#include "lab/case/rung.hpp"\n', "1: comm may not include lab/case/rung.hpp")
    one("lab/run/comm.cpp", '#include "comm/communicator.hpp"\n', "1: lab/run may not include comm/communicator.hpp")
    one("chapters/ch11/a/case.cpp", '#include "comm/communicator.hpp"\n', None)
    one("app/demo/tune.cpp", '#include "app/tune/tuner.hpp"\n', "1: app/demo may not include app/tune/tuner.hpp")
    one("app/sim.cpp", '#include "sim/exec/run.hpp"\n', "1: app may not include sim/exec/run.hpp")
    one("app/chapter.cpp", '#include "chapters/ch09/common.cuh"\n', "1: app may not include chapters/ch09/common.cuh")
    one("binding/c/gemm.cpp", '#include "tile/device/gemm/gemm.hpp"\n#include "jit/attention.hpp"\n#include "binding/c/aisp.h"\n', None)
    one("binding/c/lab.cpp", '#include "lab/case/case.hpp"\n', "1: binding/c may not include lab/case/case.hpp")
    one("lab/cli/app.cpp", '#include "app/layout_command.hpp"\n', "1: lab/cli may not include app/layout_command.hpp")
    one("examples/gemm/main.cu", '#include "tile/device/gemm.hpp"\n', None)
    one("examples/tile_program/main.cpp", '#include "jit/program.hpp"\n', None)
    one("examples/gemm/case.cu", '#include "lab/case/case.hpp"\n', None)
    one("examples/gemm/lab.cu", '#include "lab/run/bench/bench.hpp"\n', "1: examples/gemm may not include lab/run/bench/bench.hpp")
    one("jit/run/kernel.cpp", '#include "jit/cache/store.hpp"\n#include "tile/atom/element.hpp"\n', None)
    one("jit/ir/up.cpp", '#include "jit/trace/tracer.hpp"\n', "1: jit/ir may not include jit/trace/tracer.hpp")
    one("jit/emit/good.cpp", '#include "tile/atom/element.hpp"\n#include "jit/pass/facts.hpp"\n', None)
    one("jit/build/up.cpp", '#include "jit/cache/store.hpp"\n', "1: jit/build may not include jit/cache/store.hpp")
    one("jit/run/lab.cpp", '#include "lab/case/case.hpp"\n', "1: jit/run may not include lab/case/case.hpp")
    one("jit/source.cpp", '#include "jit/run/kernel.hpp"\n', None)
    one("tile/device/jit.hpp", '#include "jit/source.hpp"\n', "1: tile/device may not include jit/source.hpp")
    one("base/gpu.hpp", "#include <cuda_runtime.h>\n", "1: base knows no GPU and may not include cuda_runtime.h")
    one("base/old.hpp", '/*\n#include "lab/case/case.hpp"\n*/\n// #include "lab/case/case.hpp"\n', None)
    one("tile/collective/epilogue/store.cuh", '#include "tile/collective/load/tma.cuh"\n', None)
    one("tile/collective/load/tma.cuh", '#include "tile/collective/epilogue/store.cuh"\n',
        "1: tile/collective/load may not include tile/collective/epilogue/store.cuh")
    one("tile/collective/odd/tma.cuh", '#include "tile/collective/load/tma.cuh"\n',
        "1: tile/collective/odd has no place in INSIDE of tests/architecture/layers.py; add it")
    one("tile/collective/load/tma.cuh", '#include "tile/atom/wgmma.hpp"\n', None)
    tree.expect(planted({"sim/exec/a.hpp": '#include "sim/exec/b.hpp"\n', "sim/exec/b.cpp": '#include "sim/exec/c.hpp"\n',
                         "sim/exec/b.hpp": "", "sim/exec/c.hpp": '#include "sim/exec/a.hpp"\n',
                         "sim/exec/d.cpp": '#include "sim/exec/c.hpp"\n'}),
                ["sim/exec/a: leans on itself by way of sim/exec/b, sim/exec/c; cut the circle"], "a circle through a source")
    tree.expect(planted({"sim/exec/a.cpp": '#include "sim/exec/a.hpp"\n', "sim/exec/a.hpp": '#include "sim/exec/b.hpp"\n',
                         "sim/exec/b.hpp": ""}), [], "a header with its source")
    tree.expect(planted({"comm/ring.cpp": '#include "comm/state.hpp"\n', "comm/state.hpp": '#include "comm/ring.hpp"\n',
                         "comm/ring.hpp": ""}), [], "a source's own header")
    one("tests/lab/any.cpp", '#include "lab/cli/cli.hpp"\n#include "tile/atom/mma.hpp"\n', None)


tree.main(check, self_test, lambda parser: parser.add_argument("--fix", action="store_true", help="write the table of docs/tour.md"))
