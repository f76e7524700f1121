// hazard: stream-race
// One thread waits for a stream, another launches into a second stream. That the first has waited
// tells the second nothing: it may be earlier.
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> between(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(between.get());

  std::thread waiter([&] { host::check(cudaStreamSynchronize(first)); });
  if constexpr (fixed) waiter.join();
  host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), between.get());
  if constexpr (!fixed) waiter.join();
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
