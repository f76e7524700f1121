// The fused kernel of Ampere as a rung, for every target that compares with it.
#pragma once

#include "lab/case/rung.hpp"

namespace aisp::ch10 {

// Heads of 64 or 128 elements.
lab::Run run_attention_mma_sync(lab::Setup& setup);

}  // namespace aisp::ch10
