// hazard: stream-race
// A kernel computes the table, a copy in its stream brings it into constant memory, and a kernel
// of another stream reads it at once.
#include "tests/hazards/host/streams.cuh"

namespace {

__constant__ int table[host::block];

__global__ void look_up(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = table[threadIdx.x];
}

template <bool fixed>
bool run() {
  const host::Stream computing, reading;
  hazard::Array<int> values(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, computing>>>(values.get());
  host::check(cudaMemcpyToSymbolAsync(table, values.get(), sizeof table, 0,
                                      cudaMemcpyDeviceToDevice, computing));
  if constexpr (fixed) host::order(computing, reading);
  look_up<<<host::grid, host::block, 0, reading>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i % host::block; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
