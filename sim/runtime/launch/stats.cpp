#include "sim/runtime/launch/stats.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "base/text.hpp"
#include "sim/machine/names.hpp"

namespace aisp::sim {
namespace {

struct KernelCount {
  std::uint64_t launches = 0, instructions = 0;
  double nanoseconds = 0;
  Counters counters;
};

std::mutex mutex;
std::map<std::string, KernelCount>& counts() {
  static auto* const all = new std::map<std::string, KernelCount>;
  return *all;
}

constexpr const char* class_names[] = {
    "integer", "logic",   "compare", "convert", "move",  "float32", "float64",
    "half",    "special", "tensor",  "load",    "store", "atomic",  "async copy",
    "shuffle", "barrier", "fence",   "branch",  "other",
};
static_assert(std::size(class_names) == static_cast<std::size_t>(OpClass::count));

std::string describe(const std::string& kernel, const KernelCount& count) {
  const Counters& counters = count.counters;
  std::ostringstream text;
  const auto bytes = [](std::uint64_t value) {
    return base::with_prefix(static_cast<double>(value), "B");
  };
  text << kernel << ": " << count.launches << (count.launches == 1 ? " launch, " : " launches, ")
       << count.instructions << " warp instructions, " << count.nanoseconds * 1e-3
       << " us (simulated)\n  instructions:";
  for (int i = 0; i < static_cast<int>(OpClass::count); ++i)
    if (counters.by_class[i] != 0) text << ' ' << class_names[i] << ' ' << counters.by_class[i];
  text << "\n  bytes read and written: global " << bytes(counters.global_read) << ' '
       << bytes(counters.global_written) << ", shared " << bytes(counters.shared_read) << ' '
       << bytes(counters.shared_written) << ", local " << bytes(counters.local_read) << ' '
       << bytes(counters.local_written) << "; by asynchronous copies "
       << bytes(counters.async_bytes) << "\n  bank conflicts " << counters.bank_conflicts
       << ", tensor operations " << counters.tensor_operations << ", barrier waits "
       << counters.barrier_waits << '\n';
  return text.str();
}

void print_all() {
  const std::lock_guard lock(mutex);
  for (const auto& [kernel, count] : counts())
    std::fputs(("aisp sim: " + describe(shown_name(kernel), count)).c_str(), stderr);
}

}  // namespace

void count_launch(const std::string& kernel, const LaunchResult& result) {
  static const int registered = std::atexit(print_all);
  static_cast<void>(registered);
  const std::lock_guard lock(mutex);
  KernelCount& count = counts()[kernel];
  ++count.launches;
  count.instructions += result.warp_instructions;
  count.nanoseconds += result.nanoseconds;
  count.counters += result.counters;
}

}  // namespace aisp::sim
