// What the simulator counts while a rung runs once. It has neither caches nor bandwidths nor
// latencies, so a time made of such counts is no speed; the counts themselves are exact.
#pragma once

#include <array>

#include "lab/case/names.hpp"

namespace aisp::lab {

enum class Count {
  launches,
  instructions,
  l2_bytes,
  distinct_bytes,
  wavefronts,
  bank_conflicts,
  tensor_operations,
  waits,
  overlap,
};

constexpr auto names_of(Count) {
  return std::to_array<Name<Count>>({{Count::launches, "launches"},
                                     {Count::instructions, "instructions"},
                                     {Count::l2_bytes, "L2 bytes"},
                                     {Count::distinct_bytes, "distinct bytes"},
                                     {Count::wavefronts, "wavefronts"},
                                     {Count::bank_conflicts, "bank conflicts"},
                                     {Count::tensor_operations, "tensor operations"},
                                     {Count::waits, "waits"},
                                     {Count::overlap, "overlap"}});
}

}  // namespace aisp::lab
