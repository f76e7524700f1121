"""A rung of a chapter stands in a file of its own with its name: chapters/chNN/<target>/<rung>.cu or .cpp.

Behind the name may stand the architecture that the kernel is compiled for, <rung>_sm90a.cu. Peers are somebody else's
kernels, listed where their library is adapted.
"""

import re

import tree

ENTRY = re.compile(r"\bRungEntry\b[^;]*?\.name\s*=\s*(\"(?P<name>\w+)\"|(?P<constant>\w+))")
ARCHITECTURE = re.compile(r"_sm\d+a?$")


def value_of(constant, texts):
    """What a name that several files of a target need is: const char* constant = "value"."""
    for text in texts:
        found = re.search(rf"\b{constant}\s*=\s*\"(\w+)\"", text)
        if found:
            return found.group(1)
    return constant


def check(root, _):
    folders = {}
    for path in tree.files(root):
        if path.suffix in tree.CPP and path.parts[0] == "chapters":
            folders.setdefault(path.parent, {})[path] = (root / path).read_text()
    complaints = []
    for folder in folders.values():
        for path, text in folder.items():
            rungs = [entry.group("name") or value_of(entry.group("constant"), folder.values())
                     for entry in ENTRY.finditer(text)]
            if len(rungs) > 1:
                complaints.append(f"{path}: has the rungs {', '.join(rungs)}; give each a file of its own")
            elif len(rungs) != text.count("RungEntry"):
                complaints.append(f"{path}: a RungEntry without a .name; write the rung where it is entered")
            elif rungs and ARCHITECTURE.sub("", path.stem) != rungs[0]:
                complaints.append(f"{path}: has the rung {rungs[0]}; name the file after it")
    return complaints


def self_test(planted):
    def entry(name):
        return f'const lab::RungEntry entry{{"ch09:sum",\n    {{.name = {name},\n     .step = 0}}}};\n'

    def one(path, text, complaint, **more):
        path = f"chapters/ch09/sum/{path}"
        wanted = [f"{path}: {complaint}"] if complaint else []
        tree.expect(planted({path: text, **more}), wanted, path + ": " + repr(text))

    constant = {"chapters/ch09/sum/rungs.hpp": 'inline constexpr const char* first_name = "one_pass";\n'}
    one("one_pass.cu", entry('"one_pass"'), None)
    one("one_pass.cpp", entry('"one_pass"'), None)
    one("one_pass_sm90a.cu", entry('"one_pass"'), None)
    one("one_pass.cpp", entry("first_name"), None, **constant)
    one("sums.cuh", "namespace ch09 {}", None)
    one("baseline.cu", entry('"one_pass"'), "has the rung one_pass; name the file after it")
    one("case.cpp", entry('"one_pass"'), "has the rung one_pass; name the file after it")
    one("one_pass_fast.cu", entry('"one_pass"'), "has the rung one_pass; name the file after it")
    one("first.cpp", entry("first_name"), "has the rung one_pass; name the file after it", **constant)
    one("one_pass.cu", entry('"one_pass"') + entry('"two_passes"'),
        "has the rungs one_pass, two_passes; give each a file of its own")
    one("one_pass.cu", 'const lab::RungEntry entry{"ch09:sum", rung()};',
        "a RungEntry without a .name; write the rung where it is entered")
    tree.expect(planted({"peers/library/ladders.cpp": entry('"peer"')}), [], "a peer")


tree.main(check, self_test)
