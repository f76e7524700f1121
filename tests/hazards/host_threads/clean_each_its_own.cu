// hazard: none
// Threads with a stream and buffers of their own: each waits for its own work.
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

bool run() {
  bool right[4] = {};
  std::vector<std::thread> threads;
  for (bool& good : right)
    threads.emplace_back([&good] {
      const host::Stream stream;
      const reachable::Managed memory;
      for (int i = 0; i < 5; ++i) {
        reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
        host::check(cudaStreamSynchronize(stream));
        memory.values[0] += 1;
      }
      good = memory.values[1] == 32;
    });
  for (std::thread& thread : threads) thread.join();
  hazard::finish();
  return right[0] && right[1] && right[2] && right[3];
}

const hazard::Program program(__FILE__, run);

}  // namespace
