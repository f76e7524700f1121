"""The problems of ch09:tile_program as Triton kernels: a program per row that holds the whole row, or per piece of a
vector. The number of warps, and the length of the piece, are searched once per problem."""

import triton
import triton.language as tl

from aisp_peers.bridge import Refused

EPSILON = 1e-5


def warps():
    return [triton.Config({}, num_warps=count) for count in (1, 2, 4, 8, 16)]


def pieces():
    return [triton.Config({"BLOCK": block}, num_warps=count)
            for block, count in ((512, 4), (1024, 4), (1024, 8), (2048, 4), (2048, 8), (4096, 8))]


@triton.autotune(configs=warps(), key=["columns"])
@triton.jit
def softmax_rows(x_at, y_at, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_at + row + column, mask=inside, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    y = e / tl.sum(e, 0)
    tl.store(y_at + row + column, y.to(y_at.dtype.element_ty), mask=inside)


@triton.autotune(configs=pieces(), key=["count"])
@triton.jit
def add_pieces(a_at, b_at, c_at, count, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    tl.store(c_at + i, tl.load(a_at + i, mask=inside) + tl.load(b_at + i, mask=inside), mask=inside)


@triton.autotune(configs=warps(), key=["columns"])
@triton.jit
def layernorm_rows(x_at, gain_at, shift_at, y_at, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_at + row + column, mask=inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, x - tl.sum(x, 0) / columns, 0.0)
    variance = tl.sum(centred * centred, 0) / columns
    gain = tl.load(gain_at + column, mask=inside, other=0.0)
    shift = tl.load(shift_at + column, mask=inside, other=0.0)
    y = centred * tl.rsqrt(variance + epsilon) * gain + shift
    tl.store(y_at + row + column, y.to(y_at.dtype.element_ty), mask=inside)


@triton.autotune(configs=warps(), key=["columns"])
@triton.jit
def cross_entropy_rows(scores_at, labels_at, loss_at, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    x = tl.load(scores_at + row * columns + column, mask=column < columns, other=float("-inf")).to(tl.float32)
    most = tl.max(x, 0)
    total = tl.sum(tl.exp(x - most), 0)
    mine = tl.load(scores_at + row * columns + tl.load(labels_at + row)).to(tl.float32)
    tl.store(loss_at + row, tl.log(total) + most - mine)


def softmax(inputs, outputs):
    x, = inputs
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    return lambda: softmax_rows[(rows,)](x, outputs[0], columns, BLOCK=block)


def add(inputs, outputs):
    a, b = inputs
    count, = a.shape

    def grid(meta):
        return (triton.cdiv(count, meta["BLOCK"]),)
    return lambda: add_pieces[grid](a, b, outputs[0], count)


def layernorm(inputs, outputs):
    x, gain, shift = inputs
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    return lambda: layernorm_rows[(rows,)](x, gain, shift, outputs[0], columns, EPSILON, BLOCK=block)


def cross_entropy(inputs, outputs):
    scores, labels = inputs
    rows, columns = scores.shape
    block = triton.next_power_of_2(columns)
    return lambda: cross_entropy_rows[(rows,)](scores, labels, outputs[0], columns, BLOCK=block)


FUNCTIONS = {"softmax": (softmax, softmax_rows), "add": (add, add_pieces), "layernorm": (layernorm, layernorm_rows),
             "cross_entropy": (cross_entropy, cross_entropy_rows)}
chosen = []  # the kernel of the last problem, for the note


def program(problem, inputs, outputs):
    if problem["variant"] not in FUNCTIONS:
        raise Refused(f"it has no variant {problem['variant']!r}, only {', '.join(FUNCTIONS)}")
    function, kernel = FUNCTIONS[problem["variant"]]
    chosen[:] = [kernel]
    launch = function(inputs, outputs)

    def run():
        launch()  # into the lab's outputs: nothing to collect
    return run


def version_note(peer):
    best = getattr(chosen[0], "best_config", None) if chosen else None
    return f"Triton {triton.__version__}" + (f", {best}" if best is not None else "")
