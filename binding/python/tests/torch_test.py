"""The operators of torch.ops.aisp on a GPU: every element against float64, streams, graphs, torch.compile, errors.

    PYTHONPATH=binding/python AISP_LIBRARY=build/lib/libaisp.so python3 binding/python/tests/torch_test.py
"""

import unittest

import torch

import aisp_torch

BF16, F16, F32, E4M3 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn
ROUNDING = {BF16: 2.0 ** -8, F16: 2.0 ** -11, F32: 2.0 ** -23}  # at least half a unit in the last place
FP8_SUM = 2.0 ** -10  # products of 8-bit floats are added with 13 bits behind the largest
ACTIVATIONS = {"none": lambda x: x, "relu": torch.relu, "silu": torch.nn.functional.silu,
               "gelu": lambda x: torch.nn.functional.gelu(x, approximate="tanh")}


def random(*shape, dtype=BF16, seed=0):
    generator = torch.Generator("cuda").manual_seed(1000 * seed + sum(shape))
    return torch.randn(shape, device="cuda", generator=generator).to(dtype)


def poison(*shape, dtype=BF16):
    """Memory that holds NaN goes back to the allocator, which gives it to the next result."""
    for _ in range(4):
        torch.full(shape, float("nan"), device="cuda", dtype=dtype)


def products(a, b):
    """In float64, and the sum of the terms' magnitudes."""
    a, b = a.double(), b.double()
    return a @ b, a.abs() @ b.abs()


class Cases(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def close(self, got, want, error):
        """|got - want| within the rounding of the result and `error`, for every element."""
        self.assertEqual(tuple(got.shape), tuple(want.shape))
        bound = want.abs() * ROUNDING[got.dtype] + error + 1e-30
        off = (got.double() - want).abs() / bound
        if off.numel() > 0:
            self.assertTrue(bool((off <= 1).all()), f"{off.nan_to_num(nan=float('inf')).max().item():.3g} of what is allowed")


class Gemm(Cases):
    def check(self, a, b, c=None, bias=None, alpha=1.0, beta=1.0, activation="none", sharp=2.0 ** -22, **further):
        want, magnitude = products(a, b)
        poison(*want.shape)
        got = aisp_torch.gemm(a, b, c, bias, alpha=alpha, beta=beta, activation=activation, **further)
        want, magnitude = alpha * want, abs(alpha) * magnitude
        if c is not None:
            want, magnitude = want + beta * c.double(), magnitude + abs(beta) * c.double().abs()
        if bias is not None:
            want, magnitude = want + bias.double(), magnitude + bias.double().abs()
        approximate = 2.0 ** -11 * want.abs() if activation in ("gelu", "silu") else 0
        self.close(got, ACTIVATIONS[activation](want), 1.2 * sharp * magnitude + approximate)
        return got

    def test_types(self):
        for dtype in (BF16, F16):
            self.check(random(300, 200, dtype=dtype), random(200, 136, dtype=dtype))
        self.check(random(300, 200), random(200, 136), out_dtype=F32)
        self.check(random(256, 256, dtype=E4M3), random(128, 256, dtype=E4M3).t(), sharp=FP8_SUM)
        a, b = random(130, 64, dtype=F32), random(64, 72, dtype=F32)
        self.check(a, b, allow_tf32=True, sharp=2.0 ** -9)
        a, b = (torch.randint(-100, 100, shape, device="cuda", dtype=torch.int8) for shape in ((256, 128), (64, 128)))
        self.assertTrue(torch.equal(aisp_torch.gemm(a, b.t()).cpu(), a.cpu().int() @ b.t().cpu().int()))

    def test_strides(self):
        a, b = random(300, 200), random(200, 136)
        self.check(a.t().contiguous().t(), b)
        self.check(a, b.t().contiguous().t())
        self.check(a[:, :120], b[:120, 8:128])
        self.check(a[1::2, 3:64], b[3:64])           # neither aligned nor dense
        self.check(a[:1], b)
        self.check(random(7, 200), b[:, :1])

    def test_epilogues(self):
        for dtype in (BF16, F16):
            a, c, bias = (random(*shape, dtype=dtype, seed=3) for shape in ((500, 256), (500, 264), (264,)))
            for b in (random(256, 264, dtype=dtype), random(264, 256, dtype=dtype).t()):
                for activation in ACTIVATIONS:
                    self.check(a, b, bias=bias, activation=activation)
                self.check(a, b, c, bias, alpha=0.5, beta=-2.0, activation="relu")
                self.check(a, b, c, beta=0.25)
                self.check(a, b, activation="silu", alpha=3.0)
            self.check(a[:, 1:], random(255, 264, dtype=dtype), c, bias, activation="gelu")  # the general kernel

    def test_batches(self):
        self.check(random(5, 70, 128), random(5, 128, 96))
        self.check(random(5, 70, 128), random(128, 96))
        self.check(random(70, 128), random(5, 128, 96))
        self.check(random(5, 70, 128), random(128, 96), bias=random(96), activation="gelu")
        self.check(random(3, 64, 64).transpose(0, 1), random(64, 64, 40))
        self.assertEqual(tuple(aisp_torch.gemm(random(0, 64), random(64, 32)).shape), (0, 32))

    def test_agrees_with_torch(self):
        x, w, bias = random(512, 768), random(1024, 768), random(1024)
        want = torch.nn.functional.linear(x, w, bias)
        got = aisp_torch.gemm(x, w.t(), bias=bias)
        torch.testing.assert_close(got, want, atol=0.25, rtol=0.02)


class Others(Cases):
    def test_grouped(self):
        for dtype, sharp in ((BF16, 2.0 ** -22), (F16, 2.0 ** -22), (E4M3, FP8_SUM)):
            rows = [100, 0, 257, 1, 64]
            a, b = random(sum(rows), 192, dtype=dtype), random(5, 136, 192, dtype=dtype).transpose(1, 2)
            poison(sum(rows), 136)
            got, first = aisp_torch.grouped_gemm(a, b, rows, alpha=0.5), 0
            for group, count in enumerate(rows):
                want, magnitude = products(a[first:first + count], b[group])
                self.close(got[first:first + count], 0.5 * want, sharp * magnitude)
                first += count

    def scaled(self, m, n, k, a_shape, b_shape, bias=None):
        a, b = random(m, k, dtype=E4M3), random(n, k, dtype=E4M3, seed=1).t()
        a_scales, b_scales = (torch.rand(shape, device="cuda") + 0.5 for shape in (a_shape, b_shape))
        poison(m, n)
        got = aisp_torch.scaled_gemm(a, b, a_scales, b_scales, bias)
        spread = a_scales.expand(m, 1) if a_scales.numel() == 1 else a_scales
        wide_a = spread.repeat_interleave(-(-k // spread.shape[1]) if spread.shape[1] == 1 else 128, 1)[:, :k]
        if tuple(b_shape) == (1, n) or b_scales.numel() == 1:
            wide_b = b_scales.expand(k, n)
        else:
            wide_b = b_scales.repeat_interleave(128, 0)[:k].repeat_interleave(128, 1)[:, :n]
        want, magnitude = products(a.double() * wide_a.double(), b.double() * wide_b.double())
        if bias is not None:
            want = want + bias.double()
        self.close(got, want, FP8_SUM * magnitude)

    def test_scaled(self):
        self.scaled(300, 264, 512, (300, 4), (4, 3))
        self.scaled(300, 264, 400, (300, 4), (4, 3), random(264))
        self.scaled(128, 128, 128, (128, 1), (1, 1))
        self.scaled(1, 512, 1024, (1, 8), (8, 4))
        self.scaled(257, 136, 2048, (), ())
        self.scaled(257, 136, 256, (257, 1), (1, 136), random(136))

    def attended(self, q, k, v, seen, change=lambda score: score):
        """In float64; also what rounding the weights may do, and the logarithms of the sums."""
        groups = q.shape[1] // k.shape[1]
        k, v = (one.double().repeat_interleave(groups, 1) for one in (k, v))
        score = change(q.double() @ k.transpose(2, 3) / q.shape[3] ** 0.5).masked_fill(~seen, float("-inf"))
        weight = torch.softmax(score, -1).nan_to_num(0)
        return weight @ v, weight @ v.abs(), torch.logsumexp(score, -1)

    def places(self, s, t):
        return torch.arange(t - s, t, device="cuda")[:, None], torch.arange(t, device="cuda")[None]

    def test_attention(self):
        for dtype, size in ((BF16, 128), (F16, 64), (BF16, 256)):
            for heads, shared, s, t in ((4, 2, 200, 333), (8, 8, 128, 128), (4, 1, 1, 700)):
                q, k, v = (random(2, h, rows, size, dtype=dtype, seed=9)
                           for h, rows in ((heads, s), (shared, t), (shared, t)))
                i, j = self.places(s, t)
                for options, seen in (({}, j >= 0), ({"causal": True}, j <= i),
                                      ({"window_left": 60, "window_right": 5}, (j >= i - 60) & (j <= i + 5))):
                    poison(2, heads, s, size, dtype=dtype)
                    got, lse = aisp_torch.attention(q, k, v, return_lse=True, **options)
                    want, magnitude, sums = self.attended(q, k, v, seen)
                    self.close(got, want, 2.0 ** -7 * magnitude)
                    self.close(lse, sums, 1e-3)
        q, k, v = (random(2, 300, 4, 128).transpose(1, 2) for _ in range(3))
        self.close(aisp_torch.attention(q, k, v), self.attended(q, k, v, self.places(300, 300)[1] >= 0)[0], 0.02)
        torch.testing.assert_close(aisp_torch.attention(q, k, v, causal=True), torch.nn.functional.
                                   scaled_dot_product_attention(q, k, v, is_causal=True), atol=0.02, rtol=0.02)
        lengths = torch.tensor([100, 7], device="cuda", dtype=torch.int32)
        got = aisp_torch.attention(q[:, :, :1], k, v, kv_lengths=lengths)
        seen = torch.arange(300, device="cuda") < lengths[:, None, None, None]
        self.close(got, self.attended(q[:, :, :1], k, v, seen)[0], 0.02)

    def test_flex_attention(self):
        s, t = 260, 384
        q, k, v = (random(2, h, rows, 128, seed=5) for h, rows in ((4, s), (2, t), (2, t)))
        slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625], device="cuda")
        documents = (torch.arange(t, device="cuda") // 90).int().expand(2, t).contiguous()
        documents[1] = (torch.arange(t, device="cuda") // 130).int()
        prefix = torch.tensor([150, 200], device="cuda", dtype=torch.int32)
        i, j = self.places(s, t)
        biased = slopes[:, None, None].double() * (j - i).double()
        same = torch.stack([one[i.flatten()][:, None] == one[None] for one in documents])[:, None]
        for options, seen, change in (
                ({"soft_cap": 20.0, "causal": True, "precise": True}, j <= i, lambda x: 20 * torch.tanh(x / 20)),
                ({"slopes": slopes, "causal": True}, j <= i, lambda x: x + biased),
                ({"documents": documents, "causal": True}, (j <= i) & same, lambda x: x),
                ({"prefix": prefix, "causal": True}, (j <= i) | (j < prefix[:, None, None, None]), lambda x: x),
                ({"window_left": 64, "window_right": 0, "slopes": slopes, "soft_cap": 30.0, "precise": True},
                 (j <= i) & (j >= i - 64), lambda x: 30 * torch.tanh(x / 30) + biased)):
            poison(*q.shape)
            got, lse = aisp_torch.flex_attention(q, k, v, return_lse=True, **options)
            want, magnitude, sums = self.attended(q, k, v, seen, change)
            self.close(got, want, 2.0 ** -7 * magnitude)
            self.close(lse, sums, 2e-3)
        documents += 1  # another memory with the same meaning, then another meaning in the same memory
        again = aisp_torch.flex_attention(q, k, v, documents=documents.clone(), causal=True)
        documents[:] = 0
        whole = aisp_torch.flex_attention(q, k, v, documents=documents, causal=True)
        self.close(again, self.attended(q, k, v, (j <= i) & same)[0], 0.03)
        self.close(whole, self.attended(q, k, v, j <= i)[0], 0.03)


def calls():
    """One call of each operator, a function of its first tensor."""
    w, bias = random(256, 192).t(), random(256)
    experts = random(2, 192, 136).transpose(1, 2).contiguous().transpose(1, 2)
    k, v = random(1, 2, 192, 128), random(1, 2, 192, 128)
    slopes = torch.tensor([0.5, 0.25], device="cuda")
    ones = torch.ones((), device="cuda")
    heads = random(1, 2, 192, 128)
    return {
        "gemm": (lambda x: aisp_torch.gemm(x, w, bias=bias, activation="gelu"), random(320, 192)),
        "grouped_gemm": (lambda x: aisp_torch.grouped_gemm(x, experts, [200, 120]), random(320, 192)),
        "scaled_gemm": (lambda x: aisp_torch.scaled_gemm(x, w.to(E4M3), ones, ones), random(320, 192, dtype=E4M3)),
        "attention": (lambda x: aisp_torch.attention(x, k, v, causal=True), heads),
        "flex_attention": (lambda x: aisp_torch.flex_attention(x, k, v, causal=True, slopes=slopes), heads),
    }


class InTorch(Cases):
    def test_streams(self):
        """The input is there late, and on another stream than the default one. Which has no work: whoever runs there
        reads NaN."""
        for name, (operator, x) in calls().items():
            want = operator(x)
            late, stream = torch.full_like(x.float(), float("nan")).to(x.dtype), torch.cuda.Stream()
            operator(late)  # what is compiled or planned is there
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                torch.cuda._sleep(100_000_000)
                late.copy_(x)
                got = operator(late)
            stream.synchronize()
            self.assertTrue(torch.equal(got, want), name)

    def test_graphs(self):
        for name, (operator, x) in calls().items():
            want, replayed, stream = operator(x), torch.zeros_like(x), torch.cuda.Stream()
            with torch.cuda.stream(stream):
                operator(replayed)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                got = operator(replayed)
            replayed.copy_(x)
            for other in range(70):  # more plans of groups than are kept
                aisp_torch.grouped_gemm(random(64 + other, 64), random(1, 64, 64).transpose(1, 2), [64 + other])
            got.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            self.assertTrue(torch.equal(got, want), name)

    def test_compile(self):
        for name, (operator, x) in calls().items():
            kept = []

            def backend(module, inputs):
                kept.extend(str(node.target) for node in module.graph.nodes if node.op == "call_function")
                return module.forward

            def step(x):
                return operator(x) * 2

            torch._dynamo.reset()
            got = torch.compile(step, backend=backend, fullgraph=True)(x)
            self.assertTrue(torch.equal(got, operator(x) * 2), name)
            self.assertTrue(any(one.startswith(f"aisp.{name}") for one in kept), (name, kept))
            torch._dynamo.reset()
            self.assertTrue(torch.equal(torch.compile(step, backend="aot_eager", fullgraph=True)(x), got), name)

    def test_inductor(self):
        w, bias = random(256, 192).t(), random(256)

        def layer(x):
            return torch.relu(aisp_torch.gemm(torch.sin(x), w, bias=bias, activation="silu") + 1)

        compiled = torch.compile(layer, fullgraph=True, dynamic=True)
        for rows in (320, 77):
            x = random(rows, 192)
            torch.testing.assert_close(compiled(x), layer(x), atol=0.02, rtol=0.02)

    def test_meta(self):
        a, b = torch.empty(4, 70, 64, device="meta", dtype=E4M3), torch.empty(64, 40, device="meta", dtype=E4M3)
        d = torch.ops.aisp.gemm(a, b)
        self.assertEqual((tuple(d.shape), d.dtype), ((4, 70, 40), BF16))
        x, w = random(64, 64), random(64, 32)
        torch.library.opcheck(torch.ops.aisp.gemm.default, (x, w), test_utils=("test_schema", "test_faketensor"))
        heads = random(1, 2, 64, 128)
        torch.library.opcheck(torch.ops.aisp.attention.default, (heads, heads, heads, True, None, -1, -1, None, True),
                              test_utils=("test_schema", "test_faketensor"))

    def refused(self, kind, line, call):
        with self.assertRaises(kind) as raised:
            call()
        self.assertEqual(str(raised.exception), line)

    def test_errors(self):
        a, b = random(64, 32), random(32, 40)
        gemm = aisp_torch.gemm
        self.refused(ValueError, "gemm: a is on cpu; move it to a CUDA device: a.cuda()", lambda: gemm(a.cpu(), b.cpu()))
        self.refused(ValueError, "gemm: a (64, 32) bf16 has rows of 32, b (40, 32) bf16 columns of 40; they must be equal",
                     lambda: gemm(a, b.t()))
        self.refused(TypeError, "gemm: a is torch.float64; torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn, "
                     "torch.float8_e5m2, torch.int8, torch.int32 are taken", lambda: gemm(a.double(), b.double()))
        self.refused(ValueError, "gemm: a (32, 16) bf16 has strides (64, 2), one of the last two must be 1; make it contiguous",
                     lambda: gemm(a[::2, ::2], b[:16]))
        self.refused(ValueError, "gemm: there is no activation 'tanh'; there are none, relu, gelu, silu",
                     lambda: gemm(a, b, activation="tanh"))
        self.refused(ValueError, "attention: q (64, 32) has 2 dimensions, not 4", lambda: aisp_torch.attention(a, a, a))
        heads = random(1, 2, 8, 80)
        self.refused(ValueError, "attention: heads have 64, 96, 128 or 256 elements: got 80; pad q, k and v with zeros and "
                     "give `scale`", lambda: aisp_torch.attention(heads, heads, heads))
        self.refused(RuntimeError, "gemm: there is no gradient; call it under torch.no_grad(), or on tensors without one",
                     lambda: gemm(a.requires_grad_(), b).sum().backward())


if __name__ == "__main__":
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}, libaisp {aisp_torch.version()}", flush=True)
    unittest.main(verbosity=2)
