// The reduction of the peer ring: element by element, one rounding.
#pragma once

#include "comm/communicator.hpp"

namespace aisp::comm {

// to = a + b on the current device; `to` may be a or b. bf16 is added in f32.
void enqueue_sum(Dtype type, void* to, const void* a, const void* b, std::int64_t count,
                 cudaStream_t stream);

}  // namespace aisp::comm
