"""Calls that repeat an earlier one, on the simulator and a stand-in for PyTorch (fake_torch): right results from new
addresses, streams and numbers, which calls go through the dispatcher, threads, and the limit of what is kept.

    repeated_calls_test.py [TEST…]
"""

import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "fake_torch"))

import numpy
import torch

from aisp_torch import _formats, _native, _repeat, operators

BF16, F32 = torch.bfloat16, torch.float32


def random(rng, *shape, kind="bf16"):
    array = _formats.array(rng.normal(size=shape), kind)
    return torch.from_codes(array.codes, BF16 if kind == "bf16" else F32), array.numbers()


def numbers(tensor):
    return _formats.Array(tensor.numpy(), "bf16").numbers()


class Repeated(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(7)
        _repeat._prepared.clear()
        torch.State.dispatched.clear()
        torch.State.grad = torch.State.compiling = torch.State.profiling = False
        torch.State.modes, torch.State.stream = 0, 0

    def close(self, got, want):
        numpy.testing.assert_allclose(numbers(got), want, rtol=2.0 ** -7, atol=2.0 ** -7)

    def count_prepared(self):
        """self.made: how many calls are prepared from here on."""
        self.made, whole = 0, _native.Call.__init__

        def counted(call, *words, **given):
            self.made += 1
            whole(call, *words, **given)
        _native.Call.__init__ = counted
        self.addCleanup(lambda: setattr(_native.Call, "__init__", whole))

    def test_new_addresses(self):
        self.count_prepared()
        kept = []
        for _ in range(3):
            (a, x), (b, y) = random(self.rng, 16, 32), random(self.rng, 32, 24)
            d = operators.gemm(a, b)
            self.close(d, x @ y)
            kept.append((a, b, d))
        self.assertEqual((self.made, torch.State.dispatched), (1, ["gemm"]))
        self.assertEqual(len({one.data_ptr() for one in sum(kept, ())}), 9)

    def test_other_calls(self):
        """Each number, shape, stride and missing tensor is another call."""
        self.count_prepared()
        (a, x), (b, y), (c, z) = (random(self.rng, 16, 16) for _ in range(3))
        (bias, of_column) = random(self.rng, 16)
        calls = [(lambda: operators.gemm(a, b), x @ y), (lambda: operators.gemm(a, b.t()), x @ y.T),
                 (lambda: operators.gemm(a, b, alpha=2.0), 2 * x @ y),
                 (lambda: operators.gemm(a, b, alpha=0.0), 0 * x),
                 (lambda: operators.gemm(a, b, c), x @ y + z), (lambda: operators.gemm(a, b, c, beta=0.5), x @ y + z / 2),
                 (lambda: operators.gemm(a, b, bias=bias), x @ y + of_column),
                 (lambda: operators.gemm(a, b, activation="relu"), numpy.maximum(x @ y, 0))]
        for _ in range(2):
            for call, want in calls:
                self.close(call(), want)
        self.assertEqual(self.made, len(calls))

    def test_place_of_a_tensor(self):
        one, _ = random(self.rng, 16)
        keys = {_repeat._key(operator, inputs, ()) for operator in ("a", "b") for inputs in ((one, None), (None, one), (one,))}
        self.assertEqual(len(keys), 6)

    def test_refusal_of_an_address(self):
        """What depends on addresses is looked at in every call."""
        (a, _), (b, _) = random(self.rng, 16, 16), random(self.rng, 16, 16)
        operators.gemm(a, b)
        prepared = next(iter(_repeat._prepared.values()))
        with self.assertRaisesRegex(ValueError, "shares memory"):
            prepared.enqueue((a, b, None, None), (a,))
        moved = torch.Tensor(torch.Block(1024), 0, a.shape, a.stride(), BF16)
        moved.data_ptr = lambda: a.data_ptr() + 1
        with self.assertRaisesRegex(ValueError, "starts 1 bytes behind"):
            operators.gemm(moved, b)
        self.close(operators.gemm(a, b), numbers(operators.gemm(a, b)))

    def test_dispatcher(self):
        (a, _), (b, _) = random(self.rng, 16, 16), random(self.rng, 16, 16)

        def goes_through(**further):
            before = len(torch.State.dispatched)
            operators.gemm(a, b, **further)
            return len(torch.State.dispatched) > before
        self.assertTrue(goes_through(), "the first call")
        self.assertFalse(goes_through())
        for name, value, usual in (("compiling", True, False), ("modes", 1, 0), ("profiling", True, False)):
            setattr(torch.State, name, value)
            self.assertTrue(goes_through(), name)
            setattr(torch.State, name, usual)
        torch.autograd.forward_ad._current_level = 0
        self.assertTrue(goes_through(), "forward mode")
        torch.autograd.forward_ad._current_level = -1
        torch.State.grad = True
        self.assertFalse(goes_through())
        a.requires_grad = True
        self.assertTrue(goes_through(), "gradient")
        torch.State.grad = False
        self.assertFalse(goes_through())
        a = type("Subclass", (torch.Tensor,), {})(a.block, a.offset, a.shape, a.strides, a.dtype)
        self.assertTrue(goes_through(), "subclass")
        a = torch.nn.Parameter(a.block, a.offset, a.shape, a.strides, a.dtype)
        self.assertFalse(goes_through(), "parameter")
        a.is_neg = lambda: True
        with self.assertRaisesRegex(ValueError, "a sign still to be applied"):
            goes_through()
        a = 3
        with self.assertRaises(AttributeError):  # PyTorch's own dispatcher has words for it
            goes_through()
        self.assertEqual(torch.State.dispatched[-1], "gemm")

    def test_attention(self):
        self.count_prepared()
        for _ in range(2):
            (q, x), (k, y), (v, z) = (random(self.rng, 1, 2, rows, 64) for rows in (8, 40, 40))
            score = x @ y.transpose(0, 1, 3, 2) / 8
            weight = numpy.exp(score - score.max(-1, keepdims=True))
            want = weight / weight.sum(-1, keepdims=True) @ z
            self.close(operators.attention(q, k, v), want)
            o, lse = operators.attention(q, k, v, return_lse=True)
            self.close(o, want)
            numpy.testing.assert_allclose(lse.numpy(), numpy.log(numpy.exp(score).sum(-1)), rtol=1e-3, atol=1e-3)
        self.assertEqual(self.made, 2)
        o, lse = torch.ops.aisp.attention(q, k, v, False, None, -1, -1, None, False)
        self.assertEqual(lse.shape, (0,))

    def test_other_attention(self):
        """With the same addresses: the library tells them apart, too."""
        (q, x), (k, y), (v, z) = (random(self.rng, 1, 1, 40, 64) for _ in range(3))
        lengths = torch.from_codes(numpy.int32([17]), torch.int32)
        key, query = numpy.arange(40), numpy.arange(40)[:, None]
        cases = [({}, 1 / 8, key >= 0), ({"causal": True}, 1 / 8, key <= query), ({"scale": 0.5}, 0.5, key >= 0),
                 ({"window_left": 3}, 1 / 8, key >= query - 3), ({"window_right": 3}, 1 / 8, key <= query + 3),
                 ({"kv_lengths": lengths}, 1 / 8, key < 17)]
        for _ in range(2):
            for further, scale, seen in cases:
                score = numpy.where(seen, x @ y.transpose(0, 1, 3, 2) * scale, -numpy.inf)
                weight = numpy.exp(score - score.max(-1, keepdims=True))
                self.close(operators.attention(q, k, v, **further), weight / weight.sum(-1, keepdims=True) @ z)

    def test_other_groups(self):
        (a, x), (b, y) = random(self.rng, 16, 32), random(self.rng, 2, 24, 32)
        moved = torch.Tensor(b.block, 0, (2, 32, 24), (24 * 32, 1, 32), BF16)
        for rows in ([10, 6], [3, 13], [10, 6]):
            want = numpy.concatenate([x[:rows[0]] @ y[0].T, x[rows[0]:] @ y[1].T])
            self.close(operators.grouped_gemm(a, moved, rows), want)

    def test_limit(self):
        (a, _), (b, _) = random(self.rng, 16, 16), random(self.rng, 16, 16)
        most, _repeat.MOST = _repeat.MOST, 4
        self.addCleanup(lambda: setattr(_repeat, "MOST", most))
        self.count_prepared()
        for alpha in (1, 2, 3, 4, 1, 5):
            operators.gemm(a, b, alpha=alpha)
        self.assertEqual((self.made, len(_repeat._prepared)), (5, 4))
        operators.gemm(a, b, alpha=1)   # used after 2
        self.assertEqual(self.made, 5)
        operators.gemm(a, b, alpha=2)
        self.assertEqual(self.made, 6)

    def test_threads(self):
        """One call is not another thread's at the same time."""
        wrong = []

        def work(seed):
            rng = numpy.random.default_rng(seed)
            for _ in range(20):
                (a, x), (b, y) = random(rng, 16, 32), random(rng, 32, 16)
                if not numpy.allclose(numbers(operators.gemm(a, b)), x @ y, rtol=2.0 ** -7, atol=2.0 ** -7):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
