// hazard: stream-race
// The event is waited for by another thread than the one that copies the result away.
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  const host::Event event;
  const host::Pinned result;
  hazard::Array<int> values(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(values.get());
  host::check(cudaEventRecord(event, first));
  std::thread waiter([&] { host::check(cudaEventSynchronize(event)); });
  if constexpr (fixed) waiter.join();
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, second));
  if constexpr (!fixed) waiter.join();
  hazard::finish();
  return result.values[host::count - 1] == host::count - 1;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
