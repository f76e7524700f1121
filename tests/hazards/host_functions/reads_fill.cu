// hazard: stream-race
// A fill clears pinned memory in one stream, the host function of another looks at it.
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
  const host::Stream clearing, calling;
  const host::Pinned memory;
  Look found{memory.values, 0};
  host::check(cudaMemsetAsync(memory.values, 0, host::bytes, clearing));
  if constexpr (fixed) host::order(clearing, calling);
  host::check(cudaLaunchHostFunc(calling, look, &found));
  hazard::finish();
  return found.seen == 0;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
