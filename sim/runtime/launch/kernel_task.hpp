// The task that runs a kernel.
#pragma once

#include "sim/runtime/stream/task.hpp"

namespace aisp::sim {

// As make_task of sim/runtime/stream/task.hpp.
Task make_task(KernelCall call);

}  // namespace aisp::sim
