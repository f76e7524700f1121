// Does a product see what cp.async brought, when the copies were waited for and a barrier was met,
// but no fence.proxy.async was executed? Before each round the operands are NaN, visible to the
// async proxy, and in some layouts read by a product, so that whatever it keeps is poison.
#include <vector>

#include "product.cuh"

namespace {

using namespace stress;

constexpr int variants = 8;

enum class Mistake { none, no_fence, no_wait };

template <int bytes>
__device__ void copy(Operands& to, const Operands& from) {
  constexpr int count = static_cast<int>(sizeof(Operands)) / bytes;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 128) {
    const std::uint32_t into = shared_address(reinterpret_cast<char*>(&to) + i * bytes);
    const char* source = reinterpret_cast<const char*>(&from) + i * bytes;
    if constexpr (bytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(into), "l"(source) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(into), "l"(source), "n"(bytes)
                   : "memory");
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <Mistake mistake, int bytes, int stages, bool read_poison>
__global__ void __launch_bounds__(128)
    rounds(const Operands* in, long each, unsigned long long* wrong) {
  __shared__ Operands tiles[stages];
  for (long round = 0; round < each; ++round) {
    Operands& tile = tiles[round % stages];
    const int variant = static_cast<int>((round * 5 + blockIdx.x) % variants);
    poison(tile);
    float d[4] = {};
    if (read_poison) {
      product_fence(d);
      multiply(d, tile);
      product_commit();
      product_wait(d);
      __syncthreads();
      for (float& sum : d) sum = 0;
    }
    copy<bytes>(tile, in[variant]);
    if (mistake != Mistake::no_wait) asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (mistake == Mistake::none) fence_async();
    __syncthreads();
    product_fence(d);
    multiply(d, tile);
    product_commit();
    product_wait(d);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (__syncthreads_or(!right(d, variant, 1)) != 0 && threadIdx.x == 0) atomicAdd(wrong, 1ull);
  }
}

template <Mistake mistake, int bytes, int stages, bool read_poison>
void run(const char* layout, long wanted, const Operands* in) {
  Counter wrong;
  const int blocks = multiprocessors();
  const long each = split(wanted, blocks);
  rounds<mistake, bytes, stages, read_poison><<<blocks, 128>>>(in, each, wrong.get());
  require(cudaGetLastError(), "launch");
  report(layout, each * blocks, wrong.fetch());
}

}  // namespace

int main(int count, char** words) {
  const long wanted = rounds_of(count, words);
  std::vector<Operands> all(variants);
  for (int variant = 0; variant < variants; ++variant)
    for (int i = 0; i < elements; ++i)
      (i < 64 * 16 ? all[variant].a[i] : all[variant].b[i - 64 * 16]) = element_of(i, variant);
  Operands* in = nullptr;
  require(cudaMalloc(&in, variants * sizeof(Operands)), "cudaMalloc");
  require(cudaMemcpy(in, all.data(), variants * sizeof(Operands), cudaMemcpyHostToDevice), "copy");
  run<Mistake::none, 16, 1, false>("with the fence, cg 16", wanted, in);
  run<Mistake::no_fence, 16, 1, false>("no fence, cg 16, one stage", wanted, in);
  run<Mistake::no_fence, 16, 2, false>("no fence, cg 16, two stages", wanted, in);
  run<Mistake::no_fence, 16, 1, true>("no fence, cg 16, poison read before", wanted, in);
  run<Mistake::no_fence, 16, 4, true>("no fence, cg 16, four stages, poison read", wanted, in);
  run<Mistake::no_fence, 8, 1, true>("no fence, ca 8, poison read before", wanted, in);
  run<Mistake::no_fence, 4, 2, true>("no fence, ca 4, two stages, poison read", wanted, in);
  run<Mistake::no_wait, 16, 1, false>("control: copies not waited for", wanted, in);
  return 0;
}
