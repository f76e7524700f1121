// hazard: stream-race
// A pitched copy of another stream writes the rows that the host function reads.
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
  constexpr std::size_t rows = 16, width = host::bytes / rows;
  host::check(cudaMemcpy2DAsync(result.values, width, values.get(), width, width, rows,
                                cudaMemcpyDeviceToHost, copying));
  if constexpr (fixed) host::order(copying, calling);
  host::check(cudaLaunchHostFunc(calling, look, &found));
  hazard::finish();
  return found.seen == 2 * host::count;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
