#include "chapters/ch11/stream_ordered/filters.hpp"

using namespace aisp;

namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t n) { return static_cast<unsigned>((n + threads - 1) / threads); }

__global__ void __launch_bounds__(threads)
    filter_stage(const float* __restrict__ from, float* __restrict__ to,
                 const float* __restrict__ factor, std::int64_t ahead, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= n) return;
  const float later = i + ahead < n ? from[i + ahead] : 0.0f;
  to[i] = fmaf(*factor, later, from[i]);
}

__global__ void __launch_bounds__(threads)
    add_to_sum(const float* __restrict__ from, float* __restrict__ sum, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) sum[i] += from[i];
}

}  // namespace

void ch11::enqueue_stage(const FilterRun& run, std::int64_t step, int stage, const float* from,
                         float* to, cudaStream_t stream) {
  const float* factor = run.factors + step * filter_stages + stage;
  filter_stage<<<blocks_for(run.n), threads, 0, stream>>>(from, to, factor,
                                                          std::int64_t{1} << stage, run.n);
  lab::check_cuda(cudaGetLastError(), "launch of filter_stage");
}

void ch11::enqueue_add(const FilterRun& run, const float* from, cudaStream_t stream) {
  add_to_sum<<<blocks_for(run.n), threads, 0, stream>>>(from, run.sum, run.n);
  lab::check_cuda(cudaGetLastError(), "launch of add_to_sum");
}

void ch11::enqueue_clear(const FilterRun& run, cudaStream_t stream) {
  lab::check_cuda(cudaMemsetAsync(run.sum, 0, run.bytes(), stream), "cudaMemsetAsync");
}
