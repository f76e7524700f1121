// A rung whose kernel has choices that can be timed against each other says so to a setup that
// tunes: `aisp tune program` is one. The lab lends its timer; what the choices are only the rung
// knows.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/case/rung.hpp"

namespace aisp::lab {

struct TuneCandidate {
  std::string name;
  std::function<void(cudaStream_t)> launch;
};

class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // Samples in milliseconds for each candidate, in turns, with what the cache holds as in a timed
  // run; within about so many seconds in all, at least three each.
  virtual std::vector<std::vector<double>> time(std::span<const TuneCandidate> candidates,
                                                double seconds) = 0;
};

struct TuneOutcome {
  struct Attempt {
    std::string name;     // "threads_per_row=128"
    double ms = 0;        // median
    std::string refused;  // why it was not timed
  };
  std::vector<Attempt> attempts;  // of this time
  std::string chosen;             // "rule": nothing was faster
  int tried = 0, of = 0;          // with those of earlier times
  std::string kept_in;            // the file that later runs read
};
using Tune = std::function<TuneOutcome(const Launch&, Stopwatch&, double seconds)>;

class TuningSetup : public Setup {
 public:
  virtual void tunes(Tune tune) = 0;
};

inline void offer_tuning(Setup& setup, Tune tune) {
  if (auto* tuning = dynamic_cast<TuningSetup*>(&setup)) tuning->tunes(std::move(tune));
}

}  // namespace aisp::lab
