// Does wgmma.wait_group in one warp end the product for all four warps of the warpgroup? One
// warpgroup issues a chain of products; one of its warps is held back, another one waits at once
// and then tells a second warpgroup, which overwrites the operands with poison. The sums tell.
#include <cstdio>

#include "product.cuh"

namespace {

using namespace stress;

constexpr int chain = 64;  // products in flight when the first warp waits

enum class Hold { nobody, behind_issue, before_issue, between_issues, behind_fence };
enum class Tells { behind_a_barrier, behind_its_wait, behind_its_issue };

// The waits stand where every warp passes them: elsewhere the assembler would wait behind each
// product, and nothing would be in flight.
template <Tells tells, Hold hold>
__global__ void __launch_bounds__(256)
    rounds(long each, int cycles, unsigned long long* wrong, unsigned long long* alone) {
  __shared__ Operands tile;
  __shared__ volatile unsigned told, came;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  if (thread == 0) {
    told = 0;
    came = 0;
  }
  for (long round = 0; round < each; ++round) {
    const int variant = static_cast<int>((round + blockIdx.x) % 8);
    const auto now = static_cast<unsigned>(round + 1);
    const int teller = static_cast<int>(round % 4);
    const int late = static_cast<int>((teller + 1 + round / 4 % 3) % 4);
    auto* const filled = reinterpret_cast<std::uint16_t*>(&tile);
    for (int i = thread; i < elements; i += 256) filled[i] = element_of(i, variant);
    fence_async();
    __syncthreads();
    bool bad = false;
    if (warp < 4) {
      float d[4] = {};
      if (hold == Hold::before_issue && warp == late) spin(cycles);
      product_fence(d);
      if (hold == Hold::behind_fence && warp == late) spin(cycles);
#pragma unroll
      for (int i = 0; i < chain; ++i) {
        if (hold == Hold::between_issues && i == chain / 2 && warp == late) spin(cycles);
        multiply(d, tile);
      }
      product_commit();
      if (tells == Tells::behind_its_issue && warp == teller && lane == 0) told = now;
      if (hold == Hold::behind_issue && warp == late) spin(cycles);
      if (warp == late && lane == 0) came = now;
      product_wait(d);
      if (warp == teller && lane == 0 && came != now) atomicAdd(alone, 1ull);
      if (tells == Tells::behind_a_barrier) asm volatile("bar.sync 1, 128;" ::: "memory");
      if (tells != Tells::behind_its_issue && warp == teller && lane == 0) told = now;
      bad = !right(d, variant, chain);
    } else {
      while (told != now) {
      }
      for (int i = thread - 128; i < elements / 2; i += 128)
        reinterpret_cast<volatile std::uint32_t*>(&tile)[i] = 0x7fc07fc0u;
    }
    if (__syncthreads_or(bad) != 0 && thread == 0) atomicAdd(wrong, 1ull);
  }
}

template <Tells tells, Hold hold>
void run(const char* layout, long wanted, int cycles) {
  Counter wrong, alone;
  const int blocks = 2 * multiprocessors();
  const long each = split(wanted, blocks);
  rounds<tells, hold><<<blocks, 256>>>(each, cycles, wrong.get(), alone.get());
  require(cudaGetLastError(), "launch");
  report(layout, each * blocks, wrong.fetch());
  std::printf("  rounds in which the wait ended before the late warp came to its own: %llu\n",
              alone.fetch());
}

}  // namespace

int main(int count, char** words) {
  const long wanted = rounds_of(count, words);
  run<Tells::behind_a_barrier, Hold::behind_issue>("a barrier before the overwrite", wanted, 2000);
  run<Tells::behind_its_wait, Hold::nobody>("nobody held back", wanted, 0);
  run<Tells::behind_its_wait, Hold::behind_issue>("held 500 cycles behind its issue", wanted, 500);
  run<Tells::behind_its_wait, Hold::behind_issue>("held 4000 cycles behind its issue", wanted,
                                                  4000);
  run<Tells::behind_its_wait, Hold::before_issue>("held 500 cycles before its issue", wanted, 500);
  run<Tells::behind_its_wait, Hold::before_issue>("held 4000 cycles before its issue", wanted,
                                                  4000);
  run<Tells::behind_its_wait, Hold::behind_fence>("held 4000 cycles behind its fence", wanted,
                                                  4000);
  run<Tells::behind_its_wait, Hold::between_issues>("held 4000 cycles between its issues", wanted,
                                                    4000);
  run<Tells::behind_its_issue, Hold::nobody>("control: overwritten without a wait", wanted, 0);
  return 0;
}
