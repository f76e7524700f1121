// The baseline: one element per thread, neighbours in neighbouring threads. Every access of a warp
// is one piece of 128 bytes; what it lacks is bytes in flight.
#include <cstdint>

#include "axpy.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(mine::axpy_threads)
    axpy_one_each(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z,
                  std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * mine::axpy_threads + threadIdx.x;
  if (i < count) z[i] = mine::axpy_factor * x[i] + y[i];
}

namespace {

void run(const lab::Launch& launch) {
  const std::int64_t count = launch.dim(0);
  const auto blocks = static_cast<unsigned>((count - 1) / mine::axpy_threads + 1);
  axpy_one_each<<<blocks, mine::axpy_threads, 0, launch.stream>>>(
      launch.in<float>(0), launch.in<float>(1), launch.out<float>(0), count);
  lab::check_cuda(cudaGetLastError(), "axpy one_each");
}

const lab::RungEntry entry{"mine:axpy",
                           {.name = "one_each",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one element per thread, 4 bytes at a time",
                            .look_at = "three 4-byte accesses per thread",
                            .needs = lab::Needs::sm_80,
                            .prepare = lab::plain(run)}};

}  // namespace
