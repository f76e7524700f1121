// What `aisp bench run` was asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/device/simulator.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab {

inline constexpr int self_check_repetitions = 100;

enum class PeerChoice { automatic, none, all };
constexpr auto names_of(PeerChoice) {
  return std::to_array<Name<PeerChoice>>(
      {{PeerChoice::automatic, "auto"}, {PeerChoice::none, "none"}, {PeerChoice::all, "all"}});
}

struct RunOptions {
  std::string targets = "all";
  std::vector<std::string> rungs;  // empty: all
  std::string peers = "auto";      // a PeerChoice, or names with commas
  bool ends_only = false;          // baseline and optimized rung only (aisp compare chNN)
  std::vector<std::string> sizes;  // words of --sizes
  std::vector<std::vector<std::int64_t>> extents;  // the same as numbers (aisp sweep)
  std::vector<std::string> sweep;                  // axes of a sweep
  std::vector<std::vector<std::int64_t>> at;       // and their values at each of `extents`
  std::string variant;                             // only this one; "": as selected
  std::vector<EntryPlan> before;                   // run ahead of the others, whatever --rungs says
  bool quick = false, full = false;  // neither: as the device allows, see takes_quick_sizes()
  Profile profile = Profile::none;
  Timer timer = Timer::events;
  L2Mode l2 = L2Mode::cold;
  DeviceChoice device;
  int iterations = 0, warmup = 0;  // 0: adaptive
  std::uint64_t seed = 0;
  bool validate = false;
  bool trace = false;  // each rung once more, with a trace of what ran when
  bool self_check = false;
  double time_limit = 600;  // seconds for one size of one target
  std::filesystem::path out = "runs";
  std::string resume;          // a run's folder or id
  bool trust_library = false;  // load the modules that the resumed run names, whoever wrote it
};

// What `aisp sweep` was asked to do beside that.
struct SweepOptions {
  std::string target;             // one target, by name or alias
  std::string variant;            // "": the target's first
  std::vector<std::string> axes;  // words of --axis
};

}  // namespace aisp::lab
