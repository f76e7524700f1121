"""Prints which tests were skipped and why, and fails where a skip is not expected.

    skips.py JUNIT EXPECTED

JUNIT is what `ctest --output-junit` writes. A line of EXPECTED is

    name of the test | condition | reason

where name and reason may hold `*`. A skip is expected where all three fit: the condition is one of CONDITIONS below, and
the reason is what the test prints. Exit 0 where every skip is expected, 1 where one is not, 4 where a file cannot be read.
"""

import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree


def has_gpu():
    return os.path.exists("/dev/nvidiactl")


def has_module(name):
    """Of any of the interpreters that tests use."""
    places = {place for place in ("/usr/bin/python3", sys.executable, shutil.which("python3")) if place and os.path.exists(place)}
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{name}') is None)"
    return any(subprocess.run([place, "-c", probe], capture_output=True).returncode == 0 for place in places)


def has_shared_python():
    """Of the interpreter that peers load."""
    python = os.environ.get("AISP_PYTHON") or shutil.which("python3") or sys.executable
    probe = "import sysconfig; print(sysconfig.get_config_var('Py_ENABLE_SHARED'))"
    return subprocess.run([python, "-c", probe], capture_output=True, text=True).stdout.strip() == "1"


def has_library(name):
    """Of a CUDA toolkit in one of the usual places."""
    roots = ("/usr/local/cuda*", "/opt/cuda", os.environ.get("CUDA_HOME") or "/nowhere", os.environ.get("CUDA_PATH") or "/nowhere")
    return any(glob.glob(f"{root}/lib64/{name}.so*") for root in roots)


CONDITIONS = {
    "always": lambda: True,
    "no GPU": lambda: not has_gpu(),
    "GPU": has_gpu,
    "no torch or no GPU": lambda: not has_gpu() or not has_module("torch"),
    "no chromium": lambda: not shutil.which("chromium") and "AISP_CHROMIUM" not in os.environ,
    "no dpkg": lambda: any(shutil.which(tool) is None for tool in ("dpkg", "dpkg-deb", "dpkg-shlibdeps", "file")),
    "no shared Python": lambda: not has_shared_python(),
    "no cuBLASLt": lambda: not has_library("libcublasLt"),
    "no nvJitLink": lambda: not has_library("libnvJitLink"),
    "no NVRTC": lambda: not has_library("libnvrtc"),
    "toolkit with nvdisasm": lambda: os.access("/usr/local/cuda/bin/nvdisasm", os.X_OK),
    "not root": lambda: os.geteuid() != 0,
}


class Line:
    def __init__(self, text):
        parts = [part.strip() for part in text.split("|")]
        if len(parts) != 3 or not all(parts) or parts[1] not in CONDITIONS:
            raise ValueError(f"'{text}' is not 'name | condition | reason' with one of the conditions {', '.join(CONDITIONS)}")
        self.name, self.condition, self.reason = parts
        self.holds = CONDITIONS[self.condition]()

    def fits(self, name, reason):
        return (self.holds and fnmatch.fnmatchcase(name, escaped(self.name))
                and fnmatch.fnmatchcase(reason, escaped(self.reason)))


def escaped(pattern):
    """`*` alone has a meaning."""
    return re.sub(r"[\[?]", lambda match: f"[{match.group()}]", pattern)


def reason_of(text):
    """What a test program printed: GoogleTest puts the reason behind the place, others print one line at the end."""
    found = re.search(r": Skipped\n(.*(?:\n(?!\n|\[|/).*)*)", text)
    if found:
        return " ".join(found.group(1).split()) or "no reason given"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def skipped(path):
    """[(name, reason)] of the tests that did not run."""
    found = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        how = case.find("skipped")
        if how is None and case.get("status") not in ("notrun", "disabled"):
            continue
        name = case.get("name").split("  # ")[0].strip()
        message = how.get("message", "") if how is not None else case.get("status")
        text = (case.findtext("system-out") or "").strip()
        found.append((name, reason_of(text) if message.startswith("SKIP_") else message or reason_of(text)))
    return sorted(found)


def report(cases, expected):
    """The lines to print, and whether all are expected."""
    groups, unexpected = {}, []
    for name, reason in cases:
        line = next((line for line in expected if line.fits(name, reason)), None)
        if line is None:
            unexpected.append((name, reason))
        else:
            groups.setdefault((line.condition, reason), []).append(name)
    printed = [f"skipped: {len(cases)}" + (f", of which {len(unexpected)} unexpected" if unexpected else "")]
    for (condition, reason), names in sorted(groups.items()):
        printed.append(f"  {reason} ({condition}):")
        printed += [f"    {name}" for name in names]
    if unexpected:
        printed.append("  unexpected; fix the test or the machine, or add a line to tests/skips/expected.txt:")
        printed += [f"    {name}: {reason}" for name, reason in unexpected]
    return printed, not unexpected


def main(junit, expected_file):
    try:
        with open(expected_file, encoding="utf-8") as lines:
            expected = [Line(line.strip()) for line in lines if line.strip() and not line.startswith("#")]
        cases = skipped(junit)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"skips: {error}", file=sys.stderr)
        return 4
    printed, good = report(cases, expected)
    print("\n".join(printed))
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
