// hazard: counter-fence
// Each block writes a partial sum, executes __threadfence() and counts itself; the last one adds
// them up behind a block barrier. Its fence comes before the counter, where one belongs behind it
// (the sample threadFenceReduction).
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 6;

template <bool fixed>
// example begin: counter-fence
__global__ void sum(const int* in, int* partial, unsigned* counter, int* out) {
  __shared__ int total;
  __shared__ bool last;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, in[blockIdx.x * threads + thread]);
  __syncthreads();
  if (thread == 0) {
    partial[blockIdx.x] = total;
    __threadfence();
    last = atomicInc(counter, blocks) == blocks - 1;
    if constexpr (fixed) __threadfence();
    total = 0;
  }
  __syncthreads();
  if (!last) return;
  // Twice, in other warps: that a block has read the sums itself by then does not matter.
  for (int turn = 0; turn < 2; ++turn)
    if (thread % 32 < blocks && thread / 32 == turn) atomicAdd(&total, partial[thread % 32]);
  __syncthreads();
  if (thread == 0) *out = total / 2;
}
// example end

template <bool fixed>
bool run() {
  std::vector<int> values(threads * blocks);
  int want = 0;
  for (int i = 0; i < threads * blocks; ++i) want += values[i] = i % 19;
  hazard::Array<int> in(values), partial(blocks), out(1);
  hazard::Array<unsigned> counter(1);
  sum<fixed><<<blocks, threads>>>(in.get(), partial.get(), counter.get(), out.get());
  hazard::finish();
  return out.holds([&](int) { return want; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
