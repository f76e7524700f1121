// Where what a worker learns leaves it, at once: a crash loses nothing.
#pragma once

#include <functional>

#include "lab/record/records.hpp"
#include "lab/run/process/job.hpp"

namespace aisp::lab {

struct Emit {
  std::function<void(const Record&)> record;
  std::function<void(const Phase&)> phase;
};

}  // namespace aisp::lab
