// hazard: wgmma-operand, shared-race
// The next step's operands are stored over those that the product in flight may still read: shared
// operands belong to it until wgmma.wait_group. The barrier alone does not wait for products.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
// example begin: wgmma-operand
__global__ void product(float* out) {
  __shared__ products::Operands tile;
  float d[4] = {};
  for (int step = 0; step < 3; ++step) {
    products::fill(tile, step);
    ptx::fence_async_shared();
    __syncthreads();
    products::fence(d);
    products::multiply(d, tile);
    products::commit();
    if (fixed) products::wait<0>(d);
    __syncthreads();
  }
  products::wait<0>(d);
  products::store(out, d);
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<float> out(products::sums);
  product<fixed><<<1, products::threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, 2); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
