// Does another block of the cluster see an mbarrier whose initialisation was followed by
// barrier.cluster.arrive.release and wait.acquire alone, without fence.mbarrier_init? Each round
// initialises mbarriers that have just been through a phase: a block, or a copy, that still sees
// the old object finds the phase complete and reads poison, or its arrival is lost and the wait
// does not end. A round is a block's.
#include "stress.cuh"

namespace {

using namespace stress;

constexpr int words = 256, bytes = words * 4, variants = 16, threads = 128;

enum class Mistake { none, no_fence, no_init };
// What completes the phase in another block.
enum class Use { multicast, remote_copy, remote_arrive, store_async };

__device__ std::uint32_t rank_of_block() {
  std::uint32_t rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// The address of the same variable in the shared memory of another block.
__device__ std::uint32_t in_block(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t mapped = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ bool complete(std::uint32_t bar, int parity) {
  std::uint32_t done = 0;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
      "selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(bar), "r"(parity)
      : "memory");
  return done != 0;
}

__device__ void expect(std::uint32_t bar) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
               : "memory");
}

// Completes the phase that another block waits for. Block 0 multicasts to all blocks; otherwise
// each block serves the one after it. All lanes of a warp take part.
template <Use use>
__device__ void serve(const std::uint32_t* in, const std::uint32_t* source, std::uint32_t tile,
                      std::uint32_t bar, std::uint32_t rank, std::uint32_t blocks, int variant,
                      int lane) {
  const std::uint32_t to = (rank + 1) % blocks;
  if constexpr (use == Use::multicast) {
    if (rank == 0 && lane == 0)
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
          "[%0], [%1], %2, [%3], %4;" ::"r"(tile),
          "l"(in + variant * words), "r"(bytes), "r"(bar),
          "h"(static_cast<std::uint16_t>((1u << blocks) - 1))
          : "memory");
  } else if constexpr (use == Use::remote_copy) {
    if (lane == 0)
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(in_block(tile, to)),
          "r"(shared_address(source + variant * words)), "r"(bytes), "r"(in_block(bar, to))
          : "memory");
  } else if constexpr (use == Use::remote_arrive) {
    for (int i = lane; i < words; i += 32)
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_block(tile + 4 * i, to)),
                   "r"(variant * words + i)
                   : "memory");
    __syncwarp();
    if (lane == 0)
      asm volatile(
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(bar, to))
          : "memory");
  } else {
    for (int i = lane; i < words; i += 32)
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
              in_block(tile + 4 * i, to)),
          "r"(variant * words + i), "r"(in_block(bar, to))
          : "memory");
  }
}

// One of `barriers` barriers and tiles per round; warp `issuer` serves the other block.
template <Mistake mistake, Use use, int barriers, int issuer>
__global__ void __launch_bounds__(threads)
    rounds(const std::uint32_t* in, long each, unsigned long long* wrong) {
  __shared__ alignas(128) std::uint32_t tiles[barriers][words];
  __shared__ alignas(128) std::uint32_t source[use == Use::remote_copy ? variants * words : 4];
  __shared__ alignas(8) std::uint64_t bars[barriers];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const std::uint32_t rank = rank_of_block();
  std::uint32_t blocks = 0;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (use == Use::remote_copy)
    for (int i = thread; i < variants * words; i += threads)
      source[i] = static_cast<std::uint32_t>(i);
  if (thread < barriers) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bars[thread]))
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  fence_async();
  cluster_barrier();
  // Through their first phase.
  if (thread < barriers)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&bars[thread]))
                 : "memory");
  for (long round = 0; round < each; ++round) {
    const int at = static_cast<int>(round % barriers);
    const int variant = static_cast<int>((round + blockIdx.x / blocks) % variants);
    const std::uint32_t bar = shared_address(&bars[at]), tile = shared_address(tiles[at]);
    for (int i = thread; i < words; i += threads) tiles[at][i] = 0xdeadbeefu;
    fence_async();
    cluster_barrier();
    if (thread == 0 && mistake != Mistake::no_init) {
      asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
      if (mistake == Mistake::none)
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (issuer != 0) __syncthreads();  // as kernels do that initialise in a warp of its own
    cluster_barrier();
    if (thread == 32 * issuer && use != Use::remote_arrive) expect(bar);
    if (thread / 32 == issuer) serve<use>(in, source, tile, bar, rank, blocks, variant, lane);
    // A phase that never ends is wrong, too, and must not hang.
    int tries = 0;
    constexpr int most_tries = mistake == Mistake::no_init ? 1 : 20'000;
    while (!complete(bar, 0) && ++tries < most_tries) {
    }
    bool bad = mistake != Mistake::no_init && tries >= most_tries;
    for (int i = thread; i < words; i += threads)
      bad |= tiles[at][i] != static_cast<std::uint32_t>(variant * words + i);
    if (__syncthreads_or(bad) != 0 && thread == 0) atomicAdd(wrong, 1ull);
    if (mistake == Mistake::no_init) {  // on to an odd phase, as the next round requires
      while (!complete(bar, 1)) {
      }
      __syncthreads();
      if (thread == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
    }
  }
  cluster_barrier();
}

template <Mistake mistake, Use use, int barriers, int issuer>
void run(const char* layout, long wanted, unsigned size, const std::uint32_t* in) {
  Counter wrong;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  const auto clusters = static_cast<unsigned>(4 * multiprocessors()) / size;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(clusters * size);
  config.blockDim = dim3(threads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  const long each = split(wanted, config.gridDim.x);
  require(
      cudaLaunchKernelEx(&config, rounds<mistake, use, barriers, issuer>, in, each, wrong.get()),
      "launch");
  report(layout, each * config.gridDim.x, wrong.fetch());
}

__global__ void fill(std::uint32_t* at) {
  at[blockIdx.x * words + threadIdx.x] = blockIdx.x * words + threadIdx.x;
}

}  // namespace

int main(int count, char** given) {
  const long wanted = rounds_of(count, given);
  constexpr auto none = Mistake::none, no_fence = Mistake::no_fence;
  std::uint32_t* in = nullptr;
  require(cudaMalloc(&in, variants * bytes), "cudaMalloc");
  fill<<<variants, words>>>(in);
  require(cudaDeviceSynchronize(), "fill");
  run<none, Use::multicast, 1, 0>("with the fence, multicast to two", wanted, 2, in);
  run<no_fence, Use::multicast, 1, 0>("no fence, multicast to two", wanted, 2, in);
  run<no_fence, Use::multicast, 4, 3>("no fence, multicast to four, another warp", wanted, 4, in);
  run<no_fence, Use::multicast, 8, 0>("no fence, multicast to eight, ring of eight", wanted, 8, in);
  run<no_fence, Use::remote_copy, 1, 0>("no fence, copy into the next block", wanted, 2, in);
  run<no_fence, Use::remote_copy, 4, 2>("no fence, copy, four blocks, another warp", wanted, 4, in);
  run<no_fence, Use::remote_arrive, 1, 0>("no fence, arrival from the next block", wanted, 2, in);
  run<no_fence, Use::remote_arrive, 4, 1>("no fence, arrival, four blocks, another warp", wanted, 4,
                                          in);
  run<no_fence, Use::store_async, 1, 0>("no fence, st.async into the next block", wanted, 2, in);
  run<no_fence, Use::store_async, 4, 3>("no fence, st.async, four blocks, another warp", wanted, 4,
                                        in);
  run<Mistake::no_init, Use::multicast, 1, 1>("control: not initialised again", wanted, 2, in);
  return 0;
}
