// What the L2 cache holds when a sample starts, and the buffers that takes.
//   cold:   a flush buffer is written before each sample
//   hot:    nothing is done: a problem that fits stays in L2
//   rotate: each sample works on the next of many buffer sets, so that old ones have been evicted
#pragma once

#include <cstdint>

#include "lab/case/names.hpp"

namespace aisp::lab {

enum class L2Mode { cold, hot, rotate };

constexpr auto names_of(L2Mode) {
  return std::to_array<Name<L2Mode>>(
      {{L2Mode::cold, "cold"}, {L2Mode::hot, "hot"}, {L2Mode::rotate, "rotate"}});
}

// Twice L2, so that no replacement policy keeps the problem; at least 64 MiB.
std::int64_t flush_bytes(std::int64_t l2_bytes);

inline constexpr int most_buffer_sets = 64;

// How many copies of the problem's buffers to allocate. Always two or more, because inputs change
// between samples. Refuses (Exit::environment) when `memory_budget` does not hold two.
int buffer_sets(L2Mode mode, std::int64_t problem_bytes, std::int64_t l2_bytes,
                std::int64_t memory_budget);

// Whether so many sets push each other out of L2: their total is three times its size or more.
bool rotation_evicts(int sets, std::int64_t problem_bytes, std::int64_t l2_bytes);

// The share, 0 to 1, of a problem's `bytes` that must cross the memory bus inside the timed window;
// the rest may have been in L2 before it (inputs) or stay there after it (`written_bytes`).
double travel_share(L2Mode mode, int sets, double bytes, double written_bytes,
                    std::int64_t l2_bytes);

}  // namespace aisp::lab
