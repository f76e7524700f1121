// An operand tile in shared memory as tcgen05 is told of it.
#pragma once

#include "tile/arch/target.cuh"
#include "tile/atom/tcgen05.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

TILE_FN Tcgen05Swizzle tcgen05_swizzle(SwizzleMode swizzle) {
  using enum Tcgen05Swizzle;
  return swizzle == SwizzleMode::bytes_128  ? bytes_128
         : swizzle == SwizzleMode::bytes_64 ? bytes_64
         : swizzle == SwizzleMode::bytes_32 ? bytes_32
                                            : none;
}

template <OperandTile tile>
TILE_DEVICE std::uint64_t tcgen05_operand(const char* start) {
  constexpr DescriptorStrides strides = descriptor_strides<tile>();
  return tcgen05_matrix_descriptor(arch::shared_address(start), strides.leading, strides.stride,
                                   tcgen05_swizzle(tile.swizzle));
}
// From a tile's descriptor to that of the k of instruction `step`; a descriptor counts in 16 bytes.
template <OperandTile tile>
TILE_FN int tcgen05_step(int step) {
  return piece_start<tile>(0, step) / 16;
}

}  // namespace aisp::tile
