// What every wrapper of this layer needs: the function qualifier, shared-memory addresses, one
// elected thread. Each function here is one PTX instruction (or the pair that only works together)
// with C++ types; nothing here decides anything.
#pragma once

#include <cstdint>

#define TILE_DEVICE __device__ __forceinline__

namespace tile::arch {

// Shared memory is addressed by 32 bits in PTX; in a cluster the block's rank is in the top byte.
TILE_DEVICE std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// True in exactly one lane of a converged warp; the compiler then knows that one thread runs.
TILE_DEVICE bool elect_one() {
  std::uint32_t chosen;
  asm volatile("{\n  .reg .pred p;\n  elect.sync _|p, 0xffffffff;\n  selp.b32 %0, 1, 0, p;\n}"
               : "=r"(chosen));
  return chosen != 0;
}

// The same value in all lanes of a warp, known as such to the compiler: a warp index computed from
// threadIdx alone would be kept per lane.
TILE_DEVICE int warp_uniform(int value) { return __shfl_sync(0xffffffff, value, 0); }

// The same value, of which the compiler knows nothing: what is computed from it is computed here
// and not kept in registers from before a loop.
TILE_DEVICE int opaque(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Registers move between warpgroups: all four warps of one execute it. A multiple of 8, 24 to 256.
template <int registers>
TILE_DEVICE void give_registers_back() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
TILE_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// A barrier of some threads of the block; 0 is __syncthreads. `threads` is a multiple of 32.
TILE_DEVICE void barrier_sync(int index, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(index), "r"(threads) : "memory");
}
TILE_DEVICE void barrier_arrive(int index, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(index), "r"(threads) : "memory");
}

// Programmatic dependent launch: wait for the kernel ahead, let the one behind start.
TILE_DEVICE void wait_for_primary() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
TILE_DEVICE void launch_dependents() { asm volatile("griddepcontrol.launch_dependents;" :::); }

}  // namespace tile::arch
