// One launch from many numbers to one: a cooperative grid with a barrier, and the same with the
// block that comes last, by a fence and a counter that wraps round for the next launch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 128, blocks = 7;

__device__ double block_sum(double value) {
  __shared__ double parts[threads / 32];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  value = cg::reduce(warp, value, cg::plus<double>());
  block.sync();  // the parts of an earlier call have been read
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = value;
  block.sync();
  value = 0;
  for (const double part : parts) value += part;
  return value;
}
__device__ double own_part(const float* in, int count) {
  double sum = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
    sum += in[i];
  return sum;
}

__global__ void with_barrier(const float* in, int count, double* parts, double* out) {
  const double sum = block_sum(own_part(in, count));
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  cg::this_grid().sync();
  if (blockIdx.x != 0) return;
  const double total = block_sum(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0);
  if (threadIdx.x == 0) *out = total;
}

__global__ void with_last_block(const float* in, int count, double* parts, unsigned* arrived,
                                double* out) {
  __shared__ bool is_last;
  const double sum = block_sum(own_part(in, count));
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  const double total = block_sum(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0);
  if (threadIdx.x == 0) *out = total;
}

}  // namespace

int main() {
  int count = 9001;
  const auto values = reals(count, 5);
  double want = 0;
  for (const float value : values) want += value;
  const OnDevice<float> in(values);
  const OnDevice<double> parts(blocks), out(3);
  const OnDevice<unsigned> arrived(std::vector<unsigned>(1, 0));
  const float* in_at = in.get();
  double *parts_at = parts.get(), *out_at = out.get();
  void* arguments[] = {&in_at, &count, &parts_at, &out_at};
  CHECK(cudaLaunchCooperativeKernel(with_barrier, blocks, threads, arguments));
  for (int i = 1; i < 3; ++i)
    with_last_block<<<blocks, threads>>>(in_at, count, parts_at, arrived.get(), out_at + i);
  finish();
  expect_close(out.fetch(), std::vector<double>(3, want), 1e-9, "sum");
  return passed();
}
