// The synchronisation graph of a kernel: roles and barriers, who signals and who waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/draw/sync_record.hpp"

namespace aisp::lab {

// Of all blocks that have it: the least and the most.
struct Spread {
  std::int64_t least = 0, most = 0;
  bool operator==(const Spread&) const = default;
};

// Warps that synchronise at the same places of the source.
struct SyncRole {
  std::string who;                // "warps 4-11", "warp 0 of block 1 of the cluster"
  std::string work;               // "TMA loads, wgmma"
  std::vector<std::string> also;  // what a reader may look up: fences, setmaxnreg
};

struct SyncNode {
  SyncObject object{};
  std::string name;                 // "full", "pipeline.cuh:31", "__syncthreads"
  std::string counts;               // "count 2, 16 phases", "256 threads, 3 phases"
  int stages = 1;                   // mbarriers of a ring
  std::vector<std::string> places;  // of its init
};

enum class SyncArrow {
  signal,        // a role's own arrivals and expectations
  asynchronous,  // bytes or arrivals of an operation that it has issued
  wait,
  meet,  // it arrives and waits: bar.sync
};

struct SyncEdge {
  std::size_t role = 0, node = 0;
  SyncArrow arrow{};
  std::vector<std::string> lines;   // "arrive x16", "expect 16 x 32 KiB"
  std::vector<std::string> places;  // "mbarrier.arrive at ring.cuh:40 < gemm.cuh:212"
};

struct SyncGraph {
  std::string kernel;           // readable, short
  std::string extents;          // "grid 8, cluster 2, 384 threads"
  std::vector<SyncRole> roles;  // in the order of the data: loads, products, the rest
  std::vector<SyncNode> nodes;
  std::vector<SyncEdge> edges;  // by node, signals before waits
  std::vector<std::string> notes;
};

}  // namespace aisp::lab
