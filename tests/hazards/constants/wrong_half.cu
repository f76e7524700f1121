// hazard: stream-race
// Half of the table is in use, the other one is filled for the next kernel. In the bug the offset
// is that of the half in use.
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

  constexpr std::size_t half = sizeof table / 2;
  look_up<<<host::grid, host::block / 2, 0, reading>>>(out.get());
  host::check(cudaMemcpyToSymbolAsync(table, fresh.values, half, fixed ? half : 0,
                                      cudaMemcpyHostToDevice, writing));
  hazard::finish();
  return out.holds([](int) { return 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
