// Runs mutants in processes of their own, so that a crash or a hang costs one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/fatbin/doors.hpp"

namespace fatbin_fuzz {

struct Failure {
  std::uint64_t index = 0;
  std::string problem;  // "crashed (signal 11)"
};

struct Tally {
  std::uint64_t mutants = 0, refused = 0, right = 0, loaded = 0;
  std::uint64_t crashed = 0, hung = 0;
  long most_memory = 0;  // KiB that a worker had resident
  std::vector<Failure> failures;
};

Tally run_mutants(const std::vector<Sample>& samples, std::uint64_t seed, std::uint64_t first,
                  std::uint64_t count);

}  // namespace fatbin_fuzz
