// hazard: wgmma-operand, bulk-wait, shared-race
// The consumer hands the slot back when it has issued its product instead of when wgmma.wait_group
// says that the product has read it: the producer's next load overwrites the operands.
#include "tests/hazards/async/products.cuh"

namespace {

using products::Operands;
constexpr int steps = 4;

template <bool fixed>
__global__ void product(const Operands* in, float* out) {
  __shared__ Operands slot;
  __shared__ std::uint64_t full, empty;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, products::threads);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= products::threads) {  // the producer's warp
    if (threadIdx.x != products::threads) return;
    for (int step = 0; step < steps; ++step) {
      ptx::mbarrier_wait(&empty, ~step & 1);
      ptx::mbarrier_arrive_expect(&full, sizeof slot);
      ptx::bulk_load(&slot, in + step, sizeof slot, &full);
    }
    return;
  }
  float d[4] = {};
  for (int step = 0; step < steps; ++step) {
    ptx::mbarrier_wait(&full, step & 1);
    products::fence(d);
    products::multiply(d, slot);
    products::commit();
    if (fixed) products::wait<0>(d);
    ptx::mbarrier_arrive(&empty);
  }
  products::wait<0>(d);
  products::store(out, d);
}

template <bool fixed>
bool run() {
  const hazard::Array<Operands> in(products::stages(steps));
  const hazard::Array<float> out(products::sums);
  product<fixed><<<1, products::threads + 32>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, steps - 1); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
