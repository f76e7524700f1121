// The baseline of both ladders: a kernel that leaves a sum per block in global memory, and a second
// one that adds the eight of each row.
#pragma once

#include "chapters/ch10/common/reduction.cuh"
#include "chapters/ch10/common/reduction_launch.hpp"

namespace aisp::ch10 {

using FirstPass = void (*)(const float4* x, float* parts, int vectors);
using SecondPass = void (*)(const float4* parts, float* sums, int rows);

inline lab::Run two_passes(lab::Setup& setup, FirstPass first, SecondPass second) {
  auto* parts = static_cast<float*>(setup.scratch(part_bytes(setup)));
  return [=](const lab::Launch& launch) {
    launch_rows(launch, first, false, "first pass", launch.in<float4>(0), parts,
                vectors_of(launch));
    const int rows = rows_of(launch);
    const auto blocks = static_cast<unsigned>((rows + reduction_threads - 1) / reduction_threads);
    second<<<blocks, reduction_threads, 0, launch.stream>>>(reinterpret_cast<const float4*>(parts),
                                                            launch.out<float>(0), rows);
    lab::check_cuda(cudaGetLastError(), "second pass");
  };
}

}  // namespace aisp::ch10
