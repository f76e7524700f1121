// The kernel with roles as the host sees it.
#pragma once

#include <algorithm>

#include "chapters/ch11/warp_specialized_multistream/batches.hpp"

namespace ch11 {

struct TransformMaps;

// Its blocks fill a multiprocessor each.
void launch_roles(const TransformMaps& maps, const Batch& batch, int blocks, cudaStream_t stream);

// Says how to enqueue all batches; `enqueue` gets the maps of the launch's buffers.
using EnqueueBatches = std::function<void(const TransformMaps& maps, cudaStream_t stream)>;
lab::Run run_roles(const EnqueueBatches& enqueue);

}  // namespace ch11
