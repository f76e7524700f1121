// hazard: proxy-fence
// Operands written by ordinary stores, a barrier, a product. wgmma reads shared memory through the
// async proxy: without fence.proxy.async by the writers it may see what was there before.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
__global__ void product(float* out) {
  __shared__ products::Operands tile;
  products::fill(tile, 0);
  if (fixed) ptx::fence_async_shared();
  __syncthreads();
  float d[4] = {};
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
  return out.holds([](int i) { return products::want(i, 0); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
