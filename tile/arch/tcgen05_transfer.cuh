// Between registers and tensor memory. A warp reaches the 32 lanes of its number modulo 4; which
// register is which cell is in tile/atom/tmem_copy.hpp. Asynchronous: see tmem_wait_loads().
#pragma once

#include "tile/arch/tcgen05.cuh"
#include "tile/arch/tmem_shape.hpp"

namespace aisp::tile::arch {

namespace detail {

template <TmemShape shape>
struct TmemShapeName {
  static constexpr char text[] = "32x32b";
};
template <>
struct TmemShapeName<TmemShape::l16x64b> {
  static constexpr char text[] = "16x64b";
};
template <>
struct TmemShapeName<TmemShape::l16x128b> {
  static constexpr char text[] = "16x128b";
};
template <>
struct TmemShapeName<TmemShape::l16x256b> {
  static constexpr char text[] = "16x256b";
};

}  // namespace detail

// tmem_load<shape>(registers, from) and tmem_store<shape>(to, registers), by a whole warp, with the
// same address in all lanes. l16x32bx2: the lanes from 16 on have their columns `gap` further.
#include "tile/arch/tcgen05_transfer.inc"

// A register whose load has been waited for: the compiler does not read it ahead of the wait.
TILE_DEVICE float tmem_loaded(std::uint32_t value) {
  asm volatile("" : "+r"(value)::"memory");
  return __uint_as_float(value);
}

// The loads are done; the compiler does not use these registers before.
template <int count>
TILE_DEVICE void tmem_wait_loads(std::uint32_t (&values)[count]) {
  tmem_wait_loads();
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(values[i])::"memory");
}

}  // namespace aisp::tile::arch
