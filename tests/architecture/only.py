"""AISP_ONLY picks the folders it says and nothing beside them; one that picks none stops with the nearest names.

    only.py CMAKE
"""

import os
import subprocess
import sys
import tempfile

import tree

FOLDERS = ["ch09/memory_bound", "ch09/tile_gemm", "ch10/matmul", "ch10/matmul_recipes", "ch11/stream_ordered",
           "ch11/streams", "ch11/gemm_streams", "roof/copy"]
SCRIPT = """include({discover})
aisp_matching_folders(found "${{ONLY}}" ${{FOLDERS}})
message("found:${{found}}")
"""


def picked(cmake, only):
    """Exit code, folders, and the text of a refusal as one line."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "pick.cmake")
        with open(script, "w") as file:
            file.write(SCRIPT.format(discover=tree.ROOT / "cmake/discover.cmake"))
        result = subprocess.run([cmake, f"-DONLY={only}", "-DFOLDERS=" + ";".join(FOLDERS), "-P", script],
                                capture_output=True, text=True)
    found = [line for line in result.stderr.splitlines() if line.startswith("found:")]
    folders = found[0].removeprefix("found:").split(";") if found else []
    return result.returncode, folders, " ".join(result.stderr.split())


def expect(found, wanted, what):
    if found != wanted:
        sys.exit(f"AISP_ONLY={what}: wanted {wanted}, found {found}")


def check_left_out(cmake):
    """What is not built is named in a source of the program, except the machine's own ceilings."""
    with tempfile.TemporaryDirectory() as folder:
        script, made = os.path.join(folder, "write.cmake"), os.path.join(folder, "left_out.cpp")
        with open(script, "w") as file:
            file.write(f"include({tree.ROOT / 'cmake/discover.cmake'})\naisp_write_left_out({made} ${{FOLDERS}})\n")
        subprocess.run([cmake, "-DFOLDERS=ch10/matmul;roof/copy", "-P", script], check=True)
        with open(made) as file:
            text = file.read()
    wanted = ('const PlannedEntry ch10_matmul{{.chapter = "ch10", .name = "matmul", .waits = "is in the source tree and '
              "not in this build; build all targets with 'make all'\", .left_out = true}};\n")
    expect(wanted in text and text.count("PlannedEntry") == 1, True, f"left out: {text}")


def main():
    cmake = sys.argv[1]
    for only, wanted in {
            "ch11/streams": ["ch11/streams"],
            "ch11/streams$": ["ch11/streams"],
            "^ch11/streams$": ["ch11/streams"],
            "streams": ["ch11/streams"],
            "ch10/matmul": ["ch10/matmul"],
            "ch10/.*": ["ch10/matmul", "ch10/matmul_recipes"],
            "ch09/(memory_bound|tile_gemm)|roof/copy": ["ch09/memory_bound", "ch09/tile_gemm", "roof/copy"],
    }.items():
        code, folders, text = picked(cmake, only)
        expect((code, folders), (0, wanted), f"{only} ({text})")
    for only, nearest in {
            "ch11/streems": "ch11/stream_ordered, ch11/streams, ch11/gemm_streams",
            "ch09/memory_bond": "ch09/memory_bound",
            "matmul/": "ch10/matmul, ch10/matmul_recipes",
            "none": ", ".join(FOLDERS),
            "copy/case.cpp": "roof/copy",
    }.items():
        code, folders, text = picked(cmake, only)
        expect((code != 0, folders), (True, []), only)
        if f"no target's folder is '{only}'; nearest: {nearest}" not in text.replace(" Call Stack", "\n"):
            sys.exit(f"AISP_ONLY={only}: wanted '{nearest}' as the nearest, found: {text}")
        expect(f"{nearest}, " in text, False, f"{only}: more than the nearest")
    check_left_out(cmake)
    print("AISP_ONLY picks and refuses as it should")


main()
