// hazard: wgmma-registers
// The sums are doubled between two products without waiting for the first one, which may still add
// to them: accumulator registers may not be touched before wgmma.wait_group.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
__global__ void product(float* out) {
  __shared__ products::Operands tile;
  products::fill(tile, 0);
  ptx::fence_async_shared();
  __syncthreads();
  float d[4] = {};
  products::fence(d);
  products::multiply(d, tile);
  products::commit();
  if (fixed) products::wait<0>(d);
  for (float& sum : d) sum *= 2;
  products::fence(d);
  products::multiply(d, tile);
  products::commit();
  products::wait<0>(d);
  products::store(out, d);
}

template <bool fixed>
bool run() {
  const hazard::Array<float> out(products::sums);
  product<fixed><<<1, products::threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 3 * products::want(i, 0); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
