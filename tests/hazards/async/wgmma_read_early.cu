// hazard: wgmma-registers
// The sums are stored before wgmma.wait_group: until then the product may still write them, and
// any access to its registers is undefined.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
// example begin: wgmma-registers
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
  products::store(out, d);
  if (!fixed) products::wait<0>(d);
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<float> out(products::sums);
  product<fixed><<<1, products::threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, 0); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
