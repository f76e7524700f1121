// hazard: stream-race
// The host function prepares what a copy uploads, but in another stream: nothing makes the copy
// wait.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

void clear(void* data) {
  int* const values = static_cast<int*>(data);
  for (int i = 0; i < host::count; ++i) values[i] = 0;
}

template <bool fixed>
bool run() {
  const host::Stream copying, calling;
  const host::Pinned source;
  hazard::Array<int> values(host::count);
  host::check(cudaLaunchHostFunc(calling, clear, source.values));
  if constexpr (fixed) host::order(calling, copying);
  host::check(
      cudaMemcpyAsync(values.get(), source.values, host::bytes, cudaMemcpyHostToDevice, copying));
  hazard::finish();
  return values.holds([](int) { return 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
