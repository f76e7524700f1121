// hazard: stream-race
// The address of the table is asked for, and a plain copy of another stream overwrites it.
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

  void* address = nullptr;
  host::check(cudaGetSymbolAddress(&address, table));
  look_up<<<host::grid, host::block, 0, reading>>>(out.get());
  if constexpr (fixed) host::check(cudaStreamSynchronize(reading));
  host::check(
      cudaMemcpyAsync(address, fresh.values, sizeof table, cudaMemcpyHostToDevice, writing));
  hazard::finish();
  return out.holds([](int) { return 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
