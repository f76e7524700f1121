// Clocks, power, temperature and throttle reasons around each sample. The readings come from a
// Gauge (NVML on a GPU, made-up ones in tests); the watch decides what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aisp::lab {

struct Reading {
  std::optional<double> sm_mhz, mem_mhz, watts, celsius;
  std::uint64_t reasons = 0;  // bits of NVML's "clocks event reasons"
};

class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual Reading read() = 0;
};

// The words for the bits that are set, in order of bit; a bit nobody has named is "unknown 0x…".
std::vector<std::string> reason_names(std::uint64_t reasons);

// True where the device ran slower than it could for a reason outside the kernel: hardware
// slowdown, thermal slowdown, power brake. A power cap is what a matrix kernel meets in daily
// use, and idle or application clocks say nothing about a fault: those only inform.
bool harmful(std::uint64_t reasons);

struct Mark {
  Reading reading;                   // the last one; reasons are those of all since the last mark
  std::vector<std::string> reasons;  // their names
  bool throttled = false;            // at least one is harmful
};

// observe() as often as wanted while a sample runs, mark() once when it is over.
class ThrottleWatch {
 public:
  // No gauge: every mark is empty, and the summary gives the reason.
  explicit ThrottleWatch(Gauge* gauge, std::string why_no_gauge = "no gauge");

  void observe();
  Mark mark();  // observes once itself when nothing has been observed since the last mark

  int marked() const { return marked_; }
  int throttled() const { return throttled_; }
  // One line: "3 of 50 samples throttled: hw thermal", or why nothing was watched.
  std::string summary() const;

 private:
  Gauge* gauge_;
  std::string why_no_gauge_;
  std::optional<Reading> pending_;
  int marked_ = 0, throttled_ = 0;
  std::uint64_t harmful_seen_ = 0;
};

}  // namespace aisp::lab
