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
    print("AISP_ONLY picks and refuses as it should")


main()
