// hazard: stream-race
// The launching thread sleeps and hopes that the other has waited by then.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> between(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(between.get());

  std::atomic<bool> done{false};
  std::thread launcher([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    while (fixed && !done.load(std::memory_order_acquire)) std::this_thread::yield();
    host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), between.get());
  });
  host::check(cudaStreamSynchronize(first));
  done.store(true, std::memory_order_release);
  launcher.join();
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
