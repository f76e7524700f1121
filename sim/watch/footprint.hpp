// Which global memory a grid touched: what the host's side of the checker compares between streams.
#pragma once

#include <cstdint>
#include <vector>

namespace aisp::sim::watch {

struct TouchedRange {
  std::uint64_t begin = 0, end = 0;  // addresses
  std::uint32_t pc = 0;              // of one instruction that touched it
};

struct Footprint {
  std::vector<TouchedRange> reads, writes;  // sorted, without overlaps within each
  // Of a programmatic launch: what was touched before griddepcontrol.wait.
  std::vector<TouchedRange> early_reads, early_writes;
};

}  // namespace aisp::sim::watch
