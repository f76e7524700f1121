// hazard: stream-race
// The launching thread is started before the wait, and nothing makes it wait as well.
#include <future>
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> between(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(between.get());

  std::promise<void> waited;
  std::thread launcher([&] {
    if constexpr (fixed) waited.get_future().wait();
    host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), between.get());
  });
  host::check(cudaStreamSynchronize(first));
  waited.set_value();
  launcher.join();
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
