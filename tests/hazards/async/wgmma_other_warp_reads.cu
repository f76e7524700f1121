// hazard: shared-race
// wgmma.wait_group of one warp ends the product for its warpgroup, but it is no barrier: another
// warp that reads the operands between its issue and its own wait may come too late.
#include "tests/hazards/async/products.cuh"

namespace {

using products::Operands;

template <bool fixed>
__global__ void product(const Operands* in, float* out, int* seen) {
  __shared__ Operands slot;
  const int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < products::elements; i += products::threads)
    (i < 64 * 16 ? slot.a[i] : slot.b[i - 64 * 16]) = i < 64 * 16 ? in->a[i] : in->b[i - 64 * 16];
  ptx::fence_async_shared();
  __syncthreads();
  float d[4] = {};
  products::fence(d);
  products::multiply(d, slot);
  products::commit();
  if (warp == 3) seen[threadIdx.x % 32] = slot.a[threadIdx.x % 32];
  products::wait<0>(d);
  if (fixed) __syncthreads();
  if (warp == 0) slot.a[threadIdx.x] = 0;
  products::store(out, d);
}

template <bool fixed>
bool run() {
  const hazard::Array<Operands> in(products::stages(1));
  const hazard::Array<float> out(products::sums);
  const hazard::Array<int> seen(32);
  product<fixed><<<1, products::threads>>>(in.get(), out.get(), seen.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, 0); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
