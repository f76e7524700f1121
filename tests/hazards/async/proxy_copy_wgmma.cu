// hazard: copy-proxy-fence
// Operands copied by cp.async, waited for, a barrier, a product. cp.async writes through the
// generic proxy, wgmma reads through the async proxy: fence.proxy.async belongs between them.
#include "tests/hazards/async/products.cuh"

namespace {

template <bool fixed>
// example begin: copy-proxy-fence
__global__ void product(const products::Operands* in, float* out) {
  __shared__ products::Operands tile;
  constexpr int pieces = sizeof(products::Operands) / 16;
  for (int i = threadIdx.x; i < pieces; i += products::threads)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     ptx::shared_address(reinterpret_cast<char*>(&tile) + 16 * i)),
                 "l"(reinterpret_cast<const char*>(in) + 16 * i)
                 : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (fixed) ptx::fence_async_shared();
  __syncthreads();
  float d[4] = {};
  products::fence(d);
  products::multiply(d, tile);
  products::commit();
  products::wait<0>(d);
  products::store(out, d);
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<products::Operands> in(products::stages(1));
  const hazard::Array<float> out(products::sums);
  product<fixed><<<1, products::threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return products::want(i, 0); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
