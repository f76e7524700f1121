// A tensor in device memory as a call passes it: where it lies, of what, how large.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "jit/ir/signature.hpp"
#include "jit/ir/type.hpp"

struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace aisp::jit {

namespace detail {
template <class T>
struct ElementOf;  // of other types: say the element, Tensor(data, jit::bf16, {rows, columns})
template <Element known>
struct KnownElement {
  static constexpr Element value = known;
};
template <>
struct ElementOf<float> : KnownElement<Element::f32> {};
template <>
struct ElementOf<__half> : KnownElement<Element::f16> {};
template <>
struct ElementOf<__nv_bfloat16> : KnownElement<Element::bf16> {};
template <>
struct ElementOf<__nv_fp8_e4m3> : KnownElement<Element::e4m3> {};
template <>
struct ElementOf<__nv_fp8_e5m2> : KnownElement<Element::e5m2> {};
template <>
struct ElementOf<signed char> : KnownElement<Element::s8> {};
template <>
struct ElementOf<int> : KnownElement<Element::s32> {};
}  // namespace detail

struct Tensor {
  using Extents = std::initializer_list<std::int64_t>;

  // Row-major without gaps, unless strides (in elements) say otherwise.
  Tensor(void* at, Element of, Extents sizes, Extents steps = {})
      : Tensor(at, of, sizes, steps, true) {}
  Tensor(const void* at, Element of, Extents sizes, Extents steps = {})
      : Tensor(at, of, sizes, steps, false) {}
  // By the pointer's type: float, __half, __nv_bfloat16, fp8, signed char, int.
  template <class T>
  Tensor(T* at, Extents sizes, Extents steps = {})
      : Tensor(at, detail::ElementOf<std::remove_const_t<T>>::value, sizes, steps,
               !std::is_const_v<T>) {}

  const void* data;
  Element element;
  bool writable;  // a pointer to const is an input
  int rank;
  std::array<std::int64_t, most_axes> extents{1, 1, 1}, strides{1, 1, 1};

 private:
  Tensor(const void* at, Element of, Extents sizes, Extents steps, bool may_be_written);
};

// Whether neighbours along the last axis are neighbours in memory.
bool contiguous(const Tensor& tensor);

// 16 where that divides the address and every stride but the last, in bytes; else the element's: a
// program is compiled for both and not for what lies between.
int alignment(const Tensor& tensor);

TensorFacts facts_of(const Tensor& tensor);

}  // namespace aisp::jit
