// What the hazard checker has to say, as data. Written as one JSON object per line to a file of
// each process in the folder that AISP_SIM_HAZARDS names; `aisp check` reads them there.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
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
  std::vector<std::pair<std::string, int>> inlined;  // files and lines it was inlined at, outwards
};

// "/src/a.cu:31", with what it was inlined at.
std::string source_of(const FindingPlace& place);

// Between whom: what orders the widest of all pairs that were seen orders the others, too.
enum class Reach : std::uint8_t { unknown, warp, block, cluster, grid };

// Number of a finding among those of its process, in the order in which they were found.
using FindingNumber = std::size_t;
inline constexpr FindingNumber no_finding = SIZE_MAX;

struct Finding {
  HazardRule rule{};
  std::string kernel;   // readable; empty for the host's findings
  std::string message;  // one line with numbers
  std::string why;      // why the two are unordered
  std::string fix;      // what would order them
  std::vector<FindingPlace> places;
  std::vector<std::string> graph;  // deadlock: "warp 0 of block (0,0,0) waits for ..."
  std::uint64_t count = 1;
  Reach reach = Reach::unknown;
  // What it comes from, as texts that are the same in every run: findings of one rule and kernel
  // with one of them in common are one.
  std::set<std::string> causes;
  // Where the missing barrier belongs, as instructions of code without a loop around both: pairs in
  // one stretch of code have a barrier in common only where these overlap.
  struct Between {
    std::uint32_t first = 0, last = UINT32_MAX;
    bool overlaps(const Between& other) const { return first <= other.last && other.first <= last; }
  } between;
  std::uint64_t pairs = 1;        // of instructions
  std::vector<std::string> also;  // some of those beside `places`: "a.cu:31 with a.cu:44"
  // Findings that this one follows from. It is a consequence when that holds for all its
  // occurrences; one that follows from nothing makes it a root.
  std::set<FindingNumber> follows;
  bool root = false;
  bool is_consequence() const { return !root && !follows.empty(); }
};

// All findings of the process; the same rule at the same two instructions is one finding, counted,
// and so are pairs of instructions with a cause in common. A forked child starts without its
// parent's and has a file of its own.
class Findings {
 public:
  // The folder of the files, made when it is not there; "" keeps them in memory.
  explicit Findings(std::string folder);
  // `first` and `second` identify the places within `kernel` (pcs, or anything stable).
  // `from`: the finding that this occurrence follows from. Returns the number of the finding.
  FindingNumber add(Finding finding, std::uint64_t first, std::uint64_t second,
                    std::uint64_t times = 1, FindingNumber from = no_finding);
  // True when it is known already, as far as that: then count it and save the work of describing
  // it.
  bool known(HazardRule rule, const std::string& kernel, std::uint64_t first, std::uint64_t second,
             std::uint64_t times = 1, Reach reach = Reach::unknown,
             FindingNumber from = no_finding);
  // The one that `known` is about; no_finding: there is none.
  FindingNumber number_of(HazardRule rule, const std::string& kernel, std::uint64_t first,
                          std::uint64_t second) const;
  bool is_root(FindingNumber number) const;
  // Of a finding whose occurrences are compared with each other once all of them are known.
  void set_follows(FindingNumber number, std::set<FindingNumber> roots);
  // Rewrites the file; called at the end of each launch and of the process. Nothing is lost when
  // the program dies later.
  void write();
  std::size_t size() const;

 private:
  using Key = std::tuple<HazardRule, std::string, std::uint64_t, std::uint64_t>;
  using Cause = std::tuple<HazardRule, std::string, std::string>;
  void forget_parent();
  std::size_t place_for(Finding& finding, const Key& key);

  mutable std::mutex mutex_;
  std::string folder_;
  int process_;
  std::vector<Finding> all_;                          // as found
  std::map<Key, std::size_t> pairs_;                  // which of them
  std::map<Cause, std::vector<std::size_t>> causes_;  // by rule, kernel and text
  bool changed_ = true;                               // an empty file says that the checker ran
  bool complained_ = false;
};

struct Options {
  bool uninitialised = false;  // AISP_SIM_HAZARDS_UNINITIALISED=1
  bool advice = false;         // AISP_SIM_HAZARDS_ADVICE=1
};

}  // namespace aisp::sim::watch
