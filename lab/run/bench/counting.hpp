// What the simulator counts while a rung runs once.
#pragma once

#include <memory>
#include <vector>

#include "lab/record/records.hpp"
#include "lab/trace/collector.hpp"

namespace aisp::lab {

// Counts from here to its end. The device is idle where it begins and where it is read. On a GPU it
// counts nothing, and neither does it where the checker looks on in place of whoever counts.
class CountedRun {
 public:
  CountedRun();
  CountedRun(const CountedRun&) = delete;
  CountedRun& operator=(const CountedRun&) = delete;
  ~CountedRun();
  std::vector<CountRecord> read() const;  // empty where nothing was counted

 private:
  const bool on_;
  std::unique_ptr<Collector> schedule_;
};

// Those of them that a GPU counts the same way.
std::vector<CounterRecord> counters_of(const std::vector<CountRecord>& counts);

}  // namespace aisp::lab
