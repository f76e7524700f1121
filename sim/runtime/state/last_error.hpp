// The calling thread's last error of the runtime. Taking it clears it even when the device is lost;
// the next call that touches the device sets it again.
#pragma once

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

cudaError_t record_error(cudaError_t error);  // keeps it unless cudaSuccess; returns it
cudaError_t last_error();
cudaError_t take_last_error();
void set_last_error(cudaError_t error);

}  // namespace aisp::sim
