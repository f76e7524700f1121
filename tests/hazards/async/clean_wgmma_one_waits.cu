// hazard: none
// Only one warp of the warpgroup has waited when a second warpgroup overwrites the operands: the
// product of all four has ended then, wherever the other three are.
#include "tests/hazards/async/products.cuh"

namespace {

using products::Operands;

__global__ void product(const Operands* in, float* out) {
  __shared__ Operands slot;
  __shared__ std::uint64_t ended;
  for (int i = threadIdx.x; i < products::elements; i += 2 * products::threads)
    (i < 64 * 16 ? slot.a[i] : slot.b[i - 64 * 16]) = i < 64 * 16 ? in->a[i] : in->b[i - 64 * 16];
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&ended, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x >= products::threads) {
    ptx::mbarrier_wait(&ended, 0);
    products::fill(slot, 7);
    return;
  }
  float d[4] = {};
  products::fence(d);
  products::multiply(d, slot);
  products::commit();
  products::wait<0>(d);
  if (threadIdx.x == 2 * 32) ptx::mbarrier_arrive(&ended);
  products::store(out, d);
}

bool run() {
  const hazard::Array<Operands> in(products::stages(1));
  const hazard::Array<float> out(products::sums);
  product<<<1, 2 * products::threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, 0); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
