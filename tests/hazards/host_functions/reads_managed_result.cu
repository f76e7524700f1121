// hazard: stream-race
// A kernel writes managed memory in one stream, a host function of another adds it up.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

struct Look {
  const int* values;
  long seen;
};

void look(void* data) {
  auto* const one = static_cast<Look*>(data);
  one->seen = reachable::sum(one->values);
}

template <bool fixed>
bool run() {
  const host::Stream computing, calling;
  const reachable::Managed memory;
  Look found{memory.values, 0};
  reachable::twice<<<host::grid, host::block, 0, computing>>>(memory.device());
  if constexpr (fixed) host::order(computing, calling);
  host::check(cudaLaunchHostFunc(calling, look, &found));
  hazard::finish();
  return found.seen == 2 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
