// Which global memory a grid touched: what the host's side of the checker compares between streams.
#pragma once

#include <cstdint>
#include <vector>

namespace aisp::sim::watch {

// How memory was touched, as far as operations beside each other differ in it: bits for what some
// of the accesses were.
enum How : std::uint8_t {
  how_weak = 1,          // or strong at a scope that holds no other kernel
  how_below_system = 2,  // strong, at a scope that holds neither the host nor other devices
  how_no_swap = 4,       // a strong write that is no compare-and-swap
};

struct TouchedRange {
  std::uint64_t begin = 0, end = 0;  // addresses
  std::uint32_t pc = 0;              // of one instruction that touched it
  std::uint8_t how = how_weak;
};

// Two strong accesses whose scopes hold each other are no conflict, and neither is a plain load
// beside a compare-and-swap: every loop around one begins with such a guess.
inline bool may_meet(std::uint8_t a, bool a_writes, std::uint8_t b, bool b_writes,
                     bool same_device) {
  if (!same_device && ((a | b) & how_below_system) != 0) return false;
  if (((a | b) & how_weak) == 0) return true;
  const auto swaps = [](std::uint8_t how) { return (how & (how_weak | how_no_swap)) == 0; };
  return (!a_writes && b_writes && swaps(b)) || (!b_writes && a_writes && swaps(a));
}

struct Footprint {
  std::vector<TouchedRange> reads, writes;  // sorted, without overlaps; behind the reads, constants
  // Of a programmatic launch: what was touched before griddepcontrol.wait.
  std::vector<TouchedRange> early_reads, early_writes;
  // Of a programmatic launch: a block let those behind it launch, or ended, without having waited.
  bool released_early = false;
  bool triggered = false;      // a thread executed griddepcontrol.launch_dependents
  bool talks_to_host = false;  // it may have told the host, or been told, how far the other is
};

}  // namespace aisp::sim::watch
