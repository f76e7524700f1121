// hazard: dependency-wait
// A programmatic launch may start while the kernel ahead of it is running: what that one writes is
// there only after griddepcontrol.wait.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
// example begin: dependency-wait
__global__ void add_one_early(int* out, const int* in) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if constexpr (fixed) asm volatile("griddepcontrol.wait;" ::: "memory");
  out[i] = in[i] + 1;
}
// example end

__global__ void number_and_let_go(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  out[i] = i;
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> between(host::count), out(host::count);
  number_and_let_go<<<host::grid, host::block, 0, stream>>>(between.get());
  cudaLaunchAttribute programmatic{};
  programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmatic.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(host::grid);
  config.blockDim = dim3(host::block);
  config.stream = stream;
  config.attrs = &programmatic;
  config.numAttrs = 1;
  const int* in = between.get();
  host::check(cudaLaunchKernelEx(&config, add_one_early<fixed>, out.get(), in));
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
