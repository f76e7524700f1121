// hazard: stream-race
// The host function comes first in the order of the calls, the kernel of another stream reads what
// it writes: the order of calls orders nothing.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

void clear(void* data) {
  int* const values = static_cast<int*>(data);
  for (int i = 0; i < host::count; ++i) values[i] = 0;
}

template <bool fixed>
bool run() {
  const host::Stream computing, calling;
  const reachable::Managed memory;
  hazard::Array<int> out(host::count);
  host::check(cudaLaunchHostFunc(calling, clear, memory.values));
  if constexpr (fixed) host::order(calling, computing);
  host::add_one<<<host::grid, host::block, 0, computing>>>(out.get(), memory.device());
  hazard::finish();
  return out.holds([](int) { return 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
