// Four elements per thread in one access of 16 bytes: a quarter of the instructions for the same
// bytes, and four times as many of them in flight. The lab's buffers begin on 16-byte borders.
#include <cstdint>

#include "axpy.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(mine::axpy_threads)
    axpy_four_each(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z,
                   std::int64_t count) {
  const std::int64_t vector = std::int64_t{blockIdx.x} * mine::axpy_threads + threadIdx.x;
  const std::int64_t first = 4 * vector;
  if (first + 4 <= count) {
    const float4 a = reinterpret_cast<const float4*>(x)[vector];
    const float4 b = reinterpret_cast<const float4*>(y)[vector];
    reinterpret_cast<float4*>(z)[vector] =
        make_float4(mine::axpy_factor * a.x + b.x, mine::axpy_factor * a.y + b.y,
                    mine::axpy_factor * a.z + b.z, mine::axpy_factor * a.w + b.w);
    return;
  }
  for (std::int64_t i = first; i < count; ++i) z[i] = mine::axpy_factor * x[i] + y[i];  // the rest
}

namespace {

void run(const lab::Launch& launch) {
  const std::int64_t count = launch.dim(0);
  const auto blocks = static_cast<unsigned>((count - 1) / (4 * mine::axpy_threads) + 1);
  axpy_four_each<<<blocks, mine::axpy_threads, 0, launch.stream>>>(
      launch.in<float>(0), launch.in<float>(1), launch.out<float>(0), count);
  lab::check_cuda(cudaGetLastError(), "axpy four_each");
}

const lab::RungEntry entry{"mine:axpy",
                           {.name = "four_each",
                            .step = 1,
                            .builds_on = "one_each",
                            .idea = "16 bytes per access: more of them in flight",
                            .look_at = "three 16-byte accesses per thread",
                            .needs = lab::Needs::sm_80,
                            .prepare = lab::plain(run)}};

}  // namespace
