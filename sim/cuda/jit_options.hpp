// Options of whoever has device code compiled: two logs and a time are given back, the rest is for
// a compiler that is not there.
#pragma once

#include <string>

#include "sim/cuda/driver.hpp"

namespace aisp::sim::driver {

class JitOptions {
 public:
  JitOptions() = default;
  // Throws where the arrays make no sense.
  JitOptions(unsigned count, const CUjit_option* options, void** values);

  // Writes the logs: what the simulator said last where something failed, else nothing.
  void report(bool failed) const;

 private:
  struct Log {
    char* text = nullptr;
    std::size_t room = 0;
    void** bytes = nullptr;  // where the program reads how many there are
  };
  static void write(const Log& log, const std::string& text);

  Log info_, error_;
  void** wall_time_ = nullptr;
};

}  // namespace aisp::sim::driver
