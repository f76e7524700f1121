// hazard: bulk-wait, mbarrier-arrivals
// follows: mbarrier-phase, early-exit, deadlock, wgmma-operand
// roots: 1
// A ring of TMA loads for wgmma without the wait on the `full` mbarrier. The consumer reads early,
// hands slots back that have not been filled, the producer fills them while loads are in flight,
// and the phases of `empty` run ahead: all of that follows from the one wait.
#include "tests/hazards/async/products.cuh"

namespace {

using products::Operands;
constexpr int steps = 6, stages = 2;

template <bool fixed>
__global__ void product(const Operands* in, float* out) {
  __shared__ Operands slot[stages];
  __shared__ std::uint64_t full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) ptx::mbarrier_init(&full[i], 1);
    for (int i = 0; i < stages; ++i) ptx::mbarrier_init(&empty[i], products::threads);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= products::threads) {  // the producer's warp
    if (threadIdx.x != products::threads) return;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      const int at = step % stages, turn = step / stages;
      ptx::mbarrier_wait(&empty[at], ~turn & 1);
      ptx::mbarrier_arrive_expect(&full[at], sizeof(Operands));
      ptx::bulk_load(&slot[at], in + step, sizeof(Operands), &full[at]);
    }
    return;
  }
  float d[4] = {};
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const int at = step % stages, turn = step / stages;
    if (fixed) ptx::mbarrier_wait(&full[at], turn & 1);
    products::fence(d);
    products::multiply(d, slot[at]);
    products::commit();
    products::wait<0>(d);
    ptx::mbarrier_arrive(&empty[at]);
  }
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
