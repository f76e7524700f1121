// How far the samples of a row scatter, and where a run's times came from.
#pragma once

#include <string>
#include <vector>

#include "lab/expect/expectations.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {

// Interquartile range / median of the row's samples; of a row whose samples are not in the run, the
// width of its interval instead.
double relative_spread(const RowRecord& row, const RunFile& run);

// What a simulated device counts depends on how large it is: "4 x 132 multiprocessors"; "" of a
// GPU.
std::string simulated_size(const DeviceRecord& device);

Provenance provenance_of(const RunFile& run, const std::vector<const RowRecord*>& rows);

}  // namespace aisp::lab
