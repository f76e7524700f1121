// What `aisp bench run` was asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lab {

inline constexpr int self_check_repetitions = 100;

struct RunOptions {
  std::string targets = "all";
  std::vector<std::string> rungs;  // empty: all
  bool ends_only = false;          // baseline and optimized rung only (aisp compare chNN)
  std::vector<std::string> sizes;  // words of --sizes
  bool quick = false;
  std::string profile = "none", timer = "events", l2 = "cold", device = "auto";
  int iterations = 0, warmup = 0;  // 0: adaptive
  std::uint64_t seed = 0;
  bool validate = false;
  bool self_check = false;
  double time_limit = 600;  // seconds for one size of one target
  std::filesystem::path out = "runs";
  std::string resume;  // a run's folder or id
};

}  // namespace lab
