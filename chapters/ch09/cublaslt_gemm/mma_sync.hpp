// The product on mma.sync by type: each is compiled in a file of its own.
#pragma once

#include "lab/case/rung.hpp"

namespace aisp::ch09 {

lab::Run mma_sync_bf16(lab::Setup& setup);
lab::Run mma_sync_fp16(lab::Setup& setup);
lab::Run mma_sync_tf32(lab::Setup& setup);
lab::Run mma_sync_fp8(lab::Setup& setup);

}  // namespace aisp::ch09
