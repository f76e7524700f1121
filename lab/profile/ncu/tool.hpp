// Nsight Compute's command line: where it is, how it is asked, and what its complaints mean.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/record/records.hpp"

namespace aisp::lab::ncu {

// $AISP_NCU, then PATH, the toolkit and the places of the vendor's packages; "" with the places
// that were tried in `tried`.
std::string find_tool(std::string& tried);

// "2025.3.1" from what `ncu --version` prints; "" where it says none.
std::string version_in(std::string_view text);

// The NVTX range of one rung: how the rows of the table find it.
std::string range_name(int rung);

// Counts the kernels between cudaProfilerStart and -Stop into <report>.ncu-rep: launches are
// replayed, clocks left alone.
std::vector<std::string> collect_words(Profile profile, const std::filesystem::path& report);
// Prints a page of it.
std::vector<std::string> raw_words(const std::filesystem::path& report);
std::vector<std::string> source_words(const std::filesystem::path& report);

// One line for the reader, and what to do, from what ncu printed; "" where it complains of nothing.
std::string problem_in(std::string_view output);

}  // namespace aisp::lab::ncu
