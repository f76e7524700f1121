// hazard: stream-race
// A table in constant memory is overwritten by another stream while a kernel reads it.
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

  look_up<<<host::grid, host::block, 0, reading>>>(out.get());
  if constexpr (fixed) host::order(reading, writing);
  host::check(cudaMemcpyToSymbolAsync(table, fresh.values, sizeof table, 0, cudaMemcpyHostToDevice,
                                      writing));
  hazard::finish();
  return out.holds([](int) { return 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
