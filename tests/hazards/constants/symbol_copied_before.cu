// hazard: stream-race
// The table is uploaded in one stream, and the kernel that needs it runs in another that does not
// wait.
#include "tests/hazards/host/streams.cuh"

namespace {

__constant__ int table[host::block];

__global__ void look_up(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = table[threadIdx.x];
}

template <bool fixed>
bool run() {
  const host::Stream reading, writing;
  const host::Pinned fresh;
  hazard::Array<int> out(host::count);

  host::check(cudaMemcpyToSymbolAsync(table, fresh.values, sizeof table, 0, cudaMemcpyHostToDevice,
                                      writing));
  if constexpr (fixed) host::order(writing, reading);
  look_up<<<host::grid, host::block, 0, reading>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i % host::block; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
