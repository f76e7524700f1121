// hazard: none
// Two warpgroups take turns at one buffer by two named barriers: each syncs at its own and arrives
// at the other's. The second opens the first's turn before it does anything.
#include "tests/hazards/async/products.cuh"

namespace {

constexpr int turns = 3, both = 2 * products::threads;

__global__ void ping_pong(float* out) {
  __shared__ products::Operands tile;
  const int group = threadIdx.x / products::threads, own = 1 + group, other = 2 - group;
  float d[4] = {};
  if (group == 1) ptx::bar_arrive(other, both);
  for (int turn = 0; turn < turns; ++turn) {
    ptx::bar_sync(own, both);
    products::fill(tile, 2 * turn + group);
    ptx::fence_async_shared();
    ptx::bar_sync(3 + group, products::threads);
    products::fence(d);
    products::multiply(d, tile);
    products::commit();
    products::wait<0>(d);
    if (group == 0 || turn + 1 < turns) ptx::bar_arrive(other, both);
  }
  products::store(out + group * products::sums, d);
}

bool run() {
  const hazard::Array<float> out(2 * products::sums);
  ping_pong<<<1, both>>>(out.get());
  hazard::finish();
  return out.holds([](int i) {
    int sum = 0;
    for (int turn = 0; turn < turns; ++turn) {
      const int step = 2 * turn + i / products::sums, at = i % products::sums;
      sum += products::want(at, step) - (step > 0 ? products::want(at, step - 1) : 0);
    }
    return sum;
  });
}

const hazard::Program program(__FILE__, run);

}  // namespace
