"""Sweeps over orders, seeds and mutants have two forms: `make test` runs a sample, and AISP_TEST_SWEEPS=full, which
`make nightly` sets, runs everything."""

import os
import zlib


def is_full():
    return os.environ.get("AISP_TEST_SWEEPS") == "full"


def sample(items, count, seed, key=str):
    """`count` of the items in their own order; all of them in a full sweep. The choice depends on the seed and on each
    item's key alone: it is the same in every run and on every machine, and a new item displaces at most one."""
    items = list(items)
    if is_full() or count >= len(items):
        return items
    ranked = sorted(range(len(items)), key=lambda at: zlib.crc32(f"{seed} {key(items[at])}".encode()))
    return [items[at] for at in sorted(ranked[:count])]


def stated(taken, every, what):
    """What a test prints about its sample."""
    return f"{taken} of {every} {what}" + ("; AISP_TEST_SWEEPS=full takes all" if taken < every else "")
