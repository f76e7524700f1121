// Does a bulk copy complete at an mbarrier whose initialisation was followed by __syncthreads
// alone, without fence.mbarrier_init or fence.proxy.async? Each round initialises an mbarrier that
// has just been through a phase: whoever still sees the old one finds the phase complete and reads
// poison.
#include "stress.cuh"

namespace {

using namespace stress;

constexpr int words = 256, bytes = words * 4, variants = 16;

enum class Mistake { none, no_fence, no_init };

__device__ bool complete(std::uint32_t bar, int parity) {
  std::uint32_t done = 0;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; "
      "}"
      : "=r"(done)
      : "r"(bar), "r"(parity)
      : "memory");
  return done != 0;
}

// One of `barriers` barriers and tiles per round; `issuer`: the thread that starts the copy.
template <Mistake mistake, int barriers, int issuer>
__global__ void __launch_bounds__(128)
    rounds(const std::uint32_t* in, long each, unsigned long long* wrong) {
  __shared__ alignas(128) std::uint32_t tiles[barriers][words];
  __shared__ alignas(8) std::uint64_t bars[barriers];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < barriers)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bars[thread]))
                 : "memory");
  fence_async();
  __syncthreads();
  // Through their first phase.
  if (thread < barriers)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&bars[thread]))
                 : "memory");
  for (long round = 0; round < each; ++round) {
    const int at = static_cast<int>(round % barriers);
    const int variant = static_cast<int>((round + blockIdx.x) % variants);
    const std::uint32_t bar = shared_address(&bars[at]);
    for (int i = thread; i < words; i += 128) tiles[at][i] = 0xdeadbeefu;
    fence_async();
    __syncthreads();
    if (thread == 0 && mistake != Mistake::no_init) {
      asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
      if (mistake == Mistake::none)
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (thread == issuer) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(shared_address(tiles[at])),
          "l"(in + variant * words), "r"(bytes), "r"(bar)
          : "memory");
    }
    // A phase that never ends is wrong, too, and must not hang.
    int tries = 0;
    constexpr int most_tries = mistake == Mistake::no_init ? 1 : 1'000'000;
    while (!complete(bar, 0) && ++tries < most_tries) {
    }
    bool bad = mistake != Mistake::no_init && tries >= most_tries;
    for (int i = thread; i < words; i += 128)
      bad |= tiles[at][i] != static_cast<std::uint32_t>(variant * words + i);
    if (__syncthreads_or(bad) != 0 && thread == 0) atomicAdd(wrong, 1ull);
    if (mistake == Mistake::no_init) {  // on to an odd phase, as the next round wants it
      while (!complete(bar, 1)) {
      }
      __syncthreads();
      if (thread == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
    }
    __syncthreads();
  }
}

template <Mistake mistake, int barriers, int issuer>
void run(const char* layout, long wanted, const std::uint32_t* in) {
  Counter wrong;
  const int blocks = 4 * multiprocessors();
  const long each = split(wanted, blocks);
  rounds<mistake, barriers, issuer><<<blocks, 128>>>(in, each, wrong.get());
  require(cudaGetLastError(), "launch");
  report(layout, each * blocks, wrong.fetch());
}

__global__ void fill(std::uint32_t* at) {
  at[blockIdx.x * words + threadIdx.x] = blockIdx.x * words + threadIdx.x;
}

}  // namespace

int main(int count, char** given) {
  const long wanted = rounds_of(count, given);
  std::uint32_t* in = nullptr;
  require(cudaMalloc(&in, variants * bytes), "cudaMalloc");
  fill<<<variants, words>>>(in);
  require(cudaDeviceSynchronize(), "fill");
  run<Mistake::none, 1, 0>("with the fence, one thread", wanted, in);
  run<Mistake::no_fence, 1, 0>("no fence, the same thread copies", wanted, in);
  run<Mistake::no_fence, 1, 32>("no fence, another warp copies", wanted, in);
  run<Mistake::no_fence, 4, 96>("no fence, ring of four, another warp", wanted, in);
  run<Mistake::no_fence, 8, 0>("no fence, ring of eight, the same thread", wanted, in);
  run<Mistake::no_init, 1, 32>("control: not initialised again", wanted, in);
  return 0;
}
