// What --sizes says: "4096 4096 8192", "4096x4096x8192" or several, "1024x1024x64,512x512x16384".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/case/case.hpp"

namespace aisp::lab {

// One list of extents per size. Refuses zero, negative, overflowing and non-numeric extents.
std::vector<std::vector<std::int64_t>> parse_sizes(const std::vector<std::string>& words);

// Refuses (Exit::usage) a variant that the target does not have; "" is any.
void require_variant(const Target& target, const std::string& variant);

// The sizes of a target to run: --sizes where given (checked against its axes, every variant or
// the one selected), else its quick or full list.
std::vector<Size> sizes_to_run(const Target& target, const std::string& variant, bool quick,
                               const std::vector<std::vector<std::int64_t>>& given);

}  // namespace aisp::lab
