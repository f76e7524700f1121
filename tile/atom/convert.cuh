// The C++ type that an array of elements has in a CUDA program.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "tile/atom/convert.hpp"

namespace aisp::tile {

namespace detail {
template <Element element>
struct Storage;
template <>
struct Storage<Element::bf16> {
  using Type = __nv_bfloat16;
};
template <>
struct Storage<Element::f16> {
  using Type = __half;
};
template <>
struct Storage<Element::tf32> {
  using Type = float;
};
template <>
struct Storage<Element::e4m3> {
  using Type = __nv_fp8_e4m3;
};
template <>
struct Storage<Element::e5m2> {
  using Type = __nv_fp8_e5m2;
};
template <>
struct Storage<Element::s8> {
  using Type = std::int8_t;
};
template <>
struct Storage<Element::f32> {
  using Type = float;
};
template <>
struct Storage<Element::s32> {
  using Type = std::int32_t;
};
}  // namespace detail

template <Element element>
using storage = typename detail::Storage<element>::Type;

static_assert(sizeof(storage<Element::bf16>) == bytes_of(Element::bf16) &&
              sizeof(storage<Element::e4m3>) == bytes_of(Element::e4m3));

}  // namespace aisp::tile
