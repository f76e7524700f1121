// hazard: none
// Host functions of a stream work on its own buffer, copies of another stream on another.
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

bool run() {
  const host::Stream copying, calling;
  const host::Pinned result, own;
  Look found{own.values, 0};
  const hazard::Array<int> values(std::vector<int>(host::count, 2));
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, copying));
  host::check(
      cudaMemcpyAsync(own.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, calling));
  host::check(cudaLaunchHostFunc(calling, look, &found));
  host::check(cudaMemsetAsync(own.values, 0, host::bytes, calling));
  hazard::finish();
  return found.seen == 2 * host::count && own.values[5] == 0;
}

const hazard::Program program(__FILE__, run);

}  // namespace
