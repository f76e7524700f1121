// The copy of one configuration, on the device's side.
#pragma once

#include "chapters/ch14/tma_configs/config.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch14 {

// Copies x to y of the problem in that way. The configuration is one that why_not() takes.
lab::Run run_copy(lab::Setup& setup, const CopyConfig& config);

}  // namespace aisp::ch14
