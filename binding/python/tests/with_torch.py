"""Runs a script by an interpreter that has PyTorch and a GPU: AISP_PYTHON, the first on PATH, or Debian's. Exit 77 and one
line where there is none.

    with_torch.py SCRIPT ARGUMENT...
"""

import os
import shutil
import subprocess
import sys

PROBE = "import torch, sys; sys.exit(0 if torch.cuda.is_available() else 7)"
PLACES = [place for place in (os.environ.get("AISP_PYTHON"), shutil.which("python3"), sys.executable, "/usr/bin/python3")
          if place and os.path.exists(place)]
codes = {}
for place in PLACES:
    if place not in codes:
        codes[place] = subprocess.run([place, "-c", PROBE], capture_output=True).returncode
        if codes[place] == 0:
            os.execv(place, [place, "-B", *sys.argv[1:]])
if 7 in codes.values():
    print("PyTorch finds no GPU")
else:
    print(f"no Python with PyTorch: looked at {', '.join(codes)}")
sys.exit(77)
