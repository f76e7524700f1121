// What a profile counts of a kernel, under one name whoever counted it: ncu on a GPU, or the
// simulator where its count means the same.
#pragma once

#include <string_view>

#include "lab/case/names.hpp"

namespace aisp::lab {

enum class Counter {
  time,
  compute_share,
  memory_share,
  issue_share,
  instructions,
  operations,
  tensor_operations,
  dram_bytes,
  dram_share,
  l2_bytes,
  l2_share,
  l2_hits,
  l1_bytes,
  l1_hits,
  shared_wavefronts,
  bank_conflicts,
  occupancy,
  occupancy_limit,
  waves,
};

constexpr auto names_of(Counter) {
  return std::to_array<Name<Counter>>({{Counter::time, "time"},
                                       {Counter::compute_share, "compute throughput"},
                                       {Counter::memory_share, "memory throughput"},
                                       {Counter::issue_share, "issue slots busy"},
                                       {Counter::instructions, "warp instructions"},
                                       {Counter::operations, "operations"},
                                       {Counter::tensor_operations, "tensor operations"},
                                       {Counter::dram_bytes, "DRAM bytes"},
                                       {Counter::dram_share, "DRAM throughput"},
                                       {Counter::l2_bytes, "L2 bytes"},
                                       {Counter::l2_share, "L2 throughput"},
                                       {Counter::l2_hits, "L2 hit rate"},
                                       {Counter::l1_bytes, "L1 bytes"},
                                       {Counter::l1_hits, "L1 hit rate"},
                                       {Counter::shared_wavefronts, "shared wavefronts"},
                                       {Counter::bank_conflicts, "bank conflicts"},
                                       {Counter::occupancy, "achieved occupancy"},
                                       {Counter::occupancy_limit, "theoretical occupancy"},
                                       {Counter::waves, "waves per SM"}});
}

// "us", "%", "B", "FLOP", or "" for plain numbers.
constexpr std::string_view unit_of(Counter counter) {
  switch (counter) {
    case Counter::time:
      return "us";
    case Counter::compute_share:
    case Counter::memory_share:
    case Counter::issue_share:
    case Counter::dram_share:
    case Counter::l2_share:
    case Counter::l2_hits:
    case Counter::l1_hits:
    case Counter::occupancy:
    case Counter::occupancy_limit:
      return "%";
    case Counter::operations:
    case Counter::tensor_operations:
      return "FLOP";
    case Counter::dram_bytes:
    case Counter::l2_bytes:
    case Counter::l1_bytes:
      return "B";
    case Counter::instructions:
    case Counter::shared_wavefronts:
    case Counter::bank_conflicts:
    case Counter::waves:
      break;
  }
  return "";
}

}  // namespace aisp::lab
