// What the hazard checker has to say, as data. Written as one JSON object per line to a file of
// each process in the folder that AISP_SIM_HAZARDS names; `aisp check` reads them there.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/hazard_rules.hpp"

namespace aisp::sim::watch {

using base::HazardRule;

// One of the accesses, or steps, that a finding is about.
struct FindingPlace {
  std::string what;       // "read of 16 bytes by wgmma", "mbarrier.init"
  bool on_device = true;  // false: a call of the host; block, warp, lane and PTX mean nothing
  std::uint32_t block[3] = {0, 0, 0};
  int warp = -1, lane = -1;  // -1: all, or nobody in particular
  std::string address;       // "shared offset 128", "0x7f.., 64 bytes into allocation #3"
  int ptx_line = 0;
  std::string ptx;   // the line's text
  std::string file;  // empty: no line information
  int line = 0;
};

struct Finding {
  HazardRule rule{};
  std::string kernel;   // readable; empty for the host's findings
  std::string message;  // one line with numbers
  std::string why;      // why the two are unordered
  std::string fix;      // what would order them
  std::vector<FindingPlace> places;
  std::vector<std::string> graph;  // deadlock: "warp 0 of block (0,0,0) waits for ..."
  std::uint64_t count = 1;
};

// All findings of the process; the same rule at the same two instructions is one finding, counted.
// A forked child starts without its parent's and has a file of its own.
class Findings {
 public:
  // The folder of the files, made when it is not there; "" keeps them in memory.
  explicit Findings(std::string folder);
  // `first` and `second` identify the places within `kernel` (pcs, or anything stable).
  void add(Finding finding, std::uint64_t first, std::uint64_t second, std::uint64_t times = 1);
  // True when it is known already: then count it and save the work of describing it.
  bool known(HazardRule rule, const std::string& kernel, std::uint64_t first, std::uint64_t second,
             std::uint64_t times = 1);
  // Rewrites the file; called at the end of each launch and of the process. Nothing is lost when
  // the program dies later.
  void write();
  std::size_t size() const;

 private:
  using Key = std::tuple<HazardRule, std::string, std::uint64_t, std::uint64_t>;
  void forget_parent();

  mutable std::mutex mutex_;
  std::string folder_;
  int process_;
  std::map<Key, Finding> all_;
  std::vector<Key> order_;  // as found
  bool changed_ = true;     // an empty file says that the checker ran
  bool complained_ = false;
};

struct Options {
  bool uninitialised = false;  // AISP_SIM_HAZARDS_UNINITIALISED=1
  bool advice = false;         // AISP_SIM_HAZARDS_ADVICE=1
};

}  // namespace aisp::sim::watch
