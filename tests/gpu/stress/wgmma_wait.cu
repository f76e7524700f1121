// Does wgmma.wait_group in one warp end the product for all four warps of the warpgroup? All warps
// issue a chain of products; one of them is held back between its issue and its wait, while another
// one waits at once and overwrites the operands with poison. The sums of the warp held back tell.
#include "product.cuh"

namespace {

using namespace stress;

constexpr int chain = 64;  // products in flight when the first warp waits

enum class Hold { nobody, behind_issue, before_issue };
enum class Mistake { none, overwritten_by_one, no_wait };

template <Mistake mistake, Hold hold>
__global__ void __launch_bounds__(128) rounds(long each, int cycles, unsigned long long* wrong) {
  __shared__ Operands tile;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  for (long round = 0; round < each; ++round) {
    const int variant = static_cast<int>((round + blockIdx.x) % 8);
    // Whose turn it is to overwrite, and who is late.
    const int writer = static_cast<int>(round % 4),
              late = static_cast<int>((round / 4 + 1 + writer) % 4);
    auto* elements_of_tile = reinterpret_cast<std::uint16_t*>(&tile);
    for (int i = thread; i < elements; i += 128) elements_of_tile[i] = element_of(i, variant);
    fence_async();
    __syncthreads();
    float d[4] = {};
    if (hold == Hold::before_issue && warp == late) spin(cycles);
    product_fence(d);
#pragma unroll 8
    for (int i = 0; i < chain; ++i) multiply(d, tile);
    product_commit();
    if (hold == Hold::behind_issue && warp == late) spin(cycles);
    if (mistake != Mistake::no_wait || warp != writer) product_wait(d);
    if (mistake == Mistake::none) __syncthreads();
    if (warp == writer)
      for (int i = lane; i < elements / 2; i += 32)
        reinterpret_cast<volatile std::uint32_t*>(&tile)[i] = 0x7fc07fc0u;
    if (mistake == Mistake::no_wait && warp == writer) product_wait(d);
    if (__syncthreads_or(!right(d, variant, chain)) != 0 && thread == 0) atomicAdd(wrong, 1ull);
  }
}

template <Mistake mistake, Hold hold>
void run(const char* layout, long wanted, int cycles) {
  Counter wrong;
  const int blocks = 2 * multiprocessors();
  const long each = split(wanted, blocks);
  rounds<mistake, hold><<<blocks, 128>>>(each, cycles, wrong.get());
  require(cudaGetLastError(), "launch");
  report(layout, each * blocks, wrong.fetch());
}

}  // namespace

int main(int count, char** words) {
  const long wanted = rounds_of(count, words);
  run<Mistake::none, Hold::behind_issue>("a barrier before the overwrite", wanted, 2000);
  run<Mistake::overwritten_by_one, Hold::nobody>("nobody held back", wanted, 0);
  run<Mistake::overwritten_by_one, Hold::behind_issue>("held 500 cycles behind its issue", wanted,
                                                       500);
  run<Mistake::overwritten_by_one, Hold::behind_issue>("held 4000 cycles behind its issue", wanted,
                                                       4000);
  run<Mistake::overwritten_by_one, Hold::before_issue>("held 500 cycles before its issue", wanted,
                                                       500);
  run<Mistake::overwritten_by_one, Hold::before_issue>("held 4000 cycles before its issue", wanted,
                                                       4000);
  run<Mistake::no_wait, Hold::nobody>("control: overwritten without a wait", wanted, 0);
  return 0;
}
