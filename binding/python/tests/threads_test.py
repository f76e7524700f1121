"""Two host threads that use every operation of libaisp.so at once, each on tensors of its own: every element against
float64. On the legacy stream, which both share, on the stream of each thread, whose handle is the same in both, and
replayed from graphs.

    threads_test.py [TEST…]        also under `aisp check`, which looks for kernels that meet in one workspace
"""

import ctypes
import sys
import threading
import unittest

import numpy

from aisp_torch import _native
from aisp_torch import numpy as aisp

LEGACY, PER_THREAD = 1, 2   # cudaStreamLegacy, cudaStreamPerThread
NONE, CAPTURE_RELAXED = None, 2
ROUNDS = 2


def random(rng, *shape, dtype="bf16"):
    return aisp.array(rng.normal(size=shape), dtype)


class Case:
    """One operation on one thread's tensors: its arguments, and what the result must be."""

    def __init__(self, name, inputs, output, want, error, **further):
        self.name, self.inputs, self.output, self.further = name, inputs, output, further
        self.want, self.error = want, error

    def run(self, memory, stream):
        tensors = {key: memory.copied(value, key) for key, value in self.inputs.items()}
        tensors |= {key: memory.copied(value, key, out=True) for key, value in self.output.items()}
        self.tensors = tensors
        self.enqueue(stream)

    def enqueue(self, stream):
        _native.call(self.name, stream, **self.tensors, **self.further)

    def right(self):
        got, = (one.numbers() for one in self.output.values())
        allowed = numpy.abs(self.want) * 2.0 ** -8 + self.error + 1e-30
        return bool((numpy.abs(got - self.want) <= allowed).all())


def poisoned(*shape):
    return aisp.Array(numpy.full(shape, 0xffff, numpy.uint16), "bf16")


def product(rng, m, n, k, **further):
    a, b = random(rng, m, k), random(rng, n, k).T
    want = a.numbers() @ b.numbers()
    error = 2.0 ** -20 * (numpy.abs(a.numbers()) @ numpy.abs(b.numbers()))
    bias = random(rng, n) if further.get("activation") else None
    if bias is not None:
        want = numpy.maximum(want + bias.numbers(), 0)
    inputs = {"a": a, "b": b} | ({"bias": bias} if bias is not None else {})
    return Case("gemm", inputs, {"d": poisoned(m, n)}, want, error, alpha=1.0, **further)


def grouped(rng):
    rows, a, b = [9, 0, 7], random(rng, 16, 64), random(rng, 3, 16, 64).transpose(0, 2, 1)
    want = numpy.concatenate([a[:9].numbers() @ b[0].numbers(), a[9:].numbers() @ b[2].numbers()])
    return Case("grouped_gemm", {"a": a, "b": b}, {"d": poisoned(16, 16)}, want, 1e-4, alpha=1.0, groups=3,
                rows=(ctypes.c_int64 * 3)(*rows))


def scaled(rng):
    a, b = random(rng, 16, 128, dtype="e4m3"), random(rng, 16, 128, dtype="e4m3").T
    scale = numpy.float32([[rng.uniform(0.5, 2)]])
    want = a.numbers() @ b.numbers() * scale
    error = 2.0 ** -9 * (numpy.abs(a.numbers()) @ numpy.abs(b.numbers()))
    return Case("scaled_gemm", {"a": a, "b": b, "a_scales": scale, "b_scales": numpy.float32([[1]])},
                {"d": poisoned(16, 16)}, want, error)


def attention(rng, name, queries, keys, slope=None):
    q, k, v = (random(rng, 1, 1, rows, 64) for rows in (queries, keys, keys))
    score = q.numbers() @ k.numbers().transpose(0, 1, 3, 2) / 8
    slopes = None
    if slope is not None:
        slopes = numpy.float32([slope])
        score = score + slope * (numpy.arange(keys) - numpy.arange(keys - queries, keys)[:, None])
    weight = numpy.exp(score - score.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    inputs = {"q": q, "k": k, "v": v} | ({"slopes": slopes} if slopes is not None else {})
    return Case(name, inputs, {"o": poisoned(1, 1, queries, 64)}, weight @ v.numbers(),
                2.0 ** -7 * (weight @ numpy.abs(v.numbers())), window_left=-1, window_right=-1)


def cases(seed):
    """The same shapes in every thread, with other numbers: they share what plans of one shape share."""
    rng = numpy.random.default_rng(seed)
    return [product(rng, 8, 16, 4096),                             # K is split
            product(rng, 5, 16, 4096, activation=1),               # with a bias and an activation, too
            product(rng, 40, 24, 31),                              # any strides
            grouped(rng), scaled(rng),
            # Keys are split: two kernels, which those of the other thread may not come between.
            *(attention(rng, "attention", 1, 700) for _ in range(6)),
            attention(rng, "attention", 70, 70),
            attention(rng, "flex_attention", 1, 700, slope=0.01 * (seed + 1))]


class Threads(unittest.TestCase):
    def setUp(self):
        self.runtime = _native.runtime()

    def check(self, error, what):
        if error != 0:
            raise RuntimeError(f"{what}: CUDA error {error}")

    def on_threads(self, work):
        """work(thread, start) on two threads; start() waits for the other one."""
        barrier, failed = threading.Barrier(2), []

        def run(thread):
            try:
                work(thread, barrier.wait)
            except Exception as error:  # noqa: BLE001: any of them ends the test
                failed.append(error)
                barrier.abort()

        threads = [threading.Thread(target=run, args=(thread,)) for thread in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        errors = [one for one in failed if not isinstance(one, threading.BrokenBarrierError)]
        if errors:
            raise errors[0]

    def enqueue_all(self, stream):
        wrong = []

        def work(thread, start):
            with aisp._Memory(0) as memory:
                mine = cases(thread)
                for case in mine:
                    start()
                    case.run(memory, stream)
                for _ in range(ROUNDS):
                    for case in mine:
                        start()
                        case.enqueue(stream)
                self.check(self.runtime.cudaDeviceSynchronize(), "every operation")
                memory.bring_back()
            wrong.extend((thread, case.name) for case in mine if not case.right())

        self.on_threads(work)
        self.assertEqual(wrong, [])

    def test_on_one_stream(self):
        self.enqueue_all(NONE)

    def test_on_streams_of_threads(self):
        self.enqueue_all(PER_THREAD)

    def test_legacy_handle(self):
        """Null and cudaStreamLegacy are one stream."""
        with aisp._Memory(0) as memory:
            case = product(numpy.random.default_rng(5), 8, 16, 4096)
            case.run(memory, NONE)
            case.enqueue(LEGACY)
            self.check(self.runtime.cudaDeviceSynchronize(), "legacy stream")
            memory.bring_back()
        self.assertTrue(case.right())

    def test_in_graphs(self):
        """Captured on one stream by each thread, replayed on another, while the first has other work of the same shapes."""
        wrong = []

        def work(thread, start):
            stream, other, graph, ready = (ctypes.c_void_p() for _ in range(4))
            for one in (stream, other):
                self.check(self.runtime.cudaStreamCreateWithFlags(ctypes.byref(one), 1), "stream")
            with aisp._Memory(0) as memory:
                mine, others = cases(thread), cases(thread + 2)
                for case in mine + others:
                    case.run(memory, stream)   # what there is to compile is compiled
                self.check(self.runtime.cudaStreamSynchronize(stream), "first calls")
                self.check(self.runtime.cudaStreamBeginCapture(stream, CAPTURE_RELAXED), "begin of a capture")
                for case in mine:
                    case.enqueue(stream)
                self.check(self.runtime.cudaStreamEndCapture(stream, ctypes.byref(graph)), "end of a capture")
                self.check(self.runtime.cudaGraphInstantiate(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)), "graph")
                self.check(self.runtime.cudaGraphDestroy(graph), "graph")
                start()   # both captures have ended: the device may be waited for
                for _, block, reach in memory.outputs:
                    self.check(self.runtime.cudaMemset(block, 0xff, ctypes.c_size_t(reach)), "poison")
                self.check(self.runtime.cudaDeviceSynchronize(), "poison")
                for _ in range(2):
                    start()
                    self.check(self.runtime.cudaGraphLaunch(ready, other), "launch of a graph")
                    for case in others:
                        case.enqueue(stream)
                self.check(self.runtime.cudaDeviceSynchronize(), "graph")
                memory.bring_back()
                self.check(self.runtime.cudaGraphExecDestroy(ready), "graph")
            wrong.extend((thread, case.name) for case in mine + others if not case.right())

        self.on_threads(work)
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
