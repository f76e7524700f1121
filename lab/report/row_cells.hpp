// Cells that the tables of measured and of simulated runs have in common.
#pragma once

#include <string>

#include "lab/record/run_file.hpp"

namespace aisp::lab {

// "bf16 4096x4096x8192" of "ch09:cublaslt_gemm/bf16 4096x4096x8192".
std::string size_of(const std::string& entry);

// The least favourable of the checks that the row rests on.
std::string worst_check(const RunFile& run, const RowRecord& row);

// A row's status for the reader: a simulated row is not "measured".
std::string status_word(RowStatus status, bool simulated);

}  // namespace aisp::lab
