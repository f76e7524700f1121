// seeds: 20
// Cooperative groups: grid barrier, cluster with distributed shared memory, tiles, reductions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.hpp"

namespace cg = cooperative_groups;

// Each round reads what other blocks wrote in the round before.
__global__ void rotate(int* a, int* b, int count, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < rounds; ++round) {
    for (int i = static_cast<int>(grid.thread_rank()); i < count;
         i += static_cast<int>(grid.num_threads()))
      b[i] = a[(i + 97) % count] + 1;
    grid.sync();
    int* const swapped = a;
    a = b;
    b = swapped;
  }
}

__global__ void __cluster_dims__(4, 1, 1) cluster_sum(const int* in, int* out) {
  __shared__ int partial;
  const cg::cluster_group cluster = cg::this_cluster();
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) partial = 0;
  block.sync();
  const auto tile = cg::tiled_partition<32>(block);
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const int sum = cg::reduce(tile, value, cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(&partial, sum);
  cluster.sync();
  if (block.thread_rank() == 0 && cluster.block_rank() == 0) {
    int total = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
      total += *cluster.map_shared_rank(&partial, rank);
    out[blockIdx.x / cluster.num_blocks()] = total;
  }
  cluster.sync();  // nobody leaves while others read
}

__global__ void tiles(int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int mine = static_cast<int>(block.thread_rank());
  const int before = cg::exclusive_scan(tile, mine, cg::plus<int>());
  const auto odd = cg::labeled_partition(cg::coalesced_threads(), mine % 3);
  out[mine] = before * 1000 + static_cast<int>(odd.size());
}

int main() {
  constexpr int count = 4096;
  std::vector<int> start(count);
  for (int i = 0; i < count; ++i) start[i] = i;
  OnDevice<int> a(start), b(count);
  int *pa = a.get(), *pb = b.get(), n = count, rounds = 6;
  void* arguments[] = {&pa, &pb, &n, &rounds};
  CHECK(cudaLaunchCooperativeKernel(rotate, 16, 128, arguments));
  CHECK(cudaDeviceSynchronize());
  const auto rotated = a.fetch();  // an even number of rounds ends where it began
  for (int i = 0; i < count; ++i)
    expect(rotated[i] == (i + 97 * rounds) % count + rounds, "grid barrier");

  OnDevice<int> sums(count / 512);
  cluster_sum<<<count / 128, 128>>>(OnDevice<int>(start).get(), sums.get());
  CHECK(cudaDeviceSynchronize());
  const auto got = sums.fetch();
  for (int c = 0; c < count / 512; ++c) {
    int want = 0;
    for (int i = 0; i < 512; ++i) want += c * 512 + i;
    expect(got[c] == want, "cluster sum through distributed shared memory");
  }

  OnDevice<int> tiled(96);
  tiles<<<1, 96>>>(tiled.get());
  CHECK(cudaDeviceSynchronize());
  const auto values = tiled.fetch();
  for (int i = 0; i < 96; ++i) {
    int before = 0;
    for (int j = i / 8 * 8; j < i; ++j) before += j;
    int alike = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) alike += j % 3 == i % 3;
    expect(values[i] == before * 1000 + alike, "tiles");
  }
  std::puts("ok");
}
