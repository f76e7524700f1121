// hazard: none
// Three stages filled by bulk loads, products one step behind their issue: when wait_group 1 says
// that the older product has ended, lane 0 of each warp releases its slot, with no __syncwarp.
#include "tests/hazards/async/products.cuh"

namespace {

using products::Operands;
constexpr int stages = 3, steps = 10;

__global__ void product(const Operands* in, float* out) {
  __shared__ Operands slot[stages];
  __shared__ std::uint64_t full[stages], empty[stages];
  const int warp = threadIdx.x / 32;
  if (warp == 0 && ptx::elect_one()) {
    for (int i = 0; i < stages; ++i) {
      ptx::mbarrier_init(&full[i], 1);
      ptx::mbarrier_init(&empty[i], products::threads / 32);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (warp == products::threads / 32) {
    if (!ptx::elect_one()) return;
    for (int step = 0; step < steps; ++step) {
      const int at = step % stages;
      ptx::mbarrier_wait(&empty[at], ~(step / stages) & 1);
      ptx::mbarrier_arrive_expect(&full[at], sizeof(Operands));
      ptx::bulk_load(&slot[at], in + step, sizeof(Operands), &full[at]);
    }
    return;
  }
  float d[4] = {};
  products::keep_in_place(d);
  for (int step = 0; step < steps; ++step) {
    ptx::mbarrier_wait(&full[step % stages], step / stages & 1);
    products::fence(d);
    products::multiply(d, slot[step % stages]);
    products::commit();
    products::wait<1>(d);
    if (step > 0 && threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&empty[(step - 1) % stages]);
  }
  products::wait<0>(d);
  products::store(out, d);
}

bool run() {
  const hazard::Array<Operands> in(products::stages(steps));
  const hazard::Array<float> out(products::sums);
  product<<<1, products::threads + 32>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, steps - 1); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
