// Launches by <<<...>>> that failed. The syntax throws the error away: a program that never asks
// for it goes on with kernels that did not run, and hears of it when it ends.
#pragma once

#include <string>

namespace aisp::sim {

struct FailedLaunch {
  std::string kernel;  // readable
  std::string error;   // "cudaErrorInvalidValue"
  std::string reason;  // the limit that was broken, with numbers
  std::string shape;   // "<<<(1,1,1), (2048,1,1), 0 bytes>>>"
};

// Keeps it until the calling thread reads its last error; what is left is said at exit.
void launch_failed(FailedLaunch launch);
// The calling thread has been told.
void launch_errors_read();

}  // namespace aisp::sim
