// hazard: dependency-wait
// The other way round: the programmatic launch overwrites, before it waits, what the kernel ahead
// of it still reads.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void add_one_and_let_go(int* out, const int* in) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  out[i] = in[i] + 1;
}

template <bool fixed>
__global__ void overwrite(int* values) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if constexpr (fixed) asm volatile("griddepcontrol.wait;" ::: "memory");
  values[i] = -i;
  if constexpr (!fixed) asm volatile("griddepcontrol.wait;" ::: "memory");
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> between(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, stream>>>(between.get());
  add_one_and_let_go<<<host::grid, host::block, 0, stream>>>(out.get(), between.get());
  cudaLaunchAttribute programmatic{};
  programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  programmatic.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(host::grid);
  config.blockDim = dim3(host::block);
  config.stream = stream;
  config.attrs = &programmatic;
  config.numAttrs = 1;
  host::check(cudaLaunchKernelEx(&config, overwrite<fixed>, between.get()));
  hazard::finish();
  return out.holds([](int i) { return i + 1; }) && between.holds([](int i) { return -i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
