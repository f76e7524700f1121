#include "sim/runtime/state/host_watch.hpp"

#include <pthread.h>

#include <cstdlib>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

watch::HostWatch* start() {
  Runtime& runtime = Runtime::get();
  if (runtime.settings.hazards == nullptr) return nullptr;
  std::atexit([] { host_watch()->finish(); });
  pthread_atfork(nullptr, nullptr, [] { host_watch()->after_fork(); });
  return new watch::HostWatch(*runtime.settings.hazards, runtime.memory);
}

}  // namespace

watch::HostWatch* host_watch() {
  static watch::HostWatch* const watch = start();
  return watch;
}

}  // namespace aisp::sim
