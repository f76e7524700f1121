// hazard: wgmma-operand, bulk-wait, shared-race
// A bulk load brings the next step's operands into the buffer that the product in flight may still
// read: shared operands belong to it until wgmma.wait_group.
#include "tests/hazards/async/products.cuh"

namespace {

using products::Operands;

template <bool fixed>
__global__ void product(const Operands* in, float* out) {
  __shared__ Operands tile;
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  float d[4] = {};
  for (int step = 0; step < 3; ++step) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect(&full, sizeof(Operands));
      ptx::bulk_load(&tile, in + step, sizeof(Operands), &full);
    }
    ptx::mbarrier_wait(&full, step & 1);
    products::fence(d);
    products::multiply(d, tile);
    products::commit();
    if (fixed) products::wait<0>(d);
    __syncthreads();
  }
  products::wait<0>(d);
  products::store(out, d);
}

template <bool fixed>
bool run() {
  const hazard::Array<Operands> in(products::stages(3));
  const hazard::Array<float> out(products::sums);
  product<fixed><<<1, products::threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, 2); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
