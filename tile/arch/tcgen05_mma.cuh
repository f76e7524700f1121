// The Blackwell matrix instruction: one thread multiplies M x 32 bytes of A by 32 bytes x N of B
// into tensor memory, for its block or for a pair of blocks, asynchronously. What the descriptors
// hold: tile/atom/tcgen05.hpp.
#pragma once

#include "tile/arch/tcgen05.cuh"
#include "tile/arch/tcgen05_kind.hpp"

namespace aisp::tile::arch {

namespace detail {

template <Tcgen05Kind kind>
struct Tcgen05KindName {
  static constexpr char text[] = "f16";
};
template <>
struct Tcgen05KindName<Tcgen05Kind::tf32> {
  static constexpr char text[] = "tf32";
};
template <>
struct Tcgen05KindName<Tcgen05Kind::f8f6f4> {
  static constexpr char text[] = "f8f6f4";
};
template <>
struct Tcgen05KindName<Tcgen05Kind::i8> {
  static constexpr char text[] = "i8";
};
// With the number of scales that one instruction takes for each row.
template <>
struct Tcgen05KindName<Tcgen05Kind::mxf8f6f4> {
  static constexpr char text[] = "mxf8f6f4.block_scale.scale_vec::1X";
};
template <>
struct Tcgen05KindName<Tcgen05Kind::mxf4> {
  static constexpr char text[] = "mxf4.block_scale.scale_vec::2X";
};
template <>
struct Tcgen05KindName<Tcgen05Kind::mxf4nvf4> {
  static constexpr char text[] = "mxf4nvf4.block_scale.scale_vec::4X";
};

}  // namespace detail

// D (+)= A B, both operands in shared memory. `a` and `b` are descriptors, `what` the
// instruction's; without `accumulate` D is overwritten.
template <Tcgen05Kind kind, int cta_group>
TILE_DEVICE void tcgen05(TmemAddress d, std::uint64_t a, std::uint64_t b, std::uint32_t what,
                         bool accumulate) {
  asm volatile(
      "{\n  .reg .pred p;\n  setp.ne.b32 p, %4, 0;\n"
      "  tcgen05.mma.cta_group::%5.kind::%6 [%0], %1, %2, %3, p;\n}" ::"r"(d),
      "l"(a), "l"(b), "r"(what), "r"(static_cast<int>(accumulate)), "n"(cta_group),
      "C"(detail::Tcgen05KindName<kind>::text)
      : "memory");
}
// A in tensor memory, row by row in the lanes of D's rows, 32 bytes of k in 8 columns.
template <Tcgen05Kind kind, int cta_group>
TILE_DEVICE void tcgen05_from_tmem(TmemAddress d, TmemAddress a, std::uint64_t b,
                                   std::uint32_t what, bool accumulate) {
  asm volatile(
      "{\n  .reg .pred p;\n  setp.ne.b32 p, %4, 0;\n"
      "  tcgen05.mma.cta_group::%5.kind::%6 [%0], [%1], %2, %3, p;\n}" ::"r"(d),
      "r"(a), "l"(b), "r"(what), "r"(static_cast<int>(accumulate)), "n"(cta_group),
      "C"(detail::Tcgen05KindName<kind>::text)
      : "memory");
}

// Both operands in shared memory, their block scales in tensor memory.
template <Tcgen05Kind kind, int cta_group>
TILE_DEVICE void tcgen05_scaled(TmemAddress d, std::uint64_t a, std::uint64_t b, std::uint32_t what,
                                TmemAddress a_scales, TmemAddress b_scales, bool accumulate) {
  asm volatile(
      "{\n  .reg .pred p;\n  setp.ne.b32 p, %6, 0;\n"
      "  tcgen05.mma.cta_group::%7.kind::%8 [%0], %1, %2, %3, [%4], [%5], p;\n}" ::"r"(d),
      "l"(a), "l"(b), "r"(what), "r"(a_scales), "r"(b_scales), "r"(static_cast<int>(accumulate)),
      "n"(cta_group), "C"(detail::Tcgen05KindName<kind>::text)
      : "memory");
}

}  // namespace aisp::tile::arch
