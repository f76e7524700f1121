// One of the ways a simulated device may run a program: what of a run can be chosen and repeated.
#pragma once

#include <cstdint>
#include <string>

#include "lab/device/simulator.hpp"

namespace aisp::lab {

struct Schedule {
  ScheduleOrder order = ScheduleOrder::earliest;
  std::uint64_t seed = 1;  // of random
  std::string device;      // "h200,sms=8"; "": the library's choice

  bool operator==(const Schedule&) const = default;
};

// "--order random --seed 7 --device h200,sms=2", as `aisp check` takes it.
std::string as_options(const Schedule& schedule);

}  // namespace aisp::lab
