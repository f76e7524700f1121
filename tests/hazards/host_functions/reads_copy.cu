// hazard: stream-race
// A host function in one stream reads the buffer that a copy of another stream writes.
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
  const host::Stream copying, calling;
  const host::Pinned result;
  Look found{result.values, 0};
  const hazard::Array<int> values(std::vector<int>(host::count, 2));
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, copying));
  if constexpr (fixed) host::order(copying, calling);
  host::check(cudaLaunchHostFunc(calling, look, &found));
  hazard::finish();
  return found.seen == 2 * host::count;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
