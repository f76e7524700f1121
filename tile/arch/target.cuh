// What every wrapper of this layer needs: the function qualifier, shared-memory addresses. Each
// function of the layer is one PTX instruction (or the pair that only works together) with C++
// types, one file per family of instructions; nothing here decides anything.
#pragma once

#include <cstdint>

#define TILE_DEVICE __device__ __forceinline__

namespace aisp::tile::arch {

// Shared memory is addressed by 32 bits in PTX; in a cluster the block's rank is in the top byte.
TILE_DEVICE std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// The same value, of which the compiler knows nothing: what is computed from it is computed here
// and not kept in registers from before a loop.
TILE_DEVICE int opaque(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

}  // namespace aisp::tile::arch
