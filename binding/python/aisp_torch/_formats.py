"""Numbers of the formats that NumPy does not know, as codes: bf16, e4m3 and e5m2."""

import functools

import numpy

# What holds the codes of each type.
STORAGE = {"bf16": numpy.uint16, "f16": numpy.float16, "f32": numpy.float32, "e4m3": numpy.uint8, "e5m2": numpy.uint8,
           "s8": numpy.int8, "s32": numpy.int32}
_OWN = {numpy.dtype(STORAGE[name]): name for name in ("f16", "f32", "s8", "s32")}


@functools.cache
def _fp8_numbers(dtype):
    """The number of each of the 256 codes."""
    exponent_bits = 4 if dtype == "e4m3" else 5
    mantissa_bits = 7 - exponent_bits
    bias = (1 << (exponent_bits - 1)) - 1
    code = numpy.arange(256)
    exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    number = numpy.where(exponent == 0, mantissa * 2.0 ** (1 - bias), (1 + mantissa) * 2.0 ** (exponent - bias))
    if dtype == "e4m3":
        number[(code & 0x7f) == 0x7f] = numpy.nan
    else:
        number[exponent == 31] = numpy.where(mantissa[exponent == 31] == 0, numpy.inf, numpy.nan)
    return numpy.where(code & 0x80, -number, number)


def _to_bf16(values):
    """Rounded to nearest, ties to even; NaN stays NaN."""
    bits = numpy.ascontiguousarray(values, numpy.float32).view(numpy.uint32)
    rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16
    return numpy.where(numpy.isnan(values), 0x7fc0, rounded).astype(numpy.uint16)


def _to_fp8(values, dtype):
    """To nearest, ties to even, saturating; NaN stays NaN."""
    numbers = _fp8_numbers(dtype)[:128]
    finite = numpy.flatnonzero(numpy.isfinite(numbers))
    size = numpy.minimum(numpy.abs(values), numbers[finite[-1]])
    above = numpy.clip(numpy.searchsorted(numbers[finite], size), 1, len(finite) - 1)
    low, high = numbers[above - 1], numbers[above]
    upper = (size - low > high - size) | ((size - low == high - size) & (above % 2 == 0))
    code = numpy.where(upper, above, above - 1) | numpy.where(numpy.signbit(values), 0x80, 0)
    return numpy.where(numpy.isnan(values), 0x7f, code).astype(numpy.uint8)


class Array:
    """Codes and what they mean. Views of it are views of its codes: a[..., ::2], a.transpose(1, 0), a.T."""

    def __init__(self, codes, dtype):
        if dtype not in STORAGE:
            raise TypeError(f"aisp: there is no type '{dtype}'; there are {', '.join(STORAGE)}")
        if codes.dtype != STORAGE[dtype]:
            raise TypeError(f"aisp: codes of {dtype} are {numpy.dtype(STORAGE[dtype])}, not {codes.dtype}")
        self.codes, self.dtype = codes, dtype

    @property
    def shape(self):
        return self.codes.shape

    @property
    def T(self):
        return Array(self.codes.T, self.dtype)

    def transpose(self, *axes):
        return Array(self.codes.transpose(*axes), self.dtype)

    def __getitem__(self, at):
        return Array(self.codes[at], self.dtype)

    def __repr__(self):
        return f"Array({self.numbers()!r}, {self.dtype!r})"

    def numbers(self):
        """In float64, which holds them all."""
        if self.dtype == "bf16":
            return (self.codes.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
        if self.dtype in ("e4m3", "e5m2"):
            return _fp8_numbers(self.dtype)[self.codes]
        return self.codes.astype(numpy.float64)


def array(values, dtype):
    """Numbers, rounded to the type's."""
    values = numpy.asarray(values)
    if dtype == "bf16":
        return Array(_to_bf16(values.astype(numpy.float32)), dtype)
    if dtype in ("e4m3", "e5m2"):
        return Array(_to_fp8(values.astype(numpy.float64), dtype), dtype)
    if dtype not in STORAGE:
        raise TypeError(f"aisp: there is no type '{dtype}'; there are {', '.join(STORAGE)}")
    return Array(values.astype(STORAGE[dtype]), dtype)


def as_array(name, given):
    """An Array, or a NumPy array of a type that NumPy knows."""
    if isinstance(given, Array):
        return given
    if not isinstance(given, numpy.ndarray):
        raise TypeError(f"aisp: {name} is {type(given).__name__}; give an array of NumPy's, or aisp_torch.numpy.array(…)")
    if given.dtype not in _OWN:
        raise TypeError(f"aisp: {name} holds {given.dtype}; {', '.join(str(one) for one in _OWN)} are taken as they are, "
                        "others by aisp_torch.numpy.array(values, type)")
    return Array(given, _OWN[given.dtype])
