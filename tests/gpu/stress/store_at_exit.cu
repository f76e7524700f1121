// Does a bulk store read the right bytes when its block exits without waiting for it? Every block
// begins by overwriting its shared memory with poison: what a store of the block before it has not
// read yet would go out as poison. A round is a block.
#include "stress.cuh"

namespace {

using namespace stress;

enum class Mistake { none, no_wait, overwritten };

// `pieces` stores of `words` words each, from the end of `reserve` bytes of shared memory.
template <Mistake mistake, int words, int pieces>
__global__ void __launch_bounds__(128) store(std::uint32_t* out, std::uint32_t seed, int reserve) {
  extern __shared__ __align__(128) std::uint32_t memory[];
  const int thread = static_cast<int>(threadIdx.x), all = reserve / 4;
  for (int i = thread; i < all; i += 128) memory[i] = 0xdeadbeefu;
  __syncthreads();
  std::uint32_t* tile = memory + all - words * pieces;
  const std::uint32_t base = seed + blockIdx.x * words * pieces;
  for (int i = thread; i < words * pieces; i += 128) tile[i] = base + i;
  fence_async();
  __syncthreads();
  if (thread != 0) return;
  for (int i = 0; i < pieces; ++i)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     out + (std::size_t{blockIdx.x} * pieces + i) * words),
                 "r"(shared_address(tile + i * words)), "r"(words * 4)
                 : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  if (mistake == Mistake::none) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  if (mistake == Mistake::overwritten)
    for (int i = words * pieces - 1; i >= 0; --i) tile[i] = 0xdeadbeefu;
}

// One block looks at one block's output.
__global__ void judge(const std::uint32_t* out, std::uint32_t seed, int words,
                      unsigned long long* wrong) {
  bool bad = false;
  for (int i = static_cast<int>(threadIdx.x); i < words; i += 128) {
    const std::size_t at = std::size_t{blockIdx.x} * words + i;
    bad |= out[at] != seed + static_cast<std::uint32_t>(at);
  }
  if (__syncthreads_or(bad) != 0 && threadIdx.x == 0) atomicAdd(wrong, 1ull);
}

template <Mistake mistake, int words, int pieces>
void run(const char* layout, long wanted, int reserve) {
  constexpr long most_blocks = 16'384;
  const int blocks = static_cast<int>(wanted < most_blocks ? wanted : most_blocks);
  const std::size_t bytes = std::size_t{words} * pieces * 4 * blocks;
  Counter wrong;
  std::uint32_t* out = nullptr;
  require(cudaMalloc(&out, bytes), "cudaMalloc");
  auto* kernel = store<mistake, words, pieces>;
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, reserve),
          "attribute");
  const long launches = split(wanted, blocks);
  for (long i = 0; i < launches; ++i) {
    require(cudaMemsetAsync(out, 0xee, bytes), "poison");
    kernel<<<blocks, 128, reserve>>>(out, static_cast<std::uint32_t>(i * 77), reserve);
    judge<<<blocks, 128>>>(out, static_cast<std::uint32_t>(i * 77), words * pieces, wrong.get());
  }
  require(cudaGetLastError(), "launch");
  report(layout, launches * blocks, wrong.fetch());
  cudaFree(out);
}

}  // namespace

int main(int count, char** words) {
  const long wanted = rounds_of(count, words);
  constexpr int small = 4 * 1024, middle = 32 * 1024, large = 200 * 1024;
  run<Mistake::none, 1024, 1>("waits, 4 KiB, many blocks", wanted, small);
  run<Mistake::no_wait, 1024, 1>("no wait, 4 KiB, many blocks", wanted, small);
  run<Mistake::no_wait, 256, 4>("no wait, 4 stores of 1 KiB, many blocks", wanted, small);
  run<Mistake::no_wait, 1024, 1>("no wait, 4 KiB of 32, few blocks", wanted, middle);
  run<Mistake::no_wait, 2048, 1>("no wait, 8 KiB of 200, one block", wanted, large);
  run<Mistake::no_wait, 512, 4>("no wait, 4 stores of 2 KiB of 200, one block", wanted, large);
  run<Mistake::overwritten, 1024, 1>("control: overwritten by the block itself", wanted, small);
  return 0;
}
