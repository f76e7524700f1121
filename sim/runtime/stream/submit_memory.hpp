// Copies, fills and stream-ordered memory: judged and submitted. All throw ApiError.
#pragma once

#include "sim/runtime/memory/calls.hpp"

namespace aisp::sim {

// `wait`: the caller is one of the synchronous functions. Pageable sources are staged.
cudaError_t submit_copy(CopyCall call, cudaStream_t stream, bool wait);

// Returns before the device has done it, as on hardware, unless the host can see the memory and the
// caller is not `asynchronous`.
cudaError_t submit_fill(const FillCall& call, cudaStream_t stream, bool asynchronous);

// No pool: the current one of the stream's device. The address is there before the memory is in
// stream order.
cudaError_t submit_allocation(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                              cudaStream_t stream);
cudaError_t submit_release(void* pointer, cudaStream_t stream);

}  // namespace aisp::sim
