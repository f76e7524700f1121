// Four 8x8 matrices of 16-bit elements from the registers of a warp to shared memory: lanes and
// addresses as of ldmatrix.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

TILE_DEVICE void stmatrix_x4(void* row, const std::uint32_t (&from)[4]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
      : "memory");
}
TILE_DEVICE void stmatrix_x4_trans(void* row, const std::uint32_t (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}

}  // namespace aisp::tile::arch
