// Four 8x8 matrices of 16-bit elements from shared memory to the registers of a warp.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// Lane i gives the address of row i % 8 of matrix i / 8; lane l receives elements (l/4,
// 2*(l%4)..+1) of each matrix.
TILE_DEVICE void ldmatrix_x4(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}
TILE_DEVICE void ldmatrix_x4(std::uint32_t (&to)[4], const void* row) {
  ldmatrix_x4(to, shared_address(row));
}
TILE_DEVICE void ldmatrix_x4_trans(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}
TILE_DEVICE void ldmatrix_x4_trans(std::uint32_t (&to)[4], const void* row) {
  ldmatrix_x4_trans(to, shared_address(row));
}

}  // namespace aisp::tile::arch
