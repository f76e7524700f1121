// The kernel with roles as the host sees it.
#pragma once

#include <algorithm>

#include "chapters/ch11/common/enqueue_transform.hpp"
#include "chapters/ch11/warp_specialized_multistream/batches.hpp"

namespace aisp::ch11 {

// Its blocks fill a multiprocessor each.
void launch_roles(const TransformMaps& maps, const Batch& batch, int blocks, cudaStream_t stream);

// `enqueue` enqueues all batches; also readies the kernel.
lab::Run run_roles(const EnqueueTransform& enqueue);

}  // namespace aisp::ch11
