// hazard: read-only-load
// The last block to arrive adds up what all have written, four at a time with a read-only vector
// load: fence and counter order them, and the load need not see them.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 32, blocks = 5;

template <bool fixed>
__global__ void total(float4* partial, unsigned* arrived, float* out) {
  __shared__ bool last;
  const auto mine = static_cast<float>(blockIdx.x + 1);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = {mine, mine, mine, mine};
    __threadfence();
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  float sum = 0;
  for (int block = 0; block < blocks; ++block) {
    const float4 one = fixed ? partial[block] : __ldg(partial + block);
    sum += one.x + one.y + one.z + one.w;
  }
  *out = sum;
}

template <bool fixed>
bool run() {
  const hazard::Array<float4> partial(blocks);
  const hazard::Array<unsigned> arrived(std::vector<unsigned>(1, 0));
  const hazard::Array<float> out(1);
  total<fixed><<<blocks, threads>>>(partial.get(), arrived.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 4.0f * blocks * (blocks + 1) / 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
