// hazard: stream-race
// The same with cudaStreamAddCallback: it is ordered behind its own stream only.
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

void CUDART_CB called(cudaStream_t, cudaError_t, void* data) { look(data); }

template <bool fixed>
bool run() {
  const host::Stream copying, calling;
  const host::Pinned result;
  long seen = 0;
  Look found{result.values, 0};
  const hazard::Array<int> values(std::vector<int>(host::count, 2));
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, copying));
  if constexpr (fixed) host::order(copying, calling);
  host::check(cudaStreamAddCallback(calling, called, &found, 0));
  hazard::finish();
  seen = found.seen;
  return seen == 2 * host::count;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
