// hazard: none
// A host function tells the host, by a condition variable, that the stream has come so far: the
// host may read what the copy before it brought.
#include <condition_variable>
#include <mutex>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

struct Done {
  std::mutex mutex;
  std::condition_variable changed;
  bool yes = false;
};

void tell(void* data) {
  auto* const done = static_cast<Done*>(data);
  const std::lock_guard lock(done->mutex);
  done->yes = true;
  done->changed.notify_one();
}

bool run() {
  const host::Stream stream;
  const host::Pinned result;
  Done done;
  const hazard::Array<int> values(std::vector<int>(host::count, 2));
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, stream));
  host::check(cudaLaunchHostFunc(stream, tell, &done));
  {
    std::unique_lock lock(done.mutex);
    done.changed.wait(lock, [&] { return done.yes; });
  }
  const bool right = reachable::sum(result.values) == 2 * host::count;
  hazard::finish();
  return right;
}

const hazard::Program program(__FILE__, run);

}  // namespace
