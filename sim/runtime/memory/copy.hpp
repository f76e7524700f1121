// Copies as the API asks for them, judged, and done.
#pragma once

#include "sim/runtime/memory/calls.hpp"

namespace aisp::sim {

CopyCall plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
CopyCall copy_of_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind);
// From 3D parameters, with and without arrays. Throws ApiError.
CopyCall copy_of(const cudaMemcpy3DParms& parameters);
CopyCall copy_of(const cudaMemcpy3DPeerParms& parameters);

// Throws ApiError when the direction does not fit what the ends are, or a range leaves its
// allocation. Graph nodes are judged with it too.
void judge(const CopyCall& call);

// Moves the bytes; the simulated nanoseconds that it takes.
double perform(const CopyCall& call);

}  // namespace aisp::sim
