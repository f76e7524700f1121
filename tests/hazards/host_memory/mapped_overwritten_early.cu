// hazard: host-race
// A kernel reads its input from mapped memory, and the host already writes the next one.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const reachable::Mapped memory;
  hazard::Array<int> out(host::count);
  host::add_one<<<host::grid, host::block, 0, stream>>>(out.get(), memory.device());
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  for (int i = 0; i < host::count; ++i) memory.values[i] = -1;
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
