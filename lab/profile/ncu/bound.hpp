// What a profile says about a rung in one sentence of plain words.
#pragma once

#include <string>
#include <vector>

#include "lab/record/records.hpp"

namespace aisp::lab::ncu {

// What warps wait for when ncu calls it that: "long scoreboard" -> "data from L1, L2 or DRAM".
std::string stall_words(const std::string& cause);

// About the kernel that takes most of the time; "" where too little was counted to tell.
std::string bound_sentence(const std::vector<KernelRecord>& kernels);

}  // namespace aisp::lab::ncu
