// hazard: none
// Many streams read constant memory and a copy reads it too: nobody writes.
#include "tests/hazards/host/streams.cuh"

namespace {

__constant__ int table[host::block];

__global__ void look_up(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = table[threadIdx.x];
}

bool run() {
  const host::Stream first, second, third;
  const host::Pinned seen;
  hazard::Array<int> one(host::count), two(host::count);
  look_up<<<host::grid, host::block, 0, first>>>(one.get());
  look_up<<<host::grid, host::block, 0, second>>>(two.get());
  host::check(cudaMemcpyFromSymbolAsync(seen.values, table, sizeof table, 0, cudaMemcpyDeviceToHost,
                                        third));
  hazard::finish();
  return one.holds([](int) { return 0; }) && seen.values[0] == 0;
}

const hazard::Program program(__FILE__, run);

}  // namespace
