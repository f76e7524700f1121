// How the graph puts numbers and places into words.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "lab/draw/sync_graph.hpp"

namespace aisp::lab {

// {4, 5, 6, 9} -> "4-6, 9"
std::string ranges(const std::set<int>& numbers);
std::string shown(const Spread& spread);      // "16", "8..16"
std::string shown_bytes(std::int64_t bytes);  // "32 KiB", "520 B"

// What tells source places apart: the line with all that it was inlined into, else the PTX line.
std::string identity(const SyncPlace& place);
// "ring.cuh:40 < gemm.cuh:212", the innermost first.
std::string shown_chain(const SyncPlace& place);
// The one line of it that says most: the first outside of the file with the instruction, which
// tends to be a wrapper of it; else the caller. What a ring's own functions do to it is one place,
// wherever they are called.
std::string shown_line(const SyncPlace& place);
std::string caller_identity(const SyncPlace& place);  // the same line, with its folder
// "mbarrier.try_wait.parity.shared::cta.b64"
std::string opcode_of(const SyncPlace& place);

}  // namespace aisp::lab
