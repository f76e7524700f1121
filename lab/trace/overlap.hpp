// How much of the work ran at the same time, computed from a trace: that streams overlap is a
// number here, not a picture.
#pragma once

#include <string>
#include <vector>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

// The device did nothing from `start` to `end`.
struct Gap {
  double start = 0, end = 0;
  std::size_t ended_by = 0;  // place of the interval that began then
  double length() const { return end - start; }
};

struct EngineBusy {
  TraceEngine engine{};
  double busy = 0;  // nanoseconds in which at least one interval was on it
  int intervals = 0;
};

struct Overlap {
  int device = 0;
  double window = 0;                  // from the first start to the last end, nanoseconds; reads
                                      // from storage belong to it
  std::vector<EngineBusy> engines{};  // those that were used, in the order of TraceEngine
  double busy = 0;                    // of the device: neither functions on the host nor reads
  double overlapped = 0;              // at least two intervals at once; all reads count as one
  double engines_overlapped = 0;      // intervals on at least two engines at once
  int most_at_once = 0;
  double idle = 0;          // window - busy
  std::vector<Gap> gaps{};  // in order
  std::optional<Gap> longest{};
  std::string waited_for{};  // what the longest gap waited for, in words

  double share(double nanoseconds) const { return window > 0 ? nanoseconds / window : 0; }
};

// One for each device that worked, in order.
std::vector<Overlap> overlaps_of(const Trace& trace);

}  // namespace aisp::lab
