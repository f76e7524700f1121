#include "sim/runtime/launch/counting.hpp"

#include <memory>
#include <mutex>

#include "base/refuse.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/state/sync_file.hpp"

namespace aisp::sim {
namespace {

struct Counting {
  std::uint64_t launches = 0, instructions = 0;
  Counters counters;
  watch::Traffic traffic;
};

std::mutex counting_mutex;
std::unique_ptr<Counting>& current() {
  static auto* const one = new std::unique_ptr<Counting>;
  return *one;
}

}  // namespace

bool start_counting() {
  if (Runtime::get().settings.hazards != nullptr || sync_file() != nullptr) return false;
  const std::lock_guard lock(counting_mutex);
  current() = std::make_unique<Counting>();
  return true;
}

void stop_counting() {
  const std::lock_guard lock(counting_mutex);
  current().reset();
}

std::string read_counts() {
  const std::lock_guard lock(counting_mutex);
  if (!current()) return "{}";
  const Counting& now = *current();
  return base::say("{\"launches\":", now.launches, ",\"instructions\":", now.instructions,
                   ",\"L2 bytes\":", now.traffic.requested_bytes(),
                   ",\"distinct bytes\":", now.traffic.distinct_bytes(),
                   ",\"wavefronts\":", now.traffic.wavefronts(),
                   ",\"bank conflicts\":", now.traffic.bank_conflicts(),
                   ",\"tensor operations\":", now.counters.tensor_operations,
                   ",\"waits\":", now.counters.barrier_waits, "}");
}

watch::Traffic* traffic_of_kernels() {
  const std::lock_guard lock(counting_mutex);
  return current() ? &current()->traffic : nullptr;
}

void counted(const LaunchResult& result) {
  const std::lock_guard lock(counting_mutex);
  if (!current()) return;
  ++current()->launches;
  current()->instructions += result.warp_instructions;
  current()->counters += result.counters;
}

}  // namespace aisp::sim
