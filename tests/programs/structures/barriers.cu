// seeds: 20
// cuda::barrier and cuda::pipeline from libcu++: asynchronous copies into shared memory, a
// producer and a consumer half of a block, arrival tokens.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.hpp"

namespace cg = cooperative_groups;
constexpr int threads = 128, batch = 256, batches = 6;

#pragma nv_diag_suppress static_var_with_dynamic_init  // libcu++ initialises them itself

// Two stages: the next batch is copied while this one is summed.
__global__ void staged(const int* in, int* out) {
  __shared__ int buffer[2][batch];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int compute = 0, fetch = 0; compute < batches; ++compute) {
    for (; fetch < batches && fetch < compute + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetch % 2], in + fetch * batch, sizeof(int) * batch, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    for (int i = static_cast<int>(block.thread_rank()); i < batch; i += threads)
      out[compute * batch + i] = buffer[compute % 2][i] * 2 + buffer[compute % 2][batch - 1 - i];
    pipe.consumer_release();
  }
}

// Half of the block fills a slot, the other half empties it.
__global__ void hand_over(int* out, int rounds) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int slot[threads / 2];
  __shared__ Barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, threads);
    init(&empty, threads);
  }
  __syncthreads();
  const int mine = static_cast<int>(threadIdx.x) % (threads / 2);
  if (threadIdx.x < threads / 2) {
    for (int round = 0; round < rounds; ++round) {
      slot[mine] = round * 1000 + mine;
      (void)full.arrive();
      empty.arrive_and_wait();
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      full.arrive_and_wait();
      sum += slot[threads / 2 - 1 - mine];
      (void)empty.arrive();
    }
    out[mine] = sum;
  }
}

int main() {
  std::vector<int> in(batch * batches);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 3 + 1);
  OnDevice<int> source(in), out(in.size()), sums(threads / 2);
  staged<<<1, threads>>>(source.get(), out.get());
  CHECK(cudaDeviceSynchronize());
  const auto got = out.fetch();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t first = i / batch * batch;
    expect(got[i] == in[i] * 2 + in[first + batch - 1 - (i - first)], "staged copies");
  }
  hand_over<<<1, threads>>>(sums.get(), 5);
  CHECK(cudaDeviceSynchronize());
  const auto handed = sums.fetch();
  for (int i = 0; i < threads / 2; ++i)
    expect(handed[i] == 10'000 + 5 * (threads / 2 - 1 - i), "hand over");
  std::puts("ok");
}
