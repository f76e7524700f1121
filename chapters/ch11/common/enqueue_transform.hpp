// How a rung says what it enqueues: the maps of a launch's buffers are made by whoever knows them.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace aisp::ch11 {

struct TransformMaps;
using EnqueueTransform = std::function<void(const TransformMaps& maps, cudaStream_t stream)>;

}  // namespace aisp::ch11
