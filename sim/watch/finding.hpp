// What the hazard checker has to say, as data. Written as one JSON object per line to a file of
// each process in the folder that AISP_SIM_HAZARDS names; `aisp check` reads them there.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace sim::watch {

// In the order of the table in finding.cpp, which gives each its name ("shared-race") and a title.
enum class Rule : std::uint8_t {
  shared_race,
  cluster_race,  // distributed shared memory
  global_race,
  proxy_fence,
  tensormap_fence,
  mbarrier_init,          // used before its initialisation is visible
  mbarrier_reinit,        // initialised, or overwritten, while live
  mbarrier_transactions,  // expect_tx and what arrives differ
  mbarrier_arrivals,      // more arrivals than expected
  mbarrier_phase,         // a wait may fall two phases behind
  mbarrier_parity,        // the first wait passes, or blocks, on the wrong parity
  wgmma_registers,        // accumulator or A touched in flight
  wgmma_fence,
  wgmma_operand,  // shared operand overwritten before the wait
  copy_wait,      // cp.async: data read, or buffer reused, before the wait
  bulk_wait,      // bulk load: data read, or buffer reused, before its mbarrier's phase
  bulk_source,    // bulk store: source overwritten before wait_group.read
  early_exit,     // a block exits while others, or bulk copies, use its shared memory
  register_budget,
  barrier_mismatch,
  divergent_aligned,
  deadlock,
  dependency_wait,  // programmatic launch: touched before griddepcontrol.wait
  stream_race,      // two streams, no event between them
  host_race,        // the host touches memory of a copy under way
  freed_in_stream,  // use after cudaFreeAsync
  uninitialised,
  memory_fault,   // out of bounds, misaligned, ...: what stops a kernel anyway
  misuse,         // an instruction's own rules
  bank_conflict,  // advice from here on
  uncoalesced,
  count,
};

const char* name_of(Rule rule);
const char* title_of(Rule rule);
bool is_advice(Rule rule);

// One of the accesses, or steps, that a finding is about.
struct Place {
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
  Rule rule{};
  std::string kernel;   // readable; empty for the host's findings
  std::string message;  // one line with numbers
  std::string why;      // why the two are unordered
  std::string fix;      // what would order them
  std::vector<Place> places;
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
  bool known(Rule rule, const std::string& kernel, std::uint64_t first, std::uint64_t second,
             std::uint64_t times = 1);
  // Rewrites the file; called at the end of each launch and of the process. Nothing is lost when
  // the program dies later.
  void write();
  std::size_t size() const;

 private:
  using Key = std::tuple<Rule, std::string, std::uint64_t, std::uint64_t>;
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

}  // namespace sim::watch
