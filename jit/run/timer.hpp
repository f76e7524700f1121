// Who times the candidates of a program: jit has no clock that is worth something.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace aisp::jit {

struct Contender {
  std::string name;  // "threads_per_row=128"; the first one's is "rule"
  std::function<void(cudaStream_t)> launch;
};

class Timer {
 public:
  virtual ~Timer() = default;

  // Samples in seconds for each contender, taken in turns and with a cold L2 cache where that can
  // be had, within about so many seconds in all; at least three each.
  virtual std::vector<std::vector<double>> time(std::span<const Contender> contenders,
                                                double seconds) = 0;
};

// Whether the samples `a` are faster than `b` beyond doubt: three quarters of them are, by a
// hundredth, below three quarters of the others.
bool is_faster(std::vector<double> a, std::vector<double> b);

double median_of(std::vector<double> samples);

}  // namespace aisp::jit
