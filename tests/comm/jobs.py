"""What tests of ranks that are processes share: runs of aisp, the rows that they end with, and what they leave behind."""

import json
import os
import pathlib
import time

found = []  # what went wrong, a line each


def command(aisp, target, device, *options):
    return [aisp, "bench", "run", "--targets", target, "--device", device, "--format", "json", *options]


def marked(mark):
    """Processes that carry the mark in their environment."""
    processes = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                processes.append(int(path.parent.name))
        except OSError:  # another user's, or gone meanwhile
            pass
    return processes


def ranks(mark):
    """The processes that do the work of ranks 1 and up."""
    def words(process):
        try:
            return pathlib.Path(f"/proc/{process}/cmdline").read_text().split("\0")
        except OSError:
            return []
    return [process for process in marked(mark) if words(process)[-2:-1] == ["rank"]]


def wait_for_ranks(mark, count):
    deadline = time.monotonic() + 60
    while len(there := ranks(mark)) < count and time.monotonic() < deadline:
        time.sleep(0.02)
    return there


def expect_gone(name, mark, seconds=10):
    deadline = time.monotonic() + seconds
    while (processes := marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    if processes:
        found.append(f"{name}: still running: {processes}")


def expect_only(name, before, now, seconds=30):
    """Nothing stays that was not there before; what other jobs have meanwhile comes and goes."""
    left, deadline = now() - before, time.monotonic() + seconds
    while left and time.monotonic() < deadline:
        time.sleep(0.2)
        left &= now()
    if left:
        found.append(f"{name}: left behind: {left}")


def meetings():
    """Names under which processes of this user's jobs wait."""
    lines = pathlib.Path("/proc/net/unix").read_text().splitlines()
    return {line.split()[-1] for line in lines if f"@aisp-{os.getuid()}-" in line}


def rows_of(text):
    return json.loads(text)["rows"] if text.startswith("{") else []


def expect(name, rows, status, words):
    for row in rows:
        text = row.get("note", "") if status == "measured" else row.get("reason", "")
        if row["status"] != status or words not in text:
            found.append(f"{name}: {row['entry']} {row['rung']}: {row['status']}: {row.get('reason')} {row.get('note')}, "
                         f"wanted {status} and '{words}'")
