// Fills as the API asks for them.
#pragma once

#include "sim/cudart/task.hpp"

namespace sim {

// Throws ApiError when the memory is not the device's or a range leaves its allocation. Graph nodes
// are judged with it too.
void judge(const FillCall& call);

}  // namespace sim
