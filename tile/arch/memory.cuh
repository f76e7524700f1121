// Global memory with an order: what was written before a release is seen after an acquire that
// reads the released value, by any block of the device. And shared memory by its 32-bit address.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

TILE_DEVICE void store_release(std::uint32_t* to, std::uint32_t value) {
  asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
TILE_DEVICE std::uint32_t load_acquire(const std::uint32_t* from) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
// The value before.
TILE_DEVICE std::uint32_t add_release(std::uint32_t* to, std::uint32_t value) {
  std::uint32_t before;
  asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(to), "r"(value)
               : "memory");
  return before;
}
// The value before. Of several that add, the last sees what the others wrote before they added.
TILE_DEVICE std::uint32_t add_acquire_release(std::uint32_t* to, std::uint32_t value) {
  std::uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(to), "r"(value)
               : "memory");
  return before;
}

// A store that stays where it stands among waits and barriers.
TILE_DEVICE void store_shared_float(float* to, float value) {
  asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(shared_address(to)), "f"(value) : "memory");
}

// The two bytes at address + offset. A plain load, which the compiler may move between barriers; a
// pointer whose origin it has lost sight of would make it ask which memory is meant.
TILE_DEVICE std::uint16_t load_shared_16(std::uint32_t address, int offset) {
  const void* pointer = __cvta_shared_to_generic(address);
  return *reinterpret_cast<const std::uint16_t*>(static_cast<const char*>(pointer) + offset);
}

}  // namespace aisp::tile::arch
