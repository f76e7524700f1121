// device: b200,sms=4
// A grid of one block for each tile, of which those that run take over the others: the next tile is
// asked for while this one is worked on. Each tile is scaled once.
#include <vector>

#include "blackwell.cuh"
#include "check.hpp"

namespace {

using namespace blackwell;

constexpr int threads = 64, tile = 512, answers = 2;

__device__ void ask(std::uint32_t answer, std::uint32_t barrier) {
  barrier_expect(barrier, 16);
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
      " [%0], [%1];" ::"r"(answer),
      "r"(barrier)
      : "memory");
}

// False: no tile is left.
__device__ bool next_tile(std::uint32_t answer, int& block) {
  std::uint32_t taken = 0, first = 0;
  asm volatile(
      "{ .reg .pred p; .reg .b128 handle; ld.shared::cta.b128 handle, [%2];"
      " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle;"
      " selp.u32 %0, 1, 0, p;"
      " @p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, handle; }"
      : "=r"(taken), "+r"(first)
      : "r"(answer)
      : "memory");
  block = static_cast<int>(first);
  return taken != 0;
}

__global__ void __launch_bounds__(threads) scale(float* data, int count, int* begun) {
  alignas(16) __shared__ uint4 answer[answers];
  __shared__ std::uint64_t barrier[answers];
  if (threadIdx.x == 0) {
    for (auto& one : barrier) barrier_init(shared_address(&one), 1);
    barrier_init_fence();
    atomicAdd(begun, 1);
    ask(shared_address(&answer[0]), shared_address(&barrier[0]));
  }
  __syncthreads();
  int block = static_cast<int>(blockIdx.x);
  for (int round = 0;; ++round) {
    const int now = round % answers, later = (round + 1) % answers;
    for (int i = block * tile + static_cast<int>(threadIdx.x); i < min(count, (block + 1) * tile);
         i += threads)
      data[i] *= 2;
    barrier_wait(shared_address(&barrier[now]), static_cast<std::uint32_t>(round / answers % 2));
    if (!next_tile(shared_address(&answer[now]), block)) return;
    fence_for_async();  // read before it is written anew
    __syncthreads();
    if (threadIdx.x == 0) ask(shared_address(&answer[later]), shared_address(&barrier[later]));
  }
}

}  // namespace

int main() {
  constexpr int blocks = 500, count = blocks * tile - 77;
  std::vector<float> values = reals(count, 1);
  float* data = nullptr;
  int* begun = nullptr;
  CHECK(cudaMalloc(&data, count * sizeof(float)));
  CHECK(cudaMalloc(&begun, sizeof(int)));
  CHECK(cudaMemset(begun, 0, sizeof(int)));
  CHECK(cudaMemcpy(data, values.data(), count * sizeof(float), cudaMemcpyDefault));
  scale<<<blocks, threads>>>(data, count, begun);
  finish();
  std::vector<float> got(count);
  CHECK(cudaMemcpy(got.data(), data, count * sizeof(float), cudaMemcpyDefault));
  for (int i = 0; i < count; ++i)
    EXPECT(got[static_cast<std::size_t>(i)] == 2 * values[static_cast<std::size_t>(i)]);
  int started = 0;
  CHECK(cudaMemcpy(&started, begun, sizeof(int), cudaMemcpyDefault));
  EXPECT(started < blocks);
  return passed();
}
