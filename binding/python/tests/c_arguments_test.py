"""Every tensor of every function of libaisp.so, broken in every way: one line, the documented status, and nothing is
written. By ctypes alone."""

import ctypes
import math
import unittest

from aisp_torch import _native

OK, USAGE = 0, 2
ENOUGH = 1 << 16   # bytes of every tensor's memory
MARGIN = 1 << 12   # of it that lie before the tensor

_HEADS = {one: ("f16", (1, 1, 4, 64)) for one in "qkvo"} | {"log_sum_exp": ("f32", (1, 1, 4)), "kv_lengths": ("s32", (1,))}
_NUMBERS = {}
# Of each function its tensors and numbers. A third word is strides, where they are not those of a dense tensor.
OPERATIONS = {
    "gemm": ({"a": ("f16", (8, 16)), "b": ("f16", (16, 8)), "c": ("f16", (8, 8)), "bias": ("f16", (8,)),
              "d": ("f16", (8, 8))}, {"alpha": 1.0, "beta": 1.0}),
    "grouped_gemm": ({"a": ("f16", (8, 16)), "b": ("f16", (2, 16, 8), (128, 1, 16)), "d": ("f16", (8, 8))},
                     {"alpha": 1.0, "groups": 2, "rows": (ctypes.c_int64 * 2)(3, 5)}),
    "scaled_gemm": ({"a": ("e4m3", (16, 128)), "b": ("e4m3", (128, 16), (1, 128)), "a_scales": ("f32", (16, 1)),
                     "b_scales": ("f32", (1, 16)), "bias": ("bf16", (16,)), "d": ("bf16", (16, 16))}, {}),
    "attention": (_HEADS, _NUMBERS),
    "flex_attention": (_HEADS | {"slopes": ("f32", (1,)), "prefix": ("s32", (1,)), "documents": ("s32", (1, 4))}, _NUMBERS),
}
RESULTS = {"d", "o", "log_sum_exp"}
OPTIONAL = {"bias", "log_sum_exp", "kv_lengths", "slopes", "prefix", "documents"}   # c is read where beta is not 0
WIDTH = {"f16": 2, "bf16": 2, "f32": 4, "s32": 4, "e4m3": 1}


def dense(shape):
    strides = [1] * len(shape)
    for at in range(len(shape) - 1, 0, -1):
        strides[at - 1] = strides[at] * shape[at]
    return strides


def text(name, dtype, shape):
    return f"{name} ({', '.join(str(one) for one in shape)}) {dtype}"


class Arguments(unittest.TestCase):
    def setUp(self):
        self.library, self.runtime, self.blocks = _native.library(), _native.runtime(), []

    def tearDown(self):
        for block in self.blocks:
            self.runtime.cudaFree(block)

    def memory(self, fill=0):
        block = ctypes.c_void_p()
        self.assertEqual(self.runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(ENOUGH)), 0)
        self.runtime.cudaMemset(block, fill, ctypes.c_size_t(ENOUGH))
        self.blocks.append(block)
        return block.value + MARGIN

    def tensors(self, operation):
        made = {}
        for name, (dtype, shape, *strides) in OPERATIONS[operation][0].items():
            data = self.memory(0xff if name in RESULTS else 0)
            made[name] = _native.tensor(data, 0, dtype, shape, strides[0] if strides else dense(shape))
        return made

    def call(self, operation, tensors, **changed):
        kind = _native.ARGUMENTS[operation]
        arguments = kind(size=ctypes.sizeof(kind))
        for key, value in (OPERATIONS[operation][1] | changed).items():
            setattr(arguments, key, value)
        for key, value in tensors.items():
            if value is not None:
                setattr(arguments, key, ctypes.pointer(value))
        status = getattr(self.library, f"aisp_{operation}")(arguments, None)
        return status, "" if status == OK else self.library.aisp_last_error().decode()

    def each(self):
        for operation, (tensors, _) in OPERATIONS.items():
            for name, (dtype, shape, *_) in tensors.items():
                yield operation, name, dtype, shape

    def refused(self, operation, tensors, line, **changed):
        self.assertEqual(self.call(operation, tensors, **changed), (USAGE, f"{operation}: {line}"))

    def test_good(self):
        """What the others break is right."""
        for operation in OPERATIONS:
            self.assertEqual(self.call(operation, self.tensors(operation)), (OK, ""), operation)
        self.assertEqual(self.runtime.cudaDeviceSynchronize(), 0)

    def test_missing(self):
        for operation, name, _, _ in self.each():
            tensors = self.tensors(operation) | {name: None}
            if name not in OPTIONAL:
                self.refused(operation, tensors, f"{name} is missing")

    def test_without_shape(self):
        for operation, name, _, shape in self.each():
            tensors = self.tensors(operation)
            tensors[name].shape = None
            self.refused(operation, tensors, f"{name} has {len(shape)} dimensions and no shape; give its extents")
            for rank in (-1, 7):
                tensors[name].ndim = rank
                status, line = self.call(operation, tensors)
                self.assertEqual((status, f"{name} has {rank} dimensions, not" in line), (USAGE, True), line)

    def test_without_strides(self):
        """A tensor without gaps."""
        for operation, name, _, shape in self.each():
            if len(OPERATIONS[operation][0][name]) == 3:
                continue
            tensors = self.tensors(operation)
            tensors[name].strides = None
            self.assertEqual(self.call(operation, tensors), (OK, ""))
        self.assertEqual(self.runtime.cudaDeviceSynchronize(), 0)

    def test_without_data(self):
        for operation, name, _, _ in self.each():
            tensors = self.tensors(operation)
            tensors[name].data = None
            self.refused(operation, tensors, f"{name} has no data")

    def test_negative(self):
        for operation, name, dtype, shape in self.each():
            tensors = self.tensors(operation)
            tensors[name].shape[0] = -shape[0]
            negative = ", ".join(str(one) for one in (-shape[0], *shape[1:]))
            self.refused(operation, tensors, f"{name} has the negative extents ({negative})")
            if max(shape) == 1:
                continue
            tensors = self.tensors(operation)
            at = max(range(len(shape)), key=lambda index: shape[index])
            strides = [tensors[name].strides[index] for index in range(len(shape))]
            strides[at] = tensors[name].strides[at] = -8
            listed = ", ".join(str(one) for one in strides)
            self.refused(operation, tensors, f"{text(name, dtype, shape)} has the negative strides ({listed}); copy it")

    def test_more_bytes_than_a_number_counts(self):
        for operation, name, dtype, shape in self.each():
            tensors = self.tensors(operation)
            for at in range(len(shape)):   # their product, taken modulo 2^64, would be 0
                tensors[name].shape[at] = 1 << math.ceil(64 / len(shape) if len(shape) > 1 else 62)
            if len(shape) == 1 and WIDTH[dtype] == 1:
                continue
            status, line = self.call(operation, tensors)
            self.assertEqual((status, "has more than 9223372036854775807 bytes; cut the problem" in line), (USAGE, True), line)
            if max(shape) == 1:
                continue
            tensors = self.tensors(operation)
            at = max(range(len(shape)), key=lambda index: shape[index])
            tensors[name].strides[at] = 1 << 61
            status, line = self.call(operation, tensors)
            self.assertEqual((status, "has more than 9223372036854775807 bytes; cut the problem" in line), (USAGE, True), line)

    def test_misaligned(self):
        """To their elements all must be; more is asked for, or another kernel is taken."""
        for operation, name, dtype, shape in self.each():
            width = WIDTH[dtype]
            if width > 1:
                tensors = self.tensors(operation)
                tensors[name].byte_offset = 1
                self.refused(operation, tensors, f"{text(name, dtype, shape)} starts 1 bytes behind a multiple of {width}; its "
                             f"elements have {width} bytes each, and its address must be a multiple of that")
            tensors = self.tensors(operation)
            tensors[name].byte_offset = width
            status, line = self.call(operation, tensors)
            if status != OK:
                self.assertEqual(status, USAGE)
                self.assertRegex(line, "aligned to 16 bytes|not a multiple of 16 bytes")
            self.assertEqual(self.runtime.cudaDeviceSynchronize(), 0, "a kernel took an address that it cannot read")

    def test_overlap(self):
        """A result in the memory of another tensor, wholly and by its last or first bytes."""
        for operation, name, dtype, shape in self.each():
            for result in sorted(RESULTS & set(OPERATIONS[operation][0])):
                of, extents, *_ = OPERATIONS[operation][0][result]
                if name == result or (name in RESULTS and result != "o"):
                    continue
                size, other = WIDTH[of] * math.prod(extents), WIDTH[dtype] * math.prod(shape)
                for apart in (0, size - 4, 4 - other):
                    tensors = self.tensors(operation)
                    tensors[name].data = tensors[result].data + apart
                    if (name, result, apart) == ("c", "d", 0):
                        self.assertEqual(self.call(operation, tensors), (OK, ""))   # in place
                        continue
                    self.refused(operation, tensors, f"{text(result, of, extents)} is written, and shares memory with "
                                 f"{text(name, dtype, shape)}, which starts {abs(apart)} bytes "
                                 f"{'before' if apart < 0 else 'behind'} it; give the result memory of its own")
                for apart in (size, -other):   # beside each other
                    tensors = self.tensors(operation)
                    tensors[name].data = tensors[result].data + apart
                    status, line = self.call(operation, tensors)
                    self.assertNotIn("shares memory", line)
        self.assertEqual(self.runtime.cudaDeviceSynchronize(), 0)

    def test_columns_of_one_matrix(self):
        """Tensors between each other's rows share no memory."""
        tensors = self.tensors("gemm")
        for name, column in (("a", 0), ("d", 16), ("c", 24)):
            tensors[name].data, tensors[name].byte_offset = tensors["a"].data, 2 * column
            tensors[name].strides[0] = 32
        self.assertEqual(self.call("gemm", tensors), (OK, ""))
        tensors["d"].byte_offset = 2 * 12
        status, line = self.call("gemm", tensors)
        self.assertEqual((status, "shares memory with a (8, 16) f16, which starts 24 bytes before it" in line), (USAGE, True),
                         line)

    def test_several_elements_in_one_place(self):
        for operation in OPERATIONS:
            for result in sorted(RESULTS & set(OPERATIONS[operation][0])):
                tensors = self.tensors(operation)
                rank = tensors[result].ndim
                tensors[result].strides[rank - 2 if result != "log_sum_exp" else rank - 1] = 0
                status, line = self.call(operation, tensors)
                wanted = "without gaps" if result == "log_sum_exp" else "several of its elements would be written to one place"
                self.assertEqual((status, wanted in line), (USAGE, True), line)

    def test_rows_of_groups(self):
        tensors = self.tensors("grouped_gemm")
        self.refused("grouped_gemm", tensors, "-1 numbers of rows for the 2 matrices of b (2, 16, 8) f16", groups=-1)
        self.refused("grouped_gemm", tensors, "the numbers of rows of 2 groups are a null pointer",
                     rows=ctypes.POINTER(ctypes.c_int64)())
        self.refused("grouped_gemm", tensors, "a group has -3 rows", rows=(ctypes.c_int64 * 2)(-3, 11))
        self.refused("grouped_gemm", tensors, "the groups have more than the 8 rows of a (8, 16) f16",
                     rows=(ctypes.c_int64 * 2)((1 << 63) - 1, 9))
        self.refused("grouped_gemm", tensors, "the groups have 7 rows, a (8, 16) f16 has 8", rows=(ctypes.c_int64 * 2)(3, 4))


if __name__ == "__main__":
    unittest.main()
