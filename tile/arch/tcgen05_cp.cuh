// Copies from shared to tensor memory that one thread asks for: rows of 16 or 32 bytes, described
// as a K-major matrix, to one lane each (which: tile/atom/tmem_copy.hpp). Ordered before later
// products of the same thread; of a pair each block copies from its own shared memory.
#pragma once

#include "tile/arch/tcgen05.cuh"
#include "tile/arch/tmem_shape.hpp"

namespace aisp::tile::arch {

namespace detail {

template <TmemCopyShape shape>
struct TmemCopyName {
  static constexpr char text[] = "128x256b";
};
template <>
struct TmemCopyName<TmemCopyShape::l128x128b> {
  static constexpr char text[] = "128x128b";
};
template <>
struct TmemCopyName<TmemCopyShape::l4x256b> {
  static constexpr char text[] = "4x256b";
};
template <>
struct TmemCopyName<TmemCopyShape::l64x128b_02_13> {
  static constexpr char text[] = "64x128b.warpx2::02_13";
};
template <>
struct TmemCopyName<TmemCopyShape::l64x128b_01_23> {
  static constexpr char text[] = "64x128b.warpx2::01_23";
};
template <>
struct TmemCopyName<TmemCopyShape::l32x128b> {
  static constexpr char text[] = "32x128b.warpx4";
};

}  // namespace detail

template <TmemCopyShape shape, int cta_group>
TILE_DEVICE void tmem_copy(TmemAddress to, std::uint64_t from) {
  asm volatile("tcgen05.cp.cta_group::%2.%3 [%0], %1;" ::"r"(to), "l"(from), "n"(cta_group),
               "C"(detail::TmemCopyName<shape>::text)
               : "memory");
}

}  // namespace aisp::tile::arch
