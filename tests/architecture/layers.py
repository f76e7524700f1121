"""No file includes a layer above its own. The rules in words: docs/tour.md."""

import os
import re

import tree

TILE = ["layout", "arch", "atom", "tiled", "pipeline", "collective", "schedule", "kernel", "device", "instances"]
SIM = ["ptx", "program", "machine", "exec", "launch", "runtime", "cudart"]
LAB = ["case", "judge", "measure", "record", "expect", "profile", "trace", "device", "run", "check", "report", "cli"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def stack(top, folders):
    """Each folder may include itself, those before it, and base."""
    return {f"{top}/{name}": ["base"] + [f"{top}/{below}" for below in folders[:place + 1]]
            for place, name in enumerate(folders)}


ALLOWED = {"base": ["base"], "comm": ["base", "comm"], **stack("tile", TILE), **stack("sim", SIM), **stack("lab", LAB)}
ALLOWED["sim/watch"] = ["base", "sim/ptx", "sim/program", "sim/machine", "sim/watch"]
ALLOWED["sim/launch"].append("sim/watch")
ALLOWED["sim/runtime"].append("sim/watch")
ALLOWED["sim/cudart"].append("sim/watch")

ALLOWED["app"] = ["base", "comm", "lab", "tile", "peers", "app"]

RULED = ("base", "comm", "tile", "sim", "lab", "chapters", "peers", "app", "examples")  # top folders a rule speaks about
FREE = ("tests", "tools")


def within(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path):
    """'tile/atom/mma.hpp' -> 'tile/atom'; base has no folders of its own layer rank."""
    parts = path.split("/")
    return "base" if parts[0] == "base" else "/".join(parts[:-1][:2])


def allowed_for(layer):
    top, _, inner = layer.partition("/")
    if top == "chapters":
        return ["base", "comm", "tile", "lab/case", "lab/judge", layer]
    if top == "examples":  # a user's project: it sees what is installed
        return ["tile", layer]
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
        if layer == "base" and re.match(r"(cuda|cu[a-z]+\.h|nv)", target):
            complaints.append(f"{name}:{line}: base knows no GPU and may not include {target}")
    return complaints


def check(root, _):
    complaints = []
    for path in tree.files(root):
        if path.suffix in tree.CPP and path.parts[0] not in FREE:
            complaints += check_file(root, path.as_posix())
    return complaints


def self_test(planted):
    def one(name, text, complaint):
        found = planted({name: text})
        tree.expect(found, [f"{name}:{complaint}"] if complaint else [], f"{name} with {text!r}")

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
    one("peers/torch/norm.cpp", '#include "tile/device/gemm/gemm.hpp"\n', "1: peers/torch may not include tile/device/gemm/gemm.hpp")
    one("app/tune.cpp", '#include "tile/device/gemm/gemm.hpp"\n#include "lab/cli/commands.hpp"\n#include "app/a.hpp"\n', None)
    one("comm/ring.cpp", '#include "base/refuse.hpp"\n#include "comm/sum.hpp"\n#include <cuda_runtime_api.h>\n', None)
    one("comm/lab.cpp", '#include "lab/case/rung.hpp"\n', "1: comm may not include lab/case/rung.hpp")
    one("lab/run/comm.cpp", '#include "comm/communicator.hpp"\n', "1: lab/run may not include comm/communicator.hpp")
    one("chapters/ch11/a/case.cpp", '#include "comm/communicator.hpp"\n', None)
    one("app/sim.cpp", '#include "sim/exec/run.hpp"\n', "1: app may not include sim/exec/run.hpp")
    one("app/chapter.cpp", '#include "chapters/ch09/common.cuh"\n', "1: app may not include chapters/ch09/common.cuh")
    one("lab/cli/app.cpp", '#include "app/layout_command.hpp"\n', "1: lab/cli may not include app/layout_command.hpp")
    one("examples/gemm/main.cu", '#include "tile/device/gemm/gemm.hpp"\n', None)
    one("examples/gemm/lab.cu", '#include "lab/case/case.hpp"\n', "1: examples/gemm may not include lab/case/case.hpp")
    one("base/gpu.hpp", "#include <cuda_runtime.h>\n", "1: base knows no GPU and may not include cuda_runtime.h")
    one("base/old.hpp", '/*\n#include "lab/case/case.hpp"\n*/\n// #include "lab/case/case.hpp"\n', None)
    one("tests/lab/any.cpp", '#include "lab/cli/cli.hpp"\n#include "tile/atom/mma.hpp"\n', None)


tree.main(check, self_test)
