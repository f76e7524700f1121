// The device functions of emitted kernels. Conversions are the tile library's.
#include "jit/emit/emit.hpp"

namespace aisp::jit {

std::string helpers() {
  return R"(#include "tile/arch/math.cuh"
#include "tile/atom/convert.hpp"

using aisp::tile::Element;

template <int rank>
struct Tensor {  // as a launch passes it; strides in elements
  void* data;
  long long extent[rank], stride[rank];
};

template <Element element>
using Code = aisp::tile::Code<element>;

template <Element element>
__device__ __forceinline__ auto widen(Code<element> code) {
  if constexpr (element == Element::s32)
    return static_cast<int>(code);
  else
    return static_cast<float>(aisp::tile::decode_one<element>(code));
}
template <Element element>
using PairCode = aisp::tile::PairCode<element>;

template <Element element>
__device__ __forceinline__ auto widen_two(PairCode<element> codes) {
  if constexpr (element == Element::s32)
    return aisp::tile::Pair<int>{static_cast<int>(codes), static_cast<int>(codes >> 32)};
  else
    return aisp::tile::decode_pair<element>(codes);
}
template <Element element, class V>
__device__ __forceinline__ Code<element> narrow(V value) {
  return static_cast<Code<element>>(aisp::tile::encode_pair<element>(value, V{}));
}
template <Element element>
__device__ __forceinline__ float rounded(float value) {
  return widen<element>(narrow<element>(value));
}
__device__ __forceinline__ float rounded_tf32(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}

__device__ __forceinline__ float maximum(float a, float b) { return aisp::tile::arch::maximum_or_nan(a, b); }
__device__ __forceinline__ float minimum(float a, float b) { return -maximum(-a, -b); }
__device__ __forceinline__ int maximum(int a, int b) { return a > b ? a : b; }
__device__ __forceinline__ int minimum(int a, int b) { return a < b ? a : b; }
__device__ __forceinline__ int quotient(int a, int b) { return b == 0 ? 0 : b == -1 ? int(-unsigned(a)) : a / b; }
__device__ __forceinline__ int remainder_of(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }
// Division by way of the reciprocal, which is computed once where a whole row has one divisor; both are scaled where it would not be a normal number.
__device__ __forceinline__ float quotient(float a, float b) {
  const float scale = fabsf(b) > 0x1p100f ? 0x1p-28f : fabsf(b) < 0x1p-100f ? 0x1p28f : 1.0f;
  return (a * scale) * (1.0f / (b * scale));
}
// By the special-function unit; results below the normal numbers become 0.
__device__ __forceinline__ float power_of_two(float x) { return aisp::tile::arch::exp2_approximate(x); }
__device__ __forceinline__ float exponential(float x) { return power_of_two(x * 1.4426950408889634f); }
__device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }
__device__ __forceinline__ bool inside(int position, long long extent) { return position >= 0 && position < extent; }

// One element, or 0 outside of the tensor.
template <Element element, int rank, class... At>
__device__ __forceinline__ auto element_at(const Tensor<rank>& tensor, At... at) {
  const int place[] = {at...};
  long long offset = 0;
  bool there = true;
  for (int axis = 0; axis < rank; ++axis) {
    there = there && inside(place[axis], tensor.extent[axis]);
    offset += place[axis] * tensor.stride[axis];
  }
  using Value = decltype(widen<element>(Code<element>{}));
  return there ? widen<element>(static_cast<const Code<element>*>(tensor.data)[offset]) : Value{};
}
template <Element element, int rank, class V, class... At>
__device__ __forceinline__ void store_at(const Tensor<rank>& tensor, bool there, V value, At... at) {
  const int place[] = {at...};
  long long offset = 0;
  for (int axis = 0; axis < rank; ++axis) {
    there = there && inside(place[axis], tensor.extent[axis]);
    offset += place[axis] * tensor.stride[axis];
  }
  if (there) static_cast<Code<element>*>(tensor.data)[offset] = narrow<element>(value);
}
// Adds to memory, or raises it to the larger one; f32 and s32.
template <Element element, bool adds, int rank, class V, class... At>
__device__ __forceinline__ void combine_at(const Tensor<rank>& tensor, bool there, V value, At... at) {
  const int place[] = {at...};
  long long offset = 0;
  for (int axis = 0; axis < rank; ++axis) {
    there = there && inside(place[axis], tensor.extent[axis]);
    offset += place[axis] * tensor.stride[axis];
  }
  if (!there) return;
  if constexpr (element == Element::s32) {
    int* to = static_cast<int*>(tensor.data) + offset;
    adds ? atomicAdd(to, static_cast<int>(value)) : atomicMax(to, static_cast<int>(value));
  } else if constexpr (adds) {
    atomicAdd(static_cast<float*>(tensor.data) + offset, value);
  } else {
    unsigned* to = static_cast<unsigned*>(tensor.data) + offset;
    for (unsigned old = *static_cast<volatile unsigned*>(to);;) {
      const unsigned next = __float_as_uint(maximum(__uint_as_float(old), value));
      if (next == old) return;
      const unsigned seen = atomicCAS(to, old, next);
      if (seen == old) return;
      old = seen;
    }
  }
}

// `count` neighbours, two and more, in accesses of up to 16 bytes.
template <Element element, int count, class V>
__device__ __forceinline__ void load_words(const Code<element>* from, V (&to)[count]) {
  constexpr int bytes = count * sizeof(Code<element>), one = bytes < 16 ? bytes : 16, of_word = count * one / bytes;
  struct alignas(one) Word { PairCode<element> pairs[one / sizeof(PairCode<element>)]; };
#pragma unroll
  for (int word = 0; word < bytes / one; ++word) {
    const Word read = reinterpret_cast<const Word*>(from)[word];
#pragma unroll
    for (int i = 0; i < of_word; i += 2) {
      const auto two = widen_two<element>(read.pairs[i / 2]);
      to[word * of_word + i] = two.first;
      to[word * of_word + i + 1] = two.second;
    }
  }
}
template <Element element, int count, class V>
__device__ __forceinline__ void store_words(Code<element>* to, const V (&from)[count]) {
  constexpr int bytes = count * sizeof(Code<element>), one = bytes < 16 ? bytes : 16, of_word = count * one / bytes;
  struct alignas(one) Word { PairCode<element> pairs[one / sizeof(PairCode<element>)]; };
#pragma unroll
  for (int word = 0; word < bytes / one; ++word) {
    Word written;
#pragma unroll
    for (int i = 0; i < of_word; i += 2)
      written.pairs[i / 2] = aisp::tile::encode_pair<element>(from[word * of_word + i], from[word * of_word + i + 1]);
    reinterpret_cast<Word*>(to)[word] = written;
  }
}
// A piece that is inside as a whole, or outside.
template <Element element, int count, class V>
__device__ __forceinline__ void load_piece(const Code<element>* row, int column, bool inside, V (&to)[count]) {
  if (!inside) {
    for (V& value : to) value = V{};
  } else if constexpr (count == 1) {
    to[0] = widen<element>(row[column]);
  } else {
    load_words<element>(row + column, to);
  }
}
template <Element element, int count, class V>
__device__ __forceinline__ void store_piece(Code<element>* row, int column, bool inside, const V (&from)[count]) {
  if (!inside) return;
  if constexpr (count == 1)
    row[column] = narrow<element>(from[0]);
  else
    store_words<element>(row + column, from);
}
// Element by element where a piece has an end of the row in it: 0 for what is outside of [begin, end).
template <Element element, int count, class V>
__device__ __forceinline__ void load_piece(const Code<element>* row, long long stride, int column, int begin, int end, V (&to)[count]) {
  if constexpr (count > 1)
    if (column >= begin && column + count <= end) return load_words<element>(row + column, to);
#pragma unroll
  for (int i = 0; i < count; ++i)
    to[i] = column + i >= begin && column + i < end ? widen<element>(row[(column + i) * stride]) : V{};
}
template <Element element, int count, class V>
__device__ __forceinline__ void store_piece(Code<element>* row, long long stride, int column, int begin, int end, const V (&from)[count]) {
  if constexpr (count > 1)
    if (column >= begin && column + count <= end) return store_words<element>(row + column, from);
#pragma unroll
  for (int i = 0; i < count; ++i)
    if (column + i >= begin && column + i < end) row[(column + i) * stride] = narrow<element>(from[i]);
}

// What a reduction combines; argmax takes the first of equal ones, and a NaN for the largest.
template <class V>
struct Best {
  V value;
  int at;
};
template <class V>
__device__ __forceinline__ bool beats(V a, V b) { return a > b || (a != a && b == b); }
struct Sum { template <class V> __device__ V operator()(V a, V b) const { return a + b; } };
struct Max { template <class V> __device__ V operator()(V a, V b) const { return maximum(a, b); } };
struct Min { template <class V> __device__ V operator()(V a, V b) const { return minimum(a, b); } };
struct Prod { template <class V> __device__ V operator()(V a, V b) const { return a * b; } };
struct Any { __device__ bool operator()(bool a, bool b) const { return a || b; } };
struct All { __device__ bool operator()(bool a, bool b) const { return a && b; } };
struct ArgMax {
  template <class V>
  __device__ Best<V> operator()(Best<V> a, Best<V> b) const {
    const bool other = beats(b.value, a.value) || (!beats(a.value, b.value) && b.at < a.at);
    return other ? b : a;
  }
};
template <class V>
__device__ __forceinline__ int first_of(Best<V> best) { return best.at == 0x7fffffff ? 0 : best.at; }
template <class V>
__device__ __forceinline__ V from_lane_xor(V value, int mask) { return __shfl_xor_sync(0xffffffff, value, mask); }
__device__ __forceinline__ bool from_lane_xor(bool value, int mask) { return __shfl_xor_sync(0xffffffff, int(value), mask) != 0; }
template <class V>
__device__ __forceinline__ Best<V> from_lane_xor(Best<V> best, int mask) {
  return {__shfl_xor_sync(0xffffffff, best.value, mask), __shfl_xor_sync(0xffffffff, best.at, mask)};
}

// Over neighbouring lanes of a warp, the same in all of them.
template <int lanes, class V, class Combine>
__device__ __forceinline__ V across_lanes(V value, Combine combine) {
#pragma unroll
  for (int mask = 1; mask < lanes; mask *= 2) value = combine(value, from_lane_xor(value, mask));
  return value;
}
// Over the warps of a row, which all have met: few of them are read by every thread, many by the lanes.
template <int warps, class V, class Combine>
__device__ __forceinline__ V across_warps(const V (&of_warps)[warps], Combine combine) {
  if constexpr (warps > 8) return across_lanes<warps>(of_warps[threadIdx.x % warps], combine);
  V value = of_warps[0];
#pragma unroll
  for (int warp = 1; warp < (warps > 8 ? 1 : warps); ++warp) value = combine(value, of_warps[warp]);
  return value;
}
)";
}

std::string module_text(const Emitted& emitted) { return helpers() + "\n" + emitted.kernel; }

}  // namespace aisp::jit
