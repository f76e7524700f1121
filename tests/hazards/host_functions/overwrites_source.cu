// hazard: stream-race
// A host function fills a staging buffer again while a copy of another stream may still read it.
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
  host::check(
      cudaMemcpyAsync(values.get(), source.values, host::bytes, cudaMemcpyHostToDevice, copying));
  if constexpr (fixed) host::order(copying, calling);
  host::check(cudaLaunchHostFunc(calling, clear, source.values));
  hazard::finish();
  return values.holds([](int i) { return i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
