// What an SM and its blocks have, by architecture. These numbers are written here and nowhere else
// in tile/ and jit/ (tests/architecture/machine_limits.py), and are those of the simulator's
// devices (tests/system/lane_maps/limits_test.cpp). What differs between devices of one
// architecture is read from the device: tile/device/launch/machine.hpp.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile::arch {

struct Limits {
  int architecture;      // 10 * major + minor
  int multiprocessors;   // SMs of the board that estimates assume: A100, H200, B200
  int shared_per_sm;     // bytes
  int shared_per_block;  // bytes that a launch may ask for: cudaDevAttrMaxSharedMemoryPerBlockOptin
  int tensor_columns;    // of tensor memory, per SM; 0: the architecture has none
  int cluster_blocks;    // in a cluster of portable size; 1: the architecture has no clusters
  int shared_reserved = 1024;       // bytes of an SM that the system takes for each block
  int registers_per_block = 65536;  // an SM has as many
  int threads_per_block = 1024;
};

// Of the newest architecture here that is not newer than `architecture`.
TILE_FN Limits limits_of(int architecture) {
  if (architecture >= 100) return {100, 148, 233472, 232448, 512, 8};
  if (architecture >= 90) return {90, 132, 233472, 232448, 0, 8};
  return {80, 108, 167936, 166912, 0, 1};
}

}  // namespace aisp::tile::arch
