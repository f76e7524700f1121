// hazard: stream-race
// There is a condition variable that says when the first stream is done, but the launching thread
// looks after its launch.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<int> between(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(between.get());

  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  const auto wait = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  };
  std::thread launcher([&] {
    if constexpr (fixed) wait();
    host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), between.get());
    if constexpr (!fixed) wait();
  });
  host::check(cudaStreamSynchronize(first));
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  changed.notify_one();
  launcher.join();
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
