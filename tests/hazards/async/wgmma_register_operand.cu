// hazard: wgmma-registers
// The registers of A get the next step's values while the product still reads them: as the sums,
// they are the product's until wgmma.wait_group.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
__global__ void product(float* out) {
  __shared__ products::Operands tile;
  products::fill(tile, 0);
  ptx::fence_async_shared();
  __syncthreads();
  float d[4] = {};
  std::uint32_t a[4];
  for (auto& pair : a) pair = products::a_register(0);
  products::keep_in_place(a);
  products::fence(d);
  products::multiply(d, a, tile);
  products::commit();
  if (fixed) products::wait<0>(d);
  for (auto& pair : a)  // in place: the compiler would take fresh registers
    asm volatile("mov.b32 %0, %1;" : "+r"(pair) : "r"(products::a_register(1)) : "memory");
  products::fence(d);
  products::multiply(d, a, tile);
  products::commit();
  products::wait<0>(d);
  products::store(out, d);
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
