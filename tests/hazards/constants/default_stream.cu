// hazard: stream-race
// cudaMemcpyToSymbol works in the default stream, which a non-blocking stream does not know.
#include "tests/hazards/host/streams.cuh"

namespace {

__constant__ int table[host::block];

__global__ void look_up(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = table[threadIdx.x];
}

template <bool fixed>
bool run() {
  const host::Stream reading(fixed ? cudaStreamDefault : cudaStreamNonBlocking);
  const std::vector<int> fresh(host::block, 5);
  hazard::Array<int> out(host::count);
  look_up<<<host::grid, host::block, 0, reading>>>(out.get());
  host::check(cudaMemcpyToSymbol(table, fresh.data(), sizeof table));
  hazard::finish();
  return out.holds([](int) { return 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
