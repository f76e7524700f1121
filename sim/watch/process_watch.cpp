#include "sim/watch/process_watch.hpp"

#include <cstdlib>
#include <cstring>

namespace aisp::sim::watch {
namespace {

bool is_on(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, "1") == 0;
}

}  // namespace

ProcessWatch::ProcessWatch(std::string folder)
    : findings(std::move(folder)),
      options{.uninitialised = is_on("AISP_SIM_HAZARDS_UNINITIALISED"),
              .advice = is_on("AISP_SIM_HAZARDS_ADVICE")} {
  findings.write();  // a program whose first kernel never ends has been watched, too
}

}  // namespace aisp::sim::watch
