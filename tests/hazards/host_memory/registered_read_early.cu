// hazard: host-race
// The program's own memory, registered for the device: a kernel writes it, and the host reads it
// at once.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  constexpr std::size_t aligned = 1 << 16, size = 1 << 17;
  int* const values = static_cast<int*>(std::aligned_alloc(aligned, size));
  host::check(cudaHostRegister(values, size, cudaHostRegisterMapped));
  constexpr int all = size / sizeof(int);
  host::number<<<all / host::block, host::block, 0, stream>>>(values);
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const int seen = values[all - 1];
  hazard::finish();
  host::check(cudaHostUnregister(values));
  std::free(values);
  return seen == all - 1;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
