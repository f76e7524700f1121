"""Runs a script by an interpreter that has NumPy: Debian's, or the first on PATH.

    with_numpy.py SCRIPT ARGUMENT...
"""

import os
import shutil
import subprocess
import sys

PLACES = ["/usr/bin/python3", sys.executable, shutil.which("python3")]
for place in PLACES:
    if place and os.path.exists(place) and subprocess.run([place, "-c", "import numpy"], capture_output=True).returncode == 0:
        os.execv(place, [place, "-B", *sys.argv[1:]])
sys.exit(f"no Python with NumPy: looked at {', '.join(place for place in PLACES if place)}; install Debian's: "
         "sudo apt-get install -y python3-numpy")
