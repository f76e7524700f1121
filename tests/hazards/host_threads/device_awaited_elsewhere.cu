// hazard: stream-race
// One thread synchronises the whole device, another fills a buffer that a kernel still reads.
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> values(host::count), out(host::count);
  host::add_one<<<host::grid, host::block, 0, first>>>(out.get(), values.get());
  std::thread waiter([] { host::check(cudaDeviceSynchronize()); });
  if constexpr (fixed) waiter.join();
  host::check(cudaMemsetAsync(values.get(), 1, host::bytes, second));
  if constexpr (!fixed) waiter.join();
  hazard::finish();
  return out.holds([](int) { return 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
