#include "sim/runtime/stream/other_threads.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace aisp::sim {
namespace {

using HoldClock = std::chrono::steady_clock;
using Span = HoldClock::duration;

constexpr int most_holds_of_call = 2, most_holds = 24;
constexpr Span longest_hold = std::chrono::milliseconds(60),
               longest_hold_asleep = std::chrono::milliseconds(400),
               all_holds_asleep = std::chrono::seconds(2),
               hold_step = std::chrono::microseconds(500);

std::atomic<long> simulator_thread{0};

enum class Doing { blocked, asleep, running };

Doing doing(const char* thread) {
  const std::string path = std::string("/proc/self/task/") + thread + "/syscall";
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return Doing::blocked;
  char text[32] = "";
  const bool read = std::fgets(text, sizeof text, file) != nullptr;
  std::fclose(file);
  if (!read) return Doing::blocked;
  if (text[0] == 'r') return Doing::running;
  const long call = std::strtol(text, nullptr, 10);
  if (call == SYS_clock_nanosleep || call == SYS_nanosleep) return Doing::asleep;
  return Doing::blocked;
}

// What the busiest of the other threads does.
Doing others() {
  Doing busiest = Doing::blocked;
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return busiest;
  const long self = syscall(SYS_gettid);
  while (const dirent* entry = readdir(folder)) {
    const long thread = std::strtol(entry->d_name, nullptr, 10);
    if (thread != 0 && thread != self && thread != simulator_thread.load())
      busiest = std::max(busiest, doing(entry->d_name));
  }
  closedir(folder);
  return busiest;
}

// The first return address outside of this library.
const void* calling_place() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&hold_for_other_threads), &own);
  void* frames[24];
  const int count = backtrace(frames, 24);
  for (int i = 0; i < count; ++i) {
    Dl_info where{};
    if (dladdr(frames[i], &where) != 0 && where.dli_fbase != own.dli_fbase) return frames[i];
  }
  return nullptr;
}

struct Holds {
  std::mutex mutex;
  std::map<const void*, int> of_call;
  int all = 0;
  Span asleep{};
};

Holds& holds() {
  static auto* const counted = new Holds;
  return *counted;
}

bool may_hold() {
  const void* const place = calling_place();
  const std::lock_guard lock(holds().mutex);
  if (holds().all >= most_holds || holds().of_call[place] >= most_holds_of_call) return false;
  ++holds().all;
  ++holds().of_call[place];
  return true;
}

}  // namespace

void note_simulator_thread() { simulator_thread.store(syscall(SYS_gettid)); }

void hold_for_other_threads(const std::function<bool()>& busy) {
  const auto now_doing = [&] { return busy() ? Doing::running : others(); };
  if (now_doing() == Doing::blocked || !may_hold()) return;
  const auto start = HoldClock::now();
  Span asleep{};
  for (auto before = start;;) {
    std::this_thread::sleep_for(hold_step);
    const auto now = HoldClock::now();
    const Doing at_it = now_doing();
    if (at_it == Doing::blocked) break;
    if (at_it == Doing::asleep) asleep += now - before;
    before = now;
    if (now - start - asleep >= longest_hold || asleep >= longest_hold_asleep) break;
    const std::lock_guard lock(holds().mutex);
    if (holds().asleep + asleep >= all_holds_asleep) break;
  }
  const std::lock_guard lock(holds().mutex);
  holds().asleep += asleep;
}

void wait_while_others_run(const std::function<bool()>& goes_on) {
  constexpr Span blocked_long = std::chrono::milliseconds(100);
  auto last_seen = HoldClock::now();
  while (goes_on()) {
    const auto now = HoldClock::now();
    if (others() != Doing::blocked) last_seen = now;
    if (now - last_seen >= blocked_long) return;
    std::this_thread::sleep_for(hold_step);
  }
}

}  // namespace aisp::sim
