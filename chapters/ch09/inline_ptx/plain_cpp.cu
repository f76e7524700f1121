// Plain C++: no PTX by hand. One 16-byte vector per thread.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/inline_ptx/flip.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::flip_threads)
    flip_plain(const uint4* __restrict__ x, uint4* __restrict__ y, std::int64_t vectors) {
  const std::int64_t v = std::int64_t{blockIdx.x} * ch09::flip_block + threadIdx.x;
  if (v < vectors) y[v] = ch09::flip(x[v]);
}

namespace {

using namespace ch09;

void run(const lab::Launch& launch) {
  const std::int64_t vectors = vectors_of(launch);
  flip_plain<<<blocks_for(vectors, flip_block), flip_threads, 0, launch.stream>>>(
      launch.in<uint4>(0), launch.out<uint4>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "inline_ptx plain_cpp");
}

const lab::RungEntry entry{"ch09:inline_ptx",
                           {.name = "plain_cpp",
                            .step = 0,
                            .builds_on = "",
                            .idea = "16-byte vectors in plain C++",
                            .look_at = "LDG.E.128 with the default cache policy",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = lab::plain(run)}};

}  // namespace
