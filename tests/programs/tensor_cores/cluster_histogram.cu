// A histogram too large for one block: its bins are spread over the shared memory of a cluster, and
// every block counts into all of them by atomics on distributed shared memory.
#include <cooperative_groups.h>

#include "check.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int cluster_size = 4, bins_per_block = 500, bins = cluster_size * bins_per_block,
              threads = 128;

__global__ void __cluster_dims__(cluster_size, 1, 1)
    count(const unsigned* in, int size, unsigned* out) {
  extern __shared__ unsigned mine[];
  const auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_per_block; i += threads) mine[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * threads + threadIdx.x; i < size; i += gridDim.x * threads) {
    const unsigned bin = in[i] % bins;
    unsigned* there = cluster.map_shared_rank(mine, bin / bins_per_block);
    atomicAdd(there + bin % bins_per_block, 1u);
  }
  cluster.sync();
  const unsigned first = cluster.block_rank() * bins_per_block;
  for (int i = threadIdx.x; i < bins_per_block; i += threads)
    if (mine[i]) atomicAdd(&out[first + i], mine[i]);
}

// A ring: each block hands its part on to the next one, `cluster_size - 1` times.
__global__ void __cluster_dims__(cluster_size, 1, 1) rotate_sum(const float* in, float* out) {
  __shared__ float part[2][threads];
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  float sum = part[0][threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
  for (int turn = 1; turn < cluster_size; ++turn) {
    cluster
        .sync();  // the neighbour's buffer of this turn is free, and its value of the last is there
    float* next = cluster.map_shared_rank(part[turn % 2], (rank + 1) % cluster_size);
    next[threadIdx.x] = part[(turn + 1) % 2][threadIdx.x];
    cluster.sync();
    sum += part[turn % 2][threadIdx.x];
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
  cluster.sync();
}

}  // namespace

int main() {
  constexpr int size = 9000;
  auto values = numbers(size, 1);
  for (auto& value : values) value >>= 7;
  const OnDevice<unsigned> in(values), out(std::vector<unsigned>(bins, 0));
  count<<<3 * cluster_size, threads, bins_per_block * sizeof(unsigned)>>>(in.get(), size,
                                                                          out.get());
  finish();
  std::vector<unsigned> want(bins);
  for (const unsigned value : values) ++want[value % bins];
  expect_equal(out.fetch(), want, "bins");

  constexpr int parts = 2 * cluster_size * threads;
  const auto numbers_in = reals(parts, 2);
  const OnDevice<float> device_in(numbers_in), sums(parts);
  rotate_sum<<<2 * cluster_size, threads>>>(device_in.get(), sums.get());
  finish();
  std::vector<double> totals(parts);
  for (int i = 0; i < parts; ++i)
    for (int block = 0; block < cluster_size; ++block)
      totals[i] += numbers_in[i / (cluster_size * threads) * cluster_size * threads +
                              block * threads + i % threads];
  expect_close(sums.fetch(), totals, 1e-6, "sums round the ring");
  return passed();
}
