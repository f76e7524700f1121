// 8x8 matrices of 16-bit elements between shared memory and registers, and cp.async.
#pragma once

#include "tile/arch/device.cuh"

namespace tile::arch {

// Lane i gives the address of row i % 8 of matrix i / 8; lane l receives elements (l/4,
// 2*(l%4)..+1) of each matrix.
TILE_DEVICE void load_matrices(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}
TILE_DEVICE void load_matrices(std::uint32_t (&to)[4], const void* row) {
  load_matrices(to, shared_address(row));
}
TILE_DEVICE void load_matrices_transposed(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}
TILE_DEVICE void load_matrices_transposed(std::uint32_t (&to)[4], const void* row) {
  load_matrices_transposed(to, shared_address(row));
}
TILE_DEVICE void store_matrices(void* row, const std::uint32_t (&from)[4]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
      : "memory");
}
TILE_DEVICE void store_matrices_transposed(void* row, const std::uint32_t (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}

// 16 bytes past the registers and L1; the `valid` first ones come from memory, the rest are zero.
TILE_DEVICE void copy_async_16(std::uint32_t to, const void* from, int valid = 16) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid)
               : "memory");
}
TILE_DEVICE void copy_async_16(void* to, const void* from, int valid = 16) {
  copy_async_16(shared_address(to), from, valid);
}
TILE_DEVICE void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending>
TILE_DEVICE void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace tile::arch
