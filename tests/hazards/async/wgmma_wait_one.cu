// hazard: wgmma-registers
// Two products in two groups, and wgmma.wait_group 1: the newer one may still be under way when its
// sums are read. wait_group N leaves the N newest groups alone.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
__global__ void product(float* out) {
  __shared__ products::Operands tile[2];
  products::fill(tile[0], 0);
  products::fill(tile[1], 1);
  ptx::fence_async_shared();
  __syncthreads();
  float first[4] = {}, second[4] = {};
  products::keep_in_place(first);
  products::fence(second);
  products::multiply(first, tile[0]);
  products::commit();
  products::multiply(second, tile[1]);
  products::commit();
  products::wait<fixed ? 0 : 1>(first);
  products::keep_in_place(second);
  for (int i = 0; i < 4; ++i) first[i] += second[i];
  products::store(out, first);
  products::wait<0>(first);
}

template <bool fixed>
bool run() {
  const hazard::Array<float> out(products::sums);
  product<fixed><<<1, products::threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, 1); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
