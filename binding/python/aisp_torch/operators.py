"""The operators of torch.ops.aisp and the functions that call them. Each has a schema, a function for CUDA tensors, one
for the shapes of its results, by which torch.compile keeps it in a graph, and one that refuses a gradient."""

import torch

from . import _native, _repeat, _rules

_NAMES = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32", torch.float8_e4m3fn: "e4m3",
          torch.float8_e5m2: "e5m2", torch.int8: "s8", torch.int32: "s32"}
_TYPES = {name: dtype for dtype, name in _NAMES.items()}


def _name_of(operator, argument, dtype):
    if dtype not in _NAMES:
        raise TypeError(f"{operator}: {argument} is {dtype}; {', '.join(str(one) for one in _NAMES)} are taken")
    return _NAMES[dtype]


def _described(operator, tensors):
    """Descriptors of tensors that are all on CUDA devices."""
    made = {}
    for argument, tensor in tensors.items():
        if tensor is None:
            continue
        if not tensor.is_cuda:
            raise ValueError(f"{operator}: {argument} is on {tensor.device}; move it to a CUDA device: {argument}.cuda()")
        name = _name_of(operator, argument, tensor.dtype)
        if tensor.is_conj() or tensor.is_neg():
            raise ValueError(f"{operator}: {argument} is a view with a sign still to be applied; resolve it first")
        made[argument] = _native.tensor(tensor.data_ptr() or None, tensor.device.index, name, tensor.shape, tensor.stride())
    return made


def _call(operator, inputs, numbers, results, **further):
    """The first call of its kind; take() finds it again by the inputs without their addresses and by the numbers."""
    made = _native.Call(operator, **_described(operator, inputs | results), **further)
    results = tuple(results.values())
    prepared = _repeat.Prepared(operator, tuple(inputs.values()), numbers, made, results)
    prepared.enqueue(tuple(inputs.values()), results)
    return results


def _result_type(operator, a, asked=None):
    name = _name_of(operator, "a", a.dtype)
    return _TYPES[_rules.result_type(operator, name, asked and _name_of(operator, "out_dtype", asked))]


# Each: the empty result, which is all that torch.compile wants to know; then the operation itself.

def _gemm_result(a, b, c=None, bias=None, alpha=1.0, beta=1.0, activation="none", out_dtype=None, allow_tf32=False):
    _rules.activation(activation)
    return a.new_empty(_rules.gemm_shape(a.shape, b.shape), dtype=_result_type("gemm", a, out_dtype))


def _gemm(a, b, c=None, bias=None, alpha=1.0, beta=1.0, activation="none", out_dtype=None, allow_tf32=False):
    numbers = (alpha, beta, activation, out_dtype, allow_tf32)
    if again := _repeat.take("gemm", (a, b, c, bias), numbers):
        return again.run((a, b, c, bias))[0]
    d = _gemm_result(a, b, c, bias, *numbers)
    return _call("gemm", {"a": a, "b": b, "c": c, "bias": bias}, numbers, {"d": d}, alpha=alpha,
                 beta=0.0 if c is None else beta, activation=_rules.activation(activation), allow_tf32=int(allow_tf32))[0]


def _grouped_gemm_result(a, b, rows, alpha=1.0):
    return a.new_empty(_rules.grouped_shape(a.shape, b.shape), dtype=_result_type("grouped_gemm", a))


def _grouped_gemm(a, b, rows, alpha=1.0):
    numbers = (alpha, *rows)
    if again := _repeat.take("grouped_gemm", (a, b), numbers):
        return again.run((a, b))[0]
    d = _grouped_gemm_result(a, b, rows)
    return _call("grouped_gemm", {"a": a, "b": b}, numbers, {"d": d}, alpha=alpha, groups=len(rows),
                 rows=_native.numbers("grouped_gemm", "a number of rows", rows))[0]


def _scaled_gemm_result(a, b, a_scales, b_scales, bias=None):
    return a.new_empty(_rules.scaled_shape(a.shape, b.shape), dtype=torch.bfloat16)


def _scaled_gemm(a, b, a_scales, b_scales, bias=None):
    inputs = (a, b, a_scales, b_scales, bias)
    if again := _repeat.take("scaled_gemm", inputs, ()):
        return again.run(inputs)[0]
    d = _scaled_gemm_result(a, b, a_scales, b_scales)
    return _call("scaled_gemm", {"a": a, "b": b, "a_scales": a_scales, "b_scales": b_scales, "bias": bias}, (), {"d": d})[0]


def _attention_results(name, q, k, v, return_lse):
    _, sums = _rules.attention_shapes(name, q.shape, k.shape, v.shape)
    return torch.empty_like(q), q.new_empty(sums if return_lse else (0,), dtype=torch.float32)


def _attend(name, tensors, causal, scale, window_left, window_right, return_lse, **further):
    """What is not asked for is empty."""
    numbers, inputs = (causal, scale, window_left, window_right, return_lse, *further.values()), tuple(tensors.values())
    if again := _repeat.take(name, inputs, numbers):
        made = again.run(inputs)
    else:
        o, lse = _attention_results(name, *inputs[:3], return_lse)
        left, right = _rules.window(causal, window_left, window_right)
        made = _call(name, tensors, numbers, {"o": o} | ({"log_sum_exp": lse} if return_lse else {}), scale=scale or 0.0,
                     mask=_native.WINDOW, window_left=left, window_right=right, **further)
    return tuple(made) if return_lse else (made[0], inputs[0].new_empty((0,), dtype=torch.float32))


def _attention_result(q, k, v, causal=False, scale=None, window_left=-1, window_right=-1, kv_lengths=None, return_lse=False):
    return _attention_results("attention", q, k, v, return_lse)


def _attention(q, k, v, causal=False, scale=None, window_left=-1, window_right=-1, kv_lengths=None, return_lse=False):
    return _attend("attention", {"q": q, "k": k, "v": v, "kv_lengths": kv_lengths}, causal, scale, window_left, window_right,
                   return_lse)


def _flex_attention_result(q, k, v, causal=False, scale=None, window_left=-1, window_right=-1, soft_cap=0.0, slopes=None,
                           prefix=None, documents=None, kv_lengths=None, precise=False, return_lse=False):
    return _attention_results("flex_attention", q, k, v, return_lse)


def _flex_attention(q, k, v, causal=False, scale=None, window_left=-1, window_right=-1, soft_cap=0.0, slopes=None,
                    prefix=None, documents=None, kv_lengths=None, precise=False, return_lse=False):
    tensors = {"q": q, "k": k, "v": v, "kv_lengths": kv_lengths, "slopes": slopes, "prefix": prefix, "documents": documents}
    return _attend("flex_attention", tensors, causal, scale, window_left, window_right, return_lse, soft_cap=soft_cap,
                   precise=int(precise))


_WINDOW = "Tensor q, Tensor k, Tensor v, bool causal=False, float? scale=None, int window_left=-1, int window_right=-1"
_OPERATORS = {
    "gemm": ("(Tensor a, Tensor b, Tensor? c=None, Tensor? bias=None, float alpha=1.0, float beta=1.0, "
             "str activation='none', ScalarType? out_dtype=None, bool allow_tf32=False) -> Tensor", _gemm, _gemm_result),
    "grouped_gemm": ("(Tensor a, Tensor b, int[] rows, float alpha=1.0) -> Tensor", _grouped_gemm, _grouped_gemm_result),
    "scaled_gemm": ("(Tensor a, Tensor b, Tensor a_scales, Tensor b_scales, Tensor? bias=None) -> Tensor", _scaled_gemm,
                    _scaled_gemm_result),
    "attention": (f"({_WINDOW}, Tensor? kv_lengths=None, bool return_lse=False) -> (Tensor, Tensor)", _attention,
                  _attention_result),
    "flex_attention": (f"({_WINDOW}, float soft_cap=0.0, Tensor? slopes=None, Tensor? prefix=None, Tensor? documents=None, "
                       "Tensor? kv_lengths=None, bool precise=False, bool return_lse=False) -> (Tensor, Tensor)",
                       _flex_attention, _flex_attention_result),
}


def _refuses_gradient(name):
    def backward(*_):
        raise RuntimeError(f"{name}: there is no gradient; call it under torch.no_grad(), or on tensors without one")
    return backward


for _name, (_schema, _operation, _result) in _OPERATORS.items():
    torch.library.define(f"aisp::{_name}", _schema)
    torch.library.impl(f"aisp::{_name}", ("cuda", "cpu"), _operation)  # cpu: to be refused in one line
    torch.library.register_fake(f"aisp::{_name}", _result)
    torch.library.register_autograd(f"aisp::{_name}", _refuses_gradient(_name))


# A repeated call, whose arguments PyTorch has checked once, is run as it is.

def gemm(a, b, c=None, bias=None, *, alpha=1.0, beta=1.0, activation="none", out_dtype=None, allow_tf32=False):
    """activation(alpha a b + beta c + bias): a (M, K) or (B, M, K), b (K, N) or (B, K, N)."""
    inputs = (a, b, c, bias)
    if again := _repeat.take_past_dispatcher("gemm", inputs, (alpha, beta, activation, out_dtype, allow_tf32)):
        return again.run(inputs)[0]
    return torch.ops.aisp.gemm(a, b, c, bias, alpha, beta, activation, out_dtype, allow_tf32)


def grouped_gemm(a, b, rows, *, alpha=1.0):
    """Of a's rows the first rows[0] times b[0], the next rows[1] times b[1], and so on: b (groups, K, N)."""
    if type(rows) in (list, tuple) and (again := _repeat.take_past_dispatcher("grouped_gemm", (a, b), (alpha, *rows))):
        return again.run((a, b))[0]
    return torch.ops.aisp.grouped_gemm(a, b, rows, alpha)


def scaled_gemm(a, b, a_scales, b_scales, bias=None):
    """a (M, K) and b (K, N) in float8_e4m3fn, times their scales, into bfloat16."""
    inputs = (a, b, a_scales, b_scales, bias)
    if again := _repeat.take_past_dispatcher("scaled_gemm", inputs, ()):
        return again.run(inputs)[0]
    return torch.ops.aisp.scaled_gemm(*inputs)


def _as_asked(made, return_lse):
    return tuple(made) if return_lse else made[0]


def attention(q, k, v, *, causal=False, scale=None, window_left=-1, window_right=-1, kv_lengths=None, return_lse=False):
    """softmax(scale q k' + mask) v: q (B, H, S, D), k and v (B, H / g, T, D)."""
    inputs, numbers = (q, k, v, kv_lengths), (causal, scale, window_left, window_right, return_lse)
    if again := _repeat.take_past_dispatcher("attention", inputs, numbers):
        return _as_asked(again.run(inputs), return_lse)
    return _as_asked(torch.ops.aisp.attention(q, k, v, *numbers[:-1], kv_lengths, return_lse), return_lse)


def flex_attention(q, k, v, *, causal=False, scale=None, window_left=-1, window_right=-1, soft_cap=0.0, slopes=None,
                   prefix=None, documents=None, kv_lengths=None, precise=False, return_lse=False):
    """Attention with a soft cap, ALiBi, a prefix that all see, documents that do not see each other."""
    inputs = (q, k, v, kv_lengths, slopes, prefix, documents)
    numbers = (causal, scale, window_left, window_right, return_lse, soft_cap, precise)
    if again := _repeat.take_past_dispatcher("flex_attention", inputs, numbers):
        return _as_asked(again.run(inputs), return_lse)
    return _as_asked(torch.ops.aisp.flex_attention(q, k, v, *numbers[:4], soft_cap, slopes, prefix, documents, kv_lengths,
                                                   precise, return_lse), return_lse)
