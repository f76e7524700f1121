// Copies as the API asks for them: judged, staged where the source is pageable, submitted.
#pragma once

#include "sim/cudart/task.hpp"

namespace sim {

CopyCall plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

// From 3D parameters without arrays. Throws ApiError.
CopyCall copy_of(const cudaMemcpy3DParms& parameters);

// Throws ApiError when the direction does not fit what the ends are, or a range leaves its
// allocation. Graph nodes are judged with it too.
void judge(const CopyCall& call);

// Judges and submits. `wait`: the caller is one of the synchronous functions.
cudaError_t submit_copy(CopyCall call, cudaStream_t stream, bool wait);

}  // namespace sim
