// hazard: host-race
// One thread waits for the copy, another reads what it brings without knowing that.
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Pinned result;
  const hazard::Array<int> values(std::vector<int>(host::count, 4));
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, stream));
  std::thread waiter([&] { host::check(cudaStreamSynchronize(stream)); });
  if constexpr (fixed) waiter.join();
  const long seen = reachable::sum(result.values);
  if constexpr (!fixed) waiter.join();
  hazard::finish();
  return seen == 4 * host::count;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
