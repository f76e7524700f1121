// The Hopper matrix instruction: four warps multiply 64xK of A by KxN of B into
// registers, asynchronously. Operands lie in shared memory behind descriptors; A may be in
// registers.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// Types of A and B; accumulators are f32, of s8 s32. K of one instruction is 32 bytes of an
// operand's row.
enum class MatrixKind { bf16, f16, tf32, e4m3, e5m2, e4m3_e5m2, e5m2_e4m3, s8 };

enum class SharedSwizzle : std::uint64_t { none = 0, bytes_128 = 1, bytes_64 = 2, bytes_32 = 3 };

// Where a matrix starts and how its 8-row cores follow each other, in bytes:
// bits 0-13 address / 16, 16-29 leading offset / 16, 32-45 stride offset / 16, 62-63 swizzle.
TILE_DEVICE std::uint64_t matrix_descriptor(const void* start, int leading_bytes, int stride_bytes,
                                            SharedSwizzle swizzle) {
  const auto field = [](std::uint32_t bytes) {
    return static_cast<std::uint64_t>((bytes & 0x3FFFF) >> 4);
  };
  return field(shared_address(start)) | field(static_cast<std::uint32_t>(leading_bytes)) << 16 |
         field(static_cast<std::uint32_t>(stride_bytes)) << 32 |
         static_cast<std::uint64_t>(swizzle) << 62;
}

// Registers that the next products read or add to have their values; before the first product and
// whenever ordinary code touched them.
TILE_DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
TILE_DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// At most `pending` groups of products are still under way.
template <int pending>
TILE_DEVICE void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// The compiler must not move reads or writes of the accumulators across a fence or a wait.
template <class Value, int count>
TILE_DEVICE void keep_in_place(Value (&values)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if constexpr (sizeof(Value) == 4 && Value(0.5) != Value(0))
      asm volatile("" : "+f"(values[i])::"memory");
    else
      asm volatile("" : "+r"(values[i])::"memory");
  }
}

#include "tile/arch/wgmma_instructions.inc"

}  // namespace aisp::tile::arch
