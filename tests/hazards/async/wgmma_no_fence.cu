// hazard: wgmma-fence
// Sums are loaded into the accumulators and the first product follows at once. wgmma.fence must
// order writes of registers before the first wgmma.mma_async that uses them.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
// example begin: wgmma-fence
__global__ void product(const float* in, float* out) {
  __shared__ products::Operands tile;
  products::fill(tile, 0);
  ptx::fence_async_shared();
  __syncthreads();
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = in[products::index_of(i)];
  products::keep_in_place(d);
  if (fixed) products::fence(d);
  products::multiply(d, tile);
  products::commit();
  products::wait<0>(d);
  products::store(out, d);
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<float> in(std::vector<float>(products::sums, 5)), out(products::sums);
  product<fixed><<<1, products::threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return 5 + products::want(i, 0); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
