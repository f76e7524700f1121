"""What the results of the operations look like, for NumPy's face, for PyTorch's and for torch.compile alike. Only what
the library cannot say, because a result has to be there before it is called; the rest it says itself."""

ACTIVATIONS = {"none": 0, "relu": 1, "gelu": 2, "silu": 3}
RESULTS = {"bf16": "bf16", "f16": "f16", "f32": "f32", "e4m3": "bf16", "e5m2": "bf16", "s8": "s32"}


def shaped(shape):
    return "(" + ", ".join(str(one) for one in shape) + ")"


def rank(name, argument, shape, *ranks):
    if len(shape) not in ranks:
        wanted = " or ".join(str(one) for one in ranks)
        raise ValueError(f"{name}: {argument} {shaped(shape)} has {len(shape)} dimensions, not {wanted}")


def activation(name):
    if name not in ACTIVATIONS:
        raise ValueError(f"gemm: there is no activation '{name}'; there are {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]


def result_type(name, operand, asked=None):
    """The type of a product's result, as the caller asks for it or as goes with its operands."""
    if operand not in RESULTS:
        raise TypeError(f"{name}: a is {operand}; {', '.join(RESULTS)} are multiplied")
    return asked or RESULTS[operand]


def gemm_shape(a, b):
    rank("gemm", "a", a, 2, 3)
    rank("gemm", "b", b, 2, 3)
    batch = a[:1] if len(a) == 3 else b[:1] if len(b) == 3 else ()
    return (*batch, a[-2], b[-1])


def grouped_shape(a, b):
    rank("grouped_gemm", "a", a, 2)
    rank("grouped_gemm", "b", b, 3)
    return (a[0], b[2])


def scaled_shape(a, b):
    rank("scaled_gemm", "a", a, 2)
    rank("scaled_gemm", "b", b, 2)
    return (a[0], b[1])


def attention_shapes(name, q, k, v):
    """Of the result and of the logarithms of the sums."""
    for argument, shape in (("q", q), ("k", k), ("v", v)):
        rank(name, argument, shape, 4)
    return tuple(q), tuple(q[:3])


def window(causal, left, right):
    """Causal is a window that ends at the query itself."""
    if causal and right > 0:
        raise ValueError(f"attention: causal, and a window of {right} keys behind the query; say one of the two")
    return left, 0 if causal else right
