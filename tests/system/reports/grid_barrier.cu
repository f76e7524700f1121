// Many blocks that meet at a grid barrier again and again: `report_grid_barrier ROUNDS`.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int threads = 256;

__global__ void meet(int* cells, int rounds) {
  const auto grid = cooperative_groups::this_grid();
  const int all = static_cast<int>(grid.size()), own = static_cast<int>(grid.thread_rank());
  for (int round = 0; round < rounds; ++round) {
    const int* from = cells + round % 2 * all;
    int* to = cells + (round + 1) % 2 * all;
    to[own] = from[(own + threads) % all] + 1;
    grid.sync();
  }
}

}  // namespace

int main(int count, char** words) {
  int rounds = count > 1 ? std::atoi(words[1]) : 4, multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const unsigned blocks = 2 * static_cast<unsigned>(multiprocessors);
  const std::size_t bytes = std::size_t{2} * blocks * threads * sizeof(int);
  int* cells = nullptr;
  cudaMalloc(&cells, bytes);
  cudaMemset(cells, 0, bytes);
  void* arguments[] = {&cells, &rounds};
  if (cudaLaunchCooperativeKernel(meet, dim3(blocks), dim3(threads), arguments, 0, nullptr) !=
      cudaSuccess)
    return 1;
  int first = 0;
  if (cudaMemcpy(&first, cells + rounds % 2 * (blocks * threads), sizeof first,
                 cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  std::printf("%d\n", first);
  return first == rounds ? 0 : 1;
}
