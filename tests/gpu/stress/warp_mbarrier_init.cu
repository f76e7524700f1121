// Does an mbarrier work that all lanes of a warp initialise with one instruction, at one address
// and with one count? The manual forbids mbarrier.init on a live object. Each round initialises
// mbarriers that have just been through a phase: a thread, or a copy, that still sees the old
// object finds the phase complete and reads poison, and an initialisation that comes late loses an
// arrival, so that the wait does not end.
#include "stress.cuh"

namespace {

using namespace stress;

constexpr int words = 256, bytes = words * 4, variants = 16, threads = 128;

enum class Mistake { none, all_lanes, half_warps, no_init, late_init };
// What completes the phase.
enum class Use { copy, arrivals };
// What comes between the initialisation and the use.
enum class Order { block_barrier, fence_and_barrier, warp_barrier };

__device__ bool test(std::uint32_t bar, int parity) {
  std::uint32_t done = 0;
  asm volatile(
      "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
      "p; }"
      : "=r"(done)
      : "r"(bar), "r"(parity)
      : "memory");
  return done != 0;
}

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

__device__ void init(std::uint32_t bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}

__device__ void arrive(std::uint32_t bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

// Each round uses all `barriers` barriers and tiles.
template <Mistake mistake, Use use, Order order, int barriers>
__global__ void __launch_bounds__(threads)
    rounds(const std::uint32_t* in, long each, unsigned long long* wrong) {
  __shared__ alignas(128) std::uint32_t tiles[barriers][words];
  __shared__ alignas(8) std::uint64_t bars[barriers];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  constexpr int count = use == Use::copy ? 1 : threads;
  const auto bar_of = [&](int at) { return shared_address(&bars[at]); };
  if (thread < barriers) init(bar_of(thread), count);
  fence_async();
  __syncthreads();
  // Through their first phase.
  for (int at = 0; at < barriers; ++at)
    if (thread < count) arrive(bar_of(at));
  for (long round = 0; round < each; ++round) {
    const int variant = static_cast<int>((round + blockIdx.x) % variants);
    for (int i = thread; i < barriers * words; i += threads) tiles[0][i] = 0xdeadbeefu;
    fence_async();
    __syncthreads();
    for (int at = 0; at < barriers; ++at)
      if (thread == 0 && mistake != Mistake::no_init)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar_of(at)) : "memory");
    __syncwarp();
    // Lanes have one address, or those of the second half-warp the next one.
    if (thread < 32) {
      for (int at = 0; at < barriers; ++at) {
        if (mistake == Mistake::all_lanes) init(bar_of(at), count);
        if (mistake == Mistake::half_warps && at % 2 == 0) init(bar_of(at + lane / 16), count);
        if ((mistake == Mistake::none || mistake == Mistake::late_init) && lane == 0)
          init(bar_of(at), count);
      }
      if (order == Order::fence_and_barrier)
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (order == Order::warp_barrier)
      __syncwarp();
    else
      __syncthreads();
    if (use == Use::copy && thread == 0) {
      for (int at = 0; at < barriers; ++at) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar_of(at)),
                     "r"(bytes)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(shared_address(tiles[at])),
            "l"(in + variant * words), "r"(bytes), "r"(bar_of(at))
            : "memory");
      }
    }
    if (use == Use::arrivals)
      for (int at = 0; at < barriers; ++at) {
        for (int i = thread; i < words; i += threads)
          tiles[at][i] = static_cast<std::uint32_t>(variant * words + i);
        arrive(bar_of(at));
      }
    if (mistake == Mistake::late_init && thread == 64) init(bar_of(0), count);
    // The warps that did not initialise must know that it is done before they wait.
    if (order == Order::warp_barrier) __syncthreads();
    bool bad = false;
    constexpr bool fails = mistake == Mistake::no_init, late = mistake == Mistake::late_init;
    constexpr int most_tries = fails ? 1 : 20'000;
    if (late) __syncthreads();  // all have arrived: the phase is over, or an arrival is lost
    for (int at = 0; at < barriers; ++at) {
      int tries = 0;
      while (!late && !complete(bar_of(at), 0) && ++tries < most_tries) {
      }
      bad |= !fails && tries >= most_tries;
      if (late) bad |= !test(bar_of(at), 0);
      // Threads read what others wrote.
      for (int i = thread ^ 33; i < words; i += threads)
        bad |= tiles[at][i] != static_cast<std::uint32_t>(variant * words + i);
    }
    if (__syncthreads_or(bad) != 0 && thread == 0) atomicAdd(wrong, 1ull);
    for (int at = 0; at < barriers && mistake == Mistake::no_init; ++at) {
      while (!complete(bar_of(at), 1)) {  // on to an odd phase, as the next round requires
      }
      __syncthreads();
      if (thread < count) arrive(bar_of(at));
    }
    __syncthreads();
  }
}

template <Mistake mistake, Use use, Order order, int barriers>
void run(const char* layout, long wanted, const std::uint32_t* in) {
  Counter wrong;
  const int blocks = 4 * multiprocessors();
  const long each = split(wanted, blocks);
  rounds<mistake, use, order, barriers><<<blocks, threads>>>(in, each, wrong.get());
  require(cudaGetLastError(), "launch");
  report(layout, each * blocks, wrong.fetch());
}

__global__ void fill(std::uint32_t* at) {
  at[blockIdx.x * words + threadIdx.x] = blockIdx.x * words + threadIdx.x;
}

}  // namespace

int main(int count, char** given) {
  const long wanted = rounds_of(count, given);
  constexpr auto one_lane = Mistake::none, all_lanes = Mistake::all_lanes;
  constexpr auto block_barrier = Order::block_barrier, fenced = Order::fence_and_barrier;
  std::uint32_t* in = nullptr;
  require(cudaMalloc(&in, variants * bytes), "cudaMalloc");
  fill<<<variants, words>>>(in);
  require(cudaDeviceSynchronize(), "fill");
  run<one_lane, Use::copy, fenced, 1>("one lane, copy", wanted, in);
  run<all_lanes, Use::copy, fenced, 1>("all lanes, fence, copy", wanted, in);
  run<all_lanes, Use::copy, block_barrier, 1>("all lanes, copy", wanted, in);
  run<all_lanes, Use::copy, block_barrier, 8>("all lanes, eight barriers, copies", wanted, in);
  run<all_lanes, Use::copy, Order::warp_barrier, 1>("all lanes, __syncwarp, copy", wanted, in);
  run<Mistake::half_warps, Use::copy, block_barrier, 4>("half-warps, four barriers, copies", wanted,
                                                        in);
  run<all_lanes, Use::arrivals, block_barrier, 1>("all lanes, 128 arrivals", wanted, in);
  run<all_lanes, Use::arrivals, block_barrier, 4>("all lanes, four barriers, 128 arrivals", wanted,
                                                  in);
  run<Mistake::no_init, Use::copy, block_barrier, 1>("control: not initialised again", wanted, in);
  run<Mistake::late_init, Use::arrivals, block_barrier, 1>("control: again by another warp, late",
                                                           wanted, in);
  return 0;
}
