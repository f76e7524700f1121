#include "sim/runtime/launch/unread_launches.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "base/kernel_name.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/watch/process_watch.hpp"

namespace aisp::sim {
namespace {

struct Unread {
  FailedLaunch launch;
  std::thread::id thread;
  std::uint64_t times = 1;
};

struct UnreadLaunches {
  std::mutex mutex;
  pid_t process = getpid();  // a forked child does not answer for its parent
  std::vector<Unread> all;
};

// Never destroyed: threads may launch while the process ends.
UnreadLaunches& unread() {
  static auto* const launches = new UnreadLaunches;
  return *launches;
}

std::string message_of(const Unread& one) {
  return base::say("the launch ", one.launch.shape, " failed with ", one.launch.error,
                   one.times == 1 ? "" : base::say(" (", one.times, " times)"),
                   " and the program never read the error: ", one.launch.reason);
}

void add_finding(watch::ProcessWatch& process, const Unread& one, std::uint64_t number) {
  watch::Finding finding;
  finding.rule = watch::HazardRule::launch_error;
  finding.kernel = one.launch.kernel;
  finding.message = message_of(one);
  finding.why = "<<<...>>> returns nothing; the kernel did not run and the program went on";
  finding.fix = "read cudaGetLastError() after the launch, and stay within the limit";
  watch::FindingPlace place;
  place.on_device = false;
  place.what = base::say("launch ", one.launch.shape);
  finding.places = {std::move(place)};
  process.findings.add(std::move(finding), number, 0, one.times);
}

void say_unread() {
  UnreadLaunches& launches = unread();
  const std::lock_guard lock(launches.mutex);
  if (launches.process != getpid()) return;
  Runtime& runtime = Runtime::get();
  std::uint64_t number = 0;
  for (const Unread& one : launches.all)
    if (runtime.settings.hazards != nullptr)
      add_finding(*runtime.settings.hazards, one, number++);
    else
      runtime.note(base::shown_kernel_name(one.launch.kernel) + ": " + message_of(one));
  if (runtime.settings.hazards != nullptr) runtime.settings.hazards->findings.write();
}

}  // namespace

void launch_failed(FailedLaunch launch) {
  static const int registered = std::atexit(say_unread);
  static_cast<void>(registered);
  UnreadLaunches& launches = unread();
  const std::lock_guard lock(launches.mutex);
  if (launches.process != getpid()) {
    launches.process = getpid();
    launches.all.clear();
  }
  const auto thread = std::this_thread::get_id();
  for (Unread& known : launches.all) {
    if (known.thread != thread || known.launch.kernel != launch.kernel ||
        known.launch.reason != launch.reason || known.launch.shape != launch.shape)
      continue;
    ++known.times;
    return;
  }
  launches.all.push_back({std::move(launch), thread});
}

void launch_errors_read() {
  UnreadLaunches& launches = unread();
  const std::lock_guard lock(launches.mutex);
  std::erase_if(launches.all,
                [&](const Unread& one) { return one.thread == std::this_thread::get_id(); });
}

}  // namespace aisp::sim
