// A pointer to numbers of one element in device memory. It takes a pointer to CUDA's type of that
// element, or to the unsigned integer that has its bits, and nothing else: an f32 bias given to a
// node that reads bf16 would be read as other numbers.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tile/atom/convert.hpp"

// CUDA's names; their headers need not be there.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace aisp::tile {

namespace detail {

template <class T>
constexpr bool is_cuda_type_of(Element element) {
  switch (element) {
    case Element::bf16:
      return std::is_same_v<T, __nv_bfloat16>;
    case Element::f16:
      return std::is_same_v<T, __half>;
    case Element::e4m3:
      return std::is_same_v<T, __nv_fp8_e4m3>;
    case Element::e5m2:
      return std::is_same_v<T, __nv_fp8_e5m2>;
    case Element::s8:
      return std::is_same_v<T, signed char> || std::is_same_v<T, char>;
    case Element::s32:
      return std::is_same_v<T, int>;
    default:
      return std::is_same_v<T, float>;
  }
}

}  // namespace detail

namespace rules {

template <Element element, class T>
struct PointsTo {
  static constexpr bool kept =
      detail::is_cuda_type_of<T>(element) || std::is_same_v<T, Code<element>>;
  struct Said {
    static_assert(kept,
                  "the pointer is to another type than the element that is read or written there; "
                  "for memory without a type there is untyped()");
  };
};

}  // namespace rules

// `Void` is const void where the numbers are only read.
template <Element element, class Void = const void>
class ElementPointer {
 public:
  ElementPointer() = default;
  TILE_FN ElementPointer(std::nullptr_t) {}
  template <class T>
  requires(!std::is_void_v<T> && std::is_convertible_v<T*, Void*>) TILE_FN ElementPointer(T* data)
      : data_(data) {
    static_assert(rules::PointsTo<element, std::remove_cv_t<T>>::kept ||
                  sizeof(typename rules::PointsTo<element, std::remove_cv_t<T>>::Said) > 0);
  }
  // For memory whose type is known from elsewhere, such as Matrix::element.
  static TILE_FN ElementPointer untyped(Void* data) {
    ElementPointer pointer;
    pointer.data_ = data;
    return pointer;
  }
  TILE_FN operator Void*() const { return data_; }

 private:
  Void* data_ = nullptr;
};

}  // namespace aisp::tile
