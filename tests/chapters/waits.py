"""The waits of chapter 11 and of what is like it: what missing_event.py runs, and what it may not find, with the reason."""

from typing import Callable, NamedTuple, Optional, Tuple


class Run(NamedTuple):
    """A rung at a size that is small and has its waits; its streams in the order in which they are made."""

    rung: str
    size: str
    streams: Tuple[str, ...] = ()
    only: str = ".*"  # the waits to drop
    alias: str = ""   # of the target, where it has variants
    device: str = "sim:h200,sms=8"
    tries: int = 1    # where the host polls events while it goes on: then no two runs need have the same schedule


class Silent(NamedTuple):
    """Waits that others make redundant, whatever the schedule."""

    waits: str
    why: str
    # Which of those that read alike: their number in the run, from 0, and how many there are. None: all.
    which: Optional[Callable[[int, int], bool]] = None
    rung: str = ""  # "": of all


def many(name, count):
    return tuple(f"{name} {i}" for i in range(count))


RANKS = (*(f"rank {rank} {what}" for rank in range(3) for what in ("scatter", "gather")),
         *(f"rank {rank} {what}" for rank in range(3) for what in ("compute", "communication")))

EXCHANGE = (*(f"rank {rank} {what}" for rank in range(3) for what in ("scatter", "gather")), *many("rank", 3))

RUNS = {
    "ch11:streams": [Run("two_streams", "3000", many("chunks", 2)), Run("three_streams", "3000", ("in", "compute", "out"))],
    # Two calls on the ring; the same with a device for each rank; and one with more chunks than are under way at once.
    "ch11:distributed_streams": [Run("sum_during_backward", "2x517x4x3", RANKS, alias="distributed_streams_peer"),
                                 Run("sum_during_backward", "2x517x4x3", RANKS, r"rank (\d) communication waits for rank \1 compute",
                                     "distributed_streams_peer", "sim:h200,sms=8,gpus=3"),
                                 Run("sum_after_backward", "5x40x4x3", RANKS, alias="distributed_streams_peer")],
    "ch11:gemm_streams": [Run("staged", "6x64x64x40", ("load", "math", "store"))],
    "ch11:stream_ordered": [Run("pool_in_stream_order", "100x4", many("steps", 2))],
    "ch11:stream_ordered_kv_cache": [Run("events_and_pool", "5x3x3x1", ("append", "read 0", "read 1")),
                                     Run("device_wide_waits", "2x3x2x1", ("append", "read"))],
    # The controller changes its setting while a request runs.
    "ch11:adaptive_streams": [Run("fixed", "32x1x64x2", many("lane", 8)),
                              Run("adaptive", "67x6x64x3", many("lane", 8), only=r"lane \d waits for lane \d", tries=4)],
    "ch11:priority_streams": [Run("priorities", "40x40x40x2x5", (*many("bulk", 2), *many("requests", 4), "clock"))],
    "ch11:tensor_cores_streams": [Run("four_streams", "5x40x40x40", many("products", 4)),
                                  Run("one_graph", "5x40x40x40", (*many("chain", 4), "recording"))],
    "ch11:warp_specialized_multistream": [Run("roles_in_streams", "3x3", many("batches", 3))],
    "ch11:warp_specialized_cluster_multistream": [Run("dsmem_in_streams", "3", many("batches", 3))],
    "ch11:hyper_q": [Run("depth_first", "3x2x20x2x1", many("chains", 2)), Run("breadth_first", "3x2x20x2x2", many("chains", 2))],
    "ch11:programmatic_launch": [Run("waits_first", "5x72"), Run("prologue_first", "5x72")],
    # All waits of the exchange; those beside them are what poison needs, and the lab's fork and join.
    "ch14:quantized_allreduce": [Run("codes_in_chunks", "600x3", EXCHANGE, r"rank (\d) waits for rank (?!\1)\d \w+|rank \d \w+ waits for .*",
                                     "quantized_allreduce_int8")],
    "ch11:kv_prefetch_pipeline": [Run("tma_prefetch", "333x128x3x2x2x64")],
}

# Targets without events: the instruction that orders their kernels, and the rules that notice when it is gone.
INSTRUCTIONS = {"ch11:kv_prefetch_pipeline": ("griddepcontrol.wait", {"dependency-wait"}),
                # The kernels of waits_first let dependents launch by their end only: without the wait the order is formal.
                "ch11:programmatic_launch": ("griddepcontrol.wait", {"dependency-wait", "dependency-wait-order"})}

# The waits that a target's idea rests on: without one its numbers must be wrong.
JUDGED = {
    "ch11:streams": "compute waits for in|out waits for compute|in waits for out",
    "ch11:distributed_streams": r"rank (\d) communication waits for rank \1 compute",
    "ch14:quantized_allreduce": ".*",
    "ch11:gemm_streams": "math waits for load|store waits for math",
    "ch11:hyper_q": ".*",
    "ch11:stream_ordered_kv_cache": r"read \d waits for append",
    "ch11:warp_specialized_multistream": ".*",
    "ch11:warp_specialized_cluster_multistream": ".*",
}

SILENT = {
    "ch11:distributed_streams": [
        Silent(r"rank \d \w+ waits for lab|lab waits for rank \d \w+",
               "before the run: the host has waited for what comes ahead, and the run forks and joins the same streams",
               lambda number, count: number < 3),
        Silent(r"rank \d communication waits for lab", "waits for compute first, which waits for lab",
               lambda number, count: number == 3, "sum_during_backward"),
        Silent(r"rank \d communication waits for lab|lab waits for rank \d communication", "nothing runs there",
               lambda number, count: number == 3, "sum_after_backward"),
        Silent(r"lab waits for rank \d \w+", "at its end a call on the ring has each rank wait for its neighbours' copies, "
               "which come after everything: the join of any rank is enough", lambda number, count: number == 3),
        Silent(r"rank (\d) gather waits for rank \1 \w+", "the sum is awaited before the first copy, and it comes after "
               "all have begun", lambda number, count: number % (count // 2) == 0, "sum_during_backward"),
        Silent(r"rank (\d) gather waits for rank \1 \w+", "the sum is awaited before the first copy, and it comes after "
               "all have begun", lambda number, count: number == 0, "sum_after_backward"),
        Silent(r"rank (0 gather waits for rank 1|1 gather waits for rank 2|2 gather waits for rank 0) \w+",
               "the sum is awaited before the first copy, and it comes after all have begun"),
        Silent(r"rank (0 scatter waits for rank 1|1 scatter waits for rank 2|2 scatter waits for rank 0) communication",
               "the own rank has begun after the neighbour's part in the call before, or after lab"),
        Silent(r"rank (0 scatter waits for rank 1|1 scatter waits for rank 2|2 scatter waits for rank 0) compute",
               "the own rank has begun after lab, as the neighbour has", lambda number, count: number == 0),
        Silent(r"rank (\d) \w+ waits for rank \1 scatter", "the neighbour has awaited every one of these copies"),
        Silent(r"rank \d (compute|communication) waits for rank \d gather",
               "two ranks wait for the same copies, and lab for both"),
    ],
    "ch11:stream_ordered": [
        Silent("lab waits for steps 0", "the last step is on steps 1 and adds after all others"),
    ],
    "ch11:stream_ordered_kv_cache": [
        Silent(r"read( \d)? waits for lab", "waits for append first, or the host does, and append waits for lab"),
    ],
    "ch11:priority_streams": [
        Silent(r"bulk \d waits for lab", "the bulk work is timed alone first, and the host has waited for what comes ahead",
               lambda number, count: number == 0),
        Silent("lab waits for clock", "nothing runs there: it notes when requests were sent"),
    ],
    "ch11:tensor_cores_streams": [
        Silent(r".*, captured", "nothing is ahead of the fork in the graph, and a graph ends with all its nodes",
               rung="one_graph"),
    ],
    "ch11:adaptive_streams": [
        Silent(r"lane \d waits for lab", "requests come one after another as a load does; the memory is the lane's own",
               lambda number, count: number > 0),
        Silent(r"lab waits for lane \d", "the end of a later request waits for the same lane",
               lambda number, count: number + 1 < count),
    ],
}
