"""aisp_torch.numpy on the device that there is, in CI the simulator: every element against float64, results poisoned with
NaN beforehand, and what is refused, word by word.

    AISP_DEVICE=sim PYTHONPATH=binding/python AISP_LIBRARY=… AISP_SIM_LIBRARY=… python3 numpy_test.py
"""

import math
import unittest

import numpy

from aisp_torch import _native, _rules
from aisp_torch import numpy as aisp
from aisp_torch._formats import STORAGE

ROUNDING = {"bf16": 2.0 ** -8, "f16": 2.0 ** -11, "f32": 2.0 ** -23}
# What the matrix unit loses of a sum's terms: it adds f32, and products of 8-bit floats with 13 bits behind the largest.
SUM, FP8_SUM = 2.0 ** -22, 2.0 ** -10
RNG = numpy.random.default_rng(2026)


def random(*shape, dtype="bf16"):
    return aisp.array(RNG.normal(size=shape), dtype)


def poisoned(*shape, dtype="bf16"):
    """A result that holds NaN so far."""
    return aisp.Array(numpy.full(shape, 0xff, numpy.uint8).repeat(STORAGE[dtype]().itemsize, -1).view(
        STORAGE[dtype]), dtype)


def activated(name, x):
    if name == "relu":
        return numpy.maximum(x, 0)
    if name == "silu":
        return x / (1 + numpy.exp(-x))
    if name == "gelu":
        return x / 2 * (1 + numpy.tanh(0.7978845608028654 * (x + 0.044715 * x ** 3)))
    return x


class Cases(unittest.TestCase):
    def close(self, got, want, error):
        """|got - want| within the rounding of the result and `error`, for every element."""
        self.assertEqual(got.shape, want.shape)
        off = numpy.abs(got.numbers() - want) / (numpy.abs(want) * ROUNDING[got.dtype] + error + 1e-30)
        self.assertTrue((off <= 1).all(), f"{numpy.nan_to_num(off, nan=numpy.inf).max(initial=0):.3g} of what is allowed")

    def refused(self, kind, line, call):
        with self.assertRaises(kind) as raised:
            call()
        self.assertEqual(str(raised.exception), line)


class Gemm(Cases):
    def check(self, a, b, c=None, bias=None, alpha=1.0, beta=1.0, activation="none", lost=SUM, out=None, out_dtype="bf16",
              **further):
        x, y = a.numbers(), b.numbers()
        factor = alpha if x.shape[-1] else 0                    # of no terms
        want, magnitude = factor * (x @ y), abs(factor) * (numpy.abs(x) @ numpy.abs(y))
        out = out or poisoned(*want.shape, dtype=out_dtype)
        for more, factor in ((c, beta), (bias, 1)):
            if more is not None:
                want, magnitude = want + factor * more.numbers(), magnitude + numpy.abs(factor * more.numbers())
        got = aisp.gemm(a, b, c, bias, alpha=alpha, beta=beta, activation=activation, out=out, **further)
        approximate = 2.0 ** -11 * numpy.abs(want) if activation in ("gelu", "silu") else 0
        self.close(got, activated(activation, want), 1.2 * lost * magnitude + approximate)

    def test_types(self):
        self.check(random(140, 96), random(96, 136))
        self.check(random(140, 96, dtype="f16"), random(96, 136, dtype="f16"), out_dtype="f16")
        self.check(random(70, 64), random(64, 40), out_dtype="f32")
        self.check(random(70, 128, dtype="e4m3"), random(40, 128, dtype="e4m3").T, lost=FP8_SUM)
        self.check(random(70, 64, dtype="f32"), random(40, 64, dtype="f32").T, lost=2.0 ** -9, out_dtype="f32",
                   allow_tf32=True)
        a, b = (RNG.integers(-128, 128, shape, numpy.int8) for shape in ((70, 64), (40, 64)))
        self.assertTrue((aisp.gemm(a, b.T).codes == a.astype(int) @ b.T.astype(int)).all())

    def test_strides(self):
        a, b = random(80, 100), random(100, 72)
        self.check(aisp.Array(numpy.asfortranarray(a.codes), "bf16"), b)
        self.check(a, aisp.Array(numpy.asfortranarray(b.codes), "bf16"))
        self.check(a[1::2, 3:64], b[3:64])                     # neither aligned nor dense
        self.check(a[:1], b)
        self.check(a, b[:, :1])
        wide = poisoned(80, 96)
        self.check(a, b, out=wide[:, 8:80])
        codes = wide.codes.copy()
        codes[:, 8:80] = 0xffff
        self.assertTrue((codes == 0xffff).all(), "written beside the result")
        self.check(a, b, out=poisoned(72, 80).T)

    def test_epilogues(self):
        a, c, bias = random(150, 64), random(150, 72), random(72)
        for b in (random(64, 72), random(72, 64).T):
            self.check(a, b, bias=bias, activation="gelu")
            self.check(a, b, c, bias, alpha=0.5, beta=-2.0, activation="relu")
        self.check(a, b, activation="silu", alpha=3.0)
        self.check(a, b, c, beta=0.25)
        self.check(a, b, bias=bias)
        self.check(a[:, 1:], random(63, 72), c, bias, activation="silu", alpha=2.0, beta=0.5)   # any strides
        for dtype in ("bf16", "f16"):                                                             # few rows: K is split
            a, b, bias = random(5, 1024, dtype=dtype), random(72, 1024, dtype=dtype).T, random(72, dtype=dtype)
            self.check(a, b, bias=bias, activation="gelu", alpha=0.25, out_dtype=dtype)
        half = {name: random(*shape, dtype="f16") for name, shape in (("a", (33, 64)), ("b", (64, 40)), ("bias", (40,)))}
        self.check(**half, activation="relu", out_dtype="f16")
        half["b"] = random(40, 64, dtype="f16").T
        self.check(**half, activation="gelu", out_dtype="f16")
        half["a"] = random(64, 33, dtype="f16").T
        self.check(**half, activation="gelu", out_dtype="f16")

    def test_in_place(self):
        """c may be d itself: kernels with TMA, with a bias, for any strides, and for few rows."""
        for m, n, k, first, activation in ((300, 264, 64, 0, "none"), (150, 136, 64, 0, "relu"), (70, 40, 33, 1, "none"),
                                           (70, 40, 33, 1, "silu"), (5, 72, 1024, 0, "none"), (3, 0, 8, 0, "none")):
            a, b, bias = random(m, k + first), random(n, k + first).T, random(n)
            a, b, d = a[:, first:], b[first:], random(m, n)
            want = -0.5 * d.numbers() + 2 * (a.numbers() @ b.numbers()) + (bias.numbers() if activation != "none" else 0)
            error = 2.0 ** -20 * (numpy.abs(a.numbers()) @ numpy.abs(b.numbers())) + 2.0 ** -10 * numpy.abs(want)
            with aisp._Memory(0) as memory:
                given = {"a": memory.copied(a, "a"), "b": memory.copied(b, "b"), "d": memory.copied(d, "d", out=True)}
                if activation != "none":
                    given["bias"] = memory.copied(bias, "bias")
                _native.call("gemm", None, **given, c=given["d"], alpha=2.0, beta=-0.5,
                             activation=_rules.ACTIVATIONS[activation])
                memory.bring_back()
            self.close(d, activated(activation, want), error)

    def moved(self, m, n, k, who, beta, activation):
        """A product of which one tensor starts one element behind a multiple of 16 bytes."""
        given, tensors = {}, {}
        with aisp._Memory(0) as memory:
            for name, shape in {"a": (m, k), "b": (n, k), "c": (m, n), "bias": (n,), "d": (m, n)}.items():
                first, count = int(name == who), math.prod(shape)
                whole = poisoned(count + 1) if name == "d" else random(count + 1)
                given[name] = aisp.Array(whole.codes[first:first + count].reshape(shape), "bf16")
                strides = (1, k) if name == "b" else (*shape[1:], 1)
                tensors[name] = memory.copied(whole, name, out=name == "d")
                tensors[name] = _native.tensor(tensors[name].data, 0, "bf16", (k, n) if name == "b" else shape, strides)
                tensors[name].byte_offset = 2 * first
            if activation == "none":
                del tensors["bias"]
            _native.call("gemm", None, **tensors, alpha=1.0, beta=beta, activation=_rules.ACTIVATIONS[activation])
            memory.bring_back()
        a, b, c, bias, d = (given[name].numbers() for name in ("a", "b", "c", "bias", "d"))
        want = a @ b.T + beta * c + (bias if activation != "none" else 0)
        error = 2.0 ** -20 * (numpy.abs(a) @ numpy.abs(b.T)) + 2.0 ** -10 * numpy.abs(want)
        self.close(given["d"], activated(activation, want), error)

    def test_alignment(self):
        """Whichever kernel is taken, it is right: with TMA, with K split, for any strides."""
        for size in ((8, 16, 1024), (150, 136, 64)):
            for who in ("a", "b", "c", "bias", "d"):
                for beta, activation in ((0, "none"), (0.5, "none"), (0, "relu"), (0.5, "relu")):
                    self.moved(*size, who, beta, activation)

    def test_batches(self):
        self.check(random(3, 40, 64), random(3, 64, 48))
        self.check(random(3, 40, 64), random(64, 48), bias=random(48), activation="relu")
        self.check(random(40, 64), random(3, 64, 48))
        self.check(random(40, 3, 64).transpose(1, 0, 2), random(3, 64, 48), random(3, 40, 48), bias=random(48))

    def test_empty(self):
        for shapes in (((0, 64), (64, 32)), ((16, 64), (64, 0)), ((0, 16, 64), (0, 64, 32)), ((0, 0), (0, 0))):
            want = numpy.matmul(*(numpy.empty(one) for one in shapes)).shape
            self.assertEqual(aisp.gemm(*(random(*one) for one in shapes)).shape, want)
        # A sum without terms is 0: what is left is beta c + bias.
        for dtype in ("bf16", "f16"):
            c, bias = random(70, 40, dtype=dtype), random(40, dtype=dtype)
            a, b = random(70, 0, dtype=dtype), random(0, 40, dtype=dtype)
            self.check(a, b, out_dtype=dtype)
            self.check(a, b, c, beta=-2.0, alpha=numpy.inf, out_dtype=dtype)
            self.check(a, b, c, bias, beta=0.5, activation="gelu", out_dtype=dtype)
            self.check(a, b, bias=bias, activation="relu", out_dtype=dtype)
        out = poisoned(3, 40, 70).transpose(0, 2, 1)
        self.check(random(3, 70, 0), random(0, 40), random(3, 40, 70).transpose(0, 2, 1), out=out)
        for dtype, out, allowed in (("e4m3", "bf16", False), ("f32", "f32", True)):
            self.check(random(9, 0, dtype=dtype), random(0, 17, dtype=dtype), out_dtype=out, allow_tf32=allowed)
        none = numpy.zeros((9, 0), numpy.int8)
        self.assertTrue((aisp.gemm(none, none.T).codes == 0).all())

    def test_refusals(self):
        a, b = random(64, 32), random(32, 40)
        self.refused(ValueError, "gemm: a (64, 32) bf16 has rows of 32, b (40, 32) bf16 columns of 40; they must be equal",
                     lambda: aisp.gemm(a, b.T))
        self.refused(TypeError, "aisp: a holds float64; float16, float32, int8, int32 are taken as they are, others by "
                     "aisp_torch.numpy.array(values, type)", lambda: aisp.gemm(a.numbers(), b))
        self.refused(ValueError, "gemm: no kernel of the library computes bf16 x f16 -> bf16 on sm_90",
                     lambda: aisp.gemm(a, random(32, 40, dtype="f16")))
        self.refused(ValueError, "gemm: a (32, 16) bf16 has strides (64, 2), one of the last two must be 1; make it contiguous",
                     lambda: aisp.gemm(a[::2, ::2], b[:16]))
        self.refused(ValueError, "gemm: b (4) has 1 dimensions, not 2 or 3", lambda: aisp.gemm(a, random(4)))
        self.refused(ValueError, "gemm: bias (39) bf16 must be (40)", lambda: aisp.gemm(a, b, bias=random(39)))
        self.refused(ValueError, "gemm: bias (40) f16 must be bf16", lambda: aisp.gemm(a, b, bias=random(40, dtype="f16")))
        self.refused(ValueError, "gemm: c (40, 64) bf16 must be (64, 40)", lambda: aisp.gemm(a, b, random(40, 64)))
        self.refused(ValueError, "gemm: there is no activation 'tanh'; there are none, relu, gelu, silu",
                     lambda: aisp.gemm(a, b, activation="tanh"))
        self.refused(ValueError, "gemm: a (8, 8) f32 would be multiplied as tf32, with 10 bits behind the point; allow_tf32 "
                     "says that this is meant", lambda: aisp.gemm(random(8, 8, dtype="f32"), random(8, 8, dtype="f32")))
        self.refused(ValueError, "gemm: a (3, 8, 8) bf16 has a batch of 3, d (2, 8, 8) bf16 another",
                     lambda: aisp.gemm(random(3, 8, 8), random(2, 8, 8), out=poisoned(2, 8, 8)))
        self.refused(RuntimeError, "aisp: there is no device 3: this machine has 1, numbered from 0",
                     lambda: aisp.gemm(a, b, device=3))
        self.refused(ValueError, "gemm: a bias or an activation goes with bf16 -> bf16 or f16 -> f16: got e4m3 x e4m3 -> bf16",
                     lambda: aisp.gemm(random(16, 32, dtype="e4m3"), random(32, 16, dtype="e4m3"), activation="relu"))


class Others(Cases):
    def test_grouped(self):
        rows = [70, 0, 33, 1]
        for dtype, lost in (("bf16", SUM), ("e4m3", FP8_SUM)):
            a, b = random(sum(rows), 64, dtype=dtype), random(4, 72, 64, dtype=dtype).transpose(0, 2, 1)
            got, first = aisp.grouped_gemm(a, b, rows, alpha=0.5, out=poisoned(sum(rows), 72)), 0
            for group, count in enumerate(rows):
                x, y = a[first:first + count].numbers(), b[group].numbers()
                self.close(got[first:first + count], 0.5 * x @ y, lost * numpy.abs(x) @ numpy.abs(y))
                first += count
        few, one = random(66, 16), random(1, 8, 16).transpose(0, 2, 1)  # more plans than are kept, and the first again
        for count in (*range(1, 67), 1):
            x, y = few[:count].numbers(), one[0].numbers()
            self.close(aisp.grouped_gemm(few[:count], one, [count], out=poisoned(count, 8)), x @ y,
                       SUM * numpy.abs(x) @ numpy.abs(y))
        self.close(aisp.grouped_gemm(random(5, 0), random(2, 8, 0).transpose(0, 2, 1), [2, 3], out=poisoned(5, 8)),
                   numpy.zeros((5, 8)), 0)   # sums without terms
        self.assertEqual(aisp.grouped_gemm(random(0, 16), one, [0]).shape, (0, 8))
        self.refused(ValueError, "grouped_gemm: a number of rows is 18446744073709551620; it must be in [-2^63, 2^63)",
                     lambda: aisp.grouped_gemm(few[:4], one, [2 ** 64 + 4]))
        self.refused(ValueError, "grouped_gemm: the groups have 103 rows, a (104, 64) e4m3 has 104",
                     lambda: aisp.grouped_gemm(a, b, [70, 0, 33, 0]))
        self.refused(ValueError, "grouped_gemm: 3 numbers of rows for the 4 matrices of b (4, 64, 72) e4m3",
                     lambda: aisp.grouped_gemm(a, b, rows[:3]))
        self.refused(ValueError, "grouped_gemm: b (1, 64, 72) bf16 must be contiguous along k, its second index; give "
                     "(groups, n, k) transposed", lambda: aisp.grouped_gemm(random(8, 64), random(1, 64, 72), [8]))

    def scaled(self, m, n, k, a_shape, b_shape, bias=None):
        a, b = random(m, k, dtype="e4m3"), random(n, k, dtype="e4m3").T
        a_scales, b_scales = (RNG.uniform(0.5, 2, shape).astype(numpy.float32) for shape in (a_shape, b_shape))
        got = aisp.scaled_gemm(a, b, a_scales, b_scales, bias, out=poisoned(m, n))
        wide_a = a_scales.repeat(128, 1)[:, :k] if a_shape and a_shape[1] > 1 else a_scales
        wide_b = b_scales.repeat(128, 0)[:k].repeat(128, 1)[:, :n] if b_shape and b_shape[0] > 1 else b_scales
        x, y = a.numbers() * wide_a, b.numbers() * wide_b
        self.close(got, x @ y + (0 if bias is None else bias.numbers()), FP8_SUM * numpy.abs(x) @ numpy.abs(y))

    def test_scaled(self):
        self.scaled(140, 136, 272, (140, 3), (3, 2), random(136))   # an odd number of blocks of k, none of them whole
        self.scaled(70, 40, 256, (70, 2), (2, 1))
        self.scaled(33, 136, 128, (33, 1), (1, 136), random(136))
        self.scaled(1, 40, 512, (1, 4), (4, 1))
        self.scaled(33, 40, 64, (), ())
        bias = random(40)                                           # a sum without terms: the bias
        for a_scales, b_scales in (((33, 0), (0, 1)), ((33, 1), (1, 40)), ((), ())):
            got = aisp.scaled_gemm(random(33, 0, dtype="e4m3"), random(40, 0, dtype="e4m3").T, numpy.ones(a_scales, "f"),
                                   numpy.ones(b_scales, "f"), bias, out=poisoned(33, 40))
            self.close(got, numpy.broadcast_to(bias.numbers(), (33, 40)), 0)
        a, b = random(8, 256, dtype="e4m3"), random(8, 256, dtype="e4m3").T
        one = numpy.float32([[1]])
        self.refused(ValueError, "scaled_gemm: a_scales (8, 3) f32 fits a (8, 256) e4m3 as () or (1, 1), (8, 1) or (8, 2)",
                     lambda: aisp.scaled_gemm(a, b, numpy.ones((8, 3), numpy.float32), one))
        self.refused(ValueError, "scaled_gemm: b_scales (2, 8) f32 fits b (256, 8) e4m3 as () or (1, 1), (1, 8) or (2, 1)",
                     lambda: aisp.scaled_gemm(a, b, one, numpy.ones((2, 8), numpy.float32)))
        self.refused(ValueError, "scaled_gemm: a (8, 256) bf16 must be e4m3",
                     lambda: aisp.scaled_gemm(random(8, 256), b, one, one))
        self.refused(ValueError, "gemm: A has lines 40 bytes apart, not a multiple of 16: pad them to 48 elements",
                     lambda: aisp.scaled_gemm(random(8, 40, dtype="e4m3"), random(8, 40, dtype="e4m3").T, one, one))


class Attention(Cases):
    def attended(self, q, k, v, seen, change=lambda score: score):
        groups = q.shape[1] // k.shape[1]
        k, v = (one.numbers().repeat(groups, 1) for one in (k, v))
        score = change(q.numbers() @ k.transpose(0, 1, 3, 2) / q.shape[3] ** 0.5)
        weight = numpy.where(seen, numpy.exp(score), 0)
        total = weight.sum(-1, keepdims=True)
        weight = weight / numpy.where(total > 0, total, 1)
        with numpy.errstate(divide="ignore"):
            return weight @ v, 2.0 ** -7 * (weight @ numpy.abs(v)), numpy.log(total[..., 0])

    def both(self, operator, heads, size, s, t, seen, change=lambda score: score, dtype="bf16", **options):
        q, k, v = (random(2, h, rows, size, dtype=dtype) for h, rows in ((heads[0], s), (heads[1], t), (heads[1], t)))
        got, lse = operator(q, k, v, return_lse=True, out=poisoned(2, heads[0], s, size, dtype=dtype), **options)
        want, error, sums = self.attended(q, k, v, seen, change)
        self.close(got, want, error)
        self.close(lse, sums, 2e-3)

    def test_attention(self):
        i, j = numpy.arange(100 - 70, 100)[:, None], numpy.arange(100)
        self.both(aisp.attention, (4, 2), 128, 70, 100, j <= i, causal=True)
        self.both(aisp.attention, (2, 2), 64, 70, 100, (j >= i - 9) & (j <= i + 5), dtype="f16", window_left=9, window_right=5)
        i = numpy.array([[99]])
        self.both(aisp.attention, (4, 1), 64, 1, 100, j <= i, causal=True)              # the keys are split
        lengths = numpy.int32([100, 7])
        self.both(aisp.attention, (2, 1), 64, 1, 100, j < lengths[:, None, None, None], kv_lengths=lengths)
        heads = random(1, 33, 2, 64).transpose(0, 2, 1, 3)                              # (batch, rows, heads, size) inside
        self.close(aisp.attention(heads, heads, heads, scale=0.125), *self.attended(heads, heads, heads, True)[:2])

    def test_without_keys(self):
        """Zeros, and the logarithm of 0; no queries, no result."""
        for operator in (aisp.attention, aisp.flex_attention):
            for queries in (1, 200):
                none = random(2, 1, 0, 64)
                got, lse = operator(random(2, 2, queries, 64), none, none, return_lse=True, out=poisoned(2, 2, queries, 64))
                self.close(got, numpy.zeros((2, 2, queries, 64)), 0)
                self.assertTrue((lse.numbers() == -numpy.inf).all())
            some = random(2, 1, 9, 64)
            self.assertEqual(operator(random(2, 2, 0, 64), some, some).shape, (2, 2, 0, 64))
            self.assertEqual(operator(*[random(0, 2, 9, 64)] * 3).shape, (0, 2, 9, 64))

    def test_flex_attention(self):
        s, t = 70, 140
        i, j = numpy.arange(t - s, t)[:, None], numpy.arange(t)
        slopes = numpy.float32([0.5, 0.25])
        documents = numpy.stack([j // 30, j // 50]).astype(numpy.int32)
        same = numpy.stack([one[i] == one for one in documents])[:, None]
        prefix = numpy.int32([90, 20])
        biased = slopes[:, None, None] * (j - i)
        self.both(aisp.flex_attention, (2, 1), 64, s, t, (j <= i) & (j >= i - 40) & same,
                  lambda x: 30 * numpy.tanh(x / 30) + biased, window_left=40, window_right=0, soft_cap=30.0, slopes=slopes,
                  documents=documents, precise=True)
        self.both(aisp.flex_attention, (2, 2), 64, s, t, (j <= i) | (j < prefix[:, None, None, None]), causal=True,
                  prefix=prefix)
        # The same kind with other numbers: nothing of the first call is left.
        documents[:] = 0
        self.both(aisp.flex_attention, (2, 1), 64, s, t, (j <= i) & (j >= i - 40), lambda x: 30 * numpy.tanh(x / 30) + 2 * biased,
                  window_left=40, window_right=0, soft_cap=30.0, slopes=2 * slopes, documents=documents, precise=True)

    def test_refusals(self):
        heads = random(1, 2, 8, 64)
        self.refused(ValueError, "attention: heads have 64, 96, 128 or 256 elements: got 80; pad q, k and v with zeros and "
                     "give `scale`", lambda: aisp.attention(*[random(1, 2, 8, 80)] * 3))
        self.refused(ValueError, "attention: q (8, 64) has 2 dimensions, not 4", lambda: aisp.attention(*[random(8, 64)] * 3))
        self.refused(ValueError, "attention: k (1, 2, 8, 64) f16 must be bf16",
                     lambda: aisp.attention(heads, random(1, 2, 8, 64, dtype="f16"), heads))
        self.refused(ValueError, "attention: q (1, 2, 8, 64) bf16 has strides (2048, 1024, 128, 2), the last must be 1; make it "
                     "contiguous", lambda: aisp.attention(random(1, 2, 8, 128)[..., ::2], heads, heads))
        self.refused(ValueError, "attention: 3 query heads cannot share 2 heads of keys evenly; their number must be a multiple",
                     lambda: aisp.attention(random(1, 3, 8, 64), heads, heads))
        self.refused(ValueError, "attention: causal, and a window of 4 keys behind the query; say one of the two",
                     lambda: aisp.attention(heads, heads, heads, causal=True, window_right=4))
        self.refused(ValueError, "attention: window_left is 4294967296; it must be in [-2^31, 2^31)",
                     lambda: aisp.attention(heads, heads, heads, window_left=2 ** 32))
        self.refused(ValueError, "flex_attention: slopes (3) f32 must be (2)",
                     lambda: aisp.flex_attention(heads, heads, heads, slopes=numpy.ones(3, numpy.float32)))
        self.refused(ValueError, "flex_attention: the soft cap is -1; it must be positive, or 0 for none",
                     lambda: aisp.flex_attention(heads, heads, heads, soft_cap=-1.0))
        self.refused(ValueError, "flex_attention: 8 queries have no places among 4 keys, which a prefix or documents ask for",
                     lambda: aisp.flex_attention(heads, heads[:, :, :4], heads[:, :, :4], prefix=numpy.int32([1])))


if __name__ == "__main__":
    unittest.main()
