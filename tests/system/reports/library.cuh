// A header as libraries have them: what a user calls is two calls away from the instruction.
#pragma once

namespace library {

__device__ __forceinline__ void put(int* at, int value) { *at = value; }

struct Tile {
  int* memory;
  __device__ __forceinline__ void set(int i, int value) const { put(memory + i, value); }
  __device__ __forceinline__ int get(int i) const { return memory[i]; }
};

}  // namespace library
