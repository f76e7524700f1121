// What the checker has to know of instructions beside what they do: read from a program's text
// once, whatever number of times its kernels are launched.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/program/program.hpp"

namespace aisp::sim::watch {

// Bytes, not bits: they are read for every access.
struct CodeFacts {  // by pc; one more than there are, for what comes before the first
  // A compare-and-swap. A plain load beside it is the first guess of its loop.
  std::vector<std::uint8_t> swaps;
  std::vector<std::uint8_t> read_only;   // ld.global.nc
  std::vector<std::uint8_t> cancels;     // clusterlaunchcontrol.try_cancel
  std::vector<std::uint32_t> stretches;  // how many barriers and fences stand before it
  // From a branch's target to the branch, for those that go backwards.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loops;
  bool talks = false;  // some of them could order what grids beside each other do
};
std::shared_ptr<const CodeFacts> facts_of(const Program& program);

}  // namespace aisp::sim::watch
