// hazard: stream-race
// A host function clears the mapped input that a kernel of another stream reads.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

void clear(void* data) {
  int* const values = static_cast<int*>(data);
  for (int i = 0; i < host::count; ++i) values[i] = 0;
}

template <bool fixed>
bool run() {
  const host::Stream computing, calling;
  const reachable::Mapped memory;
  hazard::Array<int> out(host::count);
  host::add_one<<<host::grid, host::block, 0, computing>>>(out.get(), memory.device());
  if constexpr (fixed) host::order(computing, calling);
  host::check(cudaLaunchHostFunc(calling, clear, memory.values));
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
