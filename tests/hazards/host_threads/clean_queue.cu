// hazard: none
// A thread hands buffers that are done to another through a queue with a mutex, again and again.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

bool run() {
  const host::Stream producing, consuming;
  hazard::Array<int> values(host::count), out(host::count);
  std::mutex mutex;
  std::condition_variable changed;
  int made = 0, used = 0;
  constexpr int rounds = 6;
  std::thread consumer([&] {
    for (int i = 1; i <= rounds; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return made == i; });
      host::add_one<<<host::grid, host::block, 0, consuming>>>(out.get(), values.get());
      host::check(cudaStreamSynchronize(consuming));
      used = i;
      changed.notify_all();
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    host::number<<<host::grid, host::block, 0, producing>>>(values.get());
    host::check(cudaStreamSynchronize(producing));
    std::unique_lock lock(mutex);
    made = i;
    changed.notify_all();
    changed.wait(lock, [&] { return used == i; });
  }
  consumer.join();
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
