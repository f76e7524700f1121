#include "sim/runtime/stream/connections.hpp"

#include <algorithm>
#include <charconv>

#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/state/settings.hpp"
#include "sim/runtime/stream/job.hpp"

namespace aisp::sim {
namespace {

constexpr const char* variable = "CUDA_DEVICE_MAX_CONNECTIONS";
constexpr int most = 32;

// 0: as many as there are streams.
int connections_of_each_device() {
  const std::string text = environment(variable);
  if (text.empty()) return 0;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most)
    refuse_setting(std::string(variable) + " is the number of a device's queues, 1 to " +
                   std::to_string(most) + ": got '" + text + "'");
  return Runtime::get().settings.order == Order::earliest ? count : 0;
}

bool takes_turns(const QueuedJob& job) {
  return job.connection >= 0 && job.use.engine == Engine::compute;
}

}  // namespace

int Connections::of_stream(int device, unsigned long long stream) {
  static const int count = connections_of_each_device();
  return count == 0 ? -1 : device * most + static_cast<int>(stream % static_cast<unsigned>(count));
}

void Connections::submitted(const QueuedJob& job) {
  if (takes_turns(job)) queues_[job.connection].waiting.push_back(job.sequence);
}

bool Connections::at_head(const QueuedJob& job) const {
  return !takes_turns(job) || queues_.at(job.connection).waiting.front() == job.sequence;
}

double Connections::free_at(const QueuedJob& job) const {
  return takes_turns(job) ? queues_.at(job.connection).last : 0;
}

void Connections::began(const QueuedJob& job, double nanoseconds) {
  if (!takes_turns(job)) return;
  Queue& queue = queues_.at(job.connection);
  queue.waiting.erase(std::find(queue.waiting.begin(), queue.waiting.end(), job.sequence));
  queue.last = std::max(queue.last, nanoseconds);
}

}  // namespace aisp::sim
