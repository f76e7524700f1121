// Grids that run beside each other. What two streams do to the same memory is compared as a whole
// (sim/watch/host), but kernels may also order themselves while they run, by flags in global
// memory: of those every access is compared with what the other grid did there, as within a grid.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "sim/machine/warp.hpp"
#include "sim/program/source_chain.hpp"
#include "sim/watch/device/code_facts.hpp"
#include "sim/watch/device/state.hpp"
#include "sim/watch/finding.hpp"
#include "sim/watch/process_watch.hpp"
#include "sim/watch/stream_operation.hpp"

namespace aisp::sim::watch {

// What is kept of a grid after its end: what it did to global memory, and how to name its threads.
// Warps and mbarriers of grids beside each other have numbers of their own, from `first` on.
struct GridRecord {
  std::string kernel;
  const Program* program = nullptr;
  Dim3 grid;
  int device = 0;
  std::uint32_t warps_per_block = 1, first = 0, numbers = 0;
  std::shared_ptr<const CodeFacts> facts;
  StreamOperationPtr operation;  // null: compared with no other grid
  GlobalShadow global;
  bool ended = false;
  ClockPtr told;  // what its threads knew at their end: who comes after the grid knows it, too
  // Of bulk loads, whose stamps name the mbarrier: who issued them, by mbarrier and instruction.
  struct Issuer {
    std::uint32_t warp = 0;
    int lane = -1;
    std::uint32_t phase = 0, issued = 0;  // of the last one: its phase, and the time of its issue
  };
  std::map<std::pair<Actor, std::uint32_t>, Issuer> issuers;

  bool holds(Actor actor) const { return index_of(actor) - first < numbers; }
  std::uint32_t block_number(Actor actor) const {
    return (index_of(actor) - first) / warps_per_block;
  }
  FindingPlace place_of(Actor actor, int lane, std::uint32_t pc, std::string what) const;

 private:
  mutable std::unique_ptr<SourceChains> chains_;  // made with the first finding
};
using GridRecordPtr = std::shared_ptr<GridRecord>;

// Of a process: the grids that may still be unordered with one to come, and the flags they share.
class BesideGrids {
 public:
  SyncLocations locations;

  // Gives the record numbers of its own, and keeps it until its operation is settled.
  void enter(const GridRecordPtr& record);
  // Changes with the set of grids.
  std::uint64_t version() const { return version_; }
  std::vector<GridRecordPtr> unordered_with(const GridRecord& record);
  // What the grids that the operation comes after have told.
  ClockPtr known_before(const StreamOperation& operation);
  void forget(const Program* program);

  // They use a flag together: what one does to the other's memory is theirs to order.
  void talk(const StreamOperation& a, const StreamOperation& b, Findings& findings);
  bool talked(const StreamOperation& a, const StreamOperation& b) const;
  // Whether two operations that no stream orders need not be compared as a whole there: they talk,
  // or one of them comes after a kernel that had learned by flags of all that the other did. A copy
  // or plain kernel ahead of one that signals counts as told to whoever listens, early or late.
  bool order(const StreamOperation& a, bool a_writes, const StreamOperation& b, bool b_writes,
             std::uint64_t begin, std::uint64_t end);
  // An access that nothing orders behind one of the other grid. It is a finding when the two are
  // known to talk; if they never do, the comparison of streams has it.
  struct Unordered {
    Finding finding;
    std::uint32_t first_pc = 0, second_pc = 0;
  };
  bool is_new(const StreamOperation& a, const StreamOperation& b, std::uint32_t first_pc,
              std::uint32_t second_pc);
  void found(const StreamOperation& a, const StreamOperation& b, Unordered one, Findings& findings);

 private:
  struct Pair {
    bool talked = false;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // instructions
    std::vector<Unordered> waiting;
  };
  Pair& pair(const StreamOperation& a, const StreamOperation& b) {
    return pairs_[std::minmax(a.number, b.number)];
  }
  void drop_settled();
  GridRecord* record_of(const StreamOperation& operation) const;  // null: there is none
  bool told_of(const StreamOperation& a, const StreamOperation& b) const;
  bool comes_before(const StreamOperation& a, const StreamOperation& b, bool b_writes,
                    std::uint64_t begin, std::uint64_t end);

  std::mutex mutex_;  // of kept_: programs are unloaded by the host's threads
  std::vector<GridRecordPtr> kept_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Pair> pairs_;  // by numbers of operations
  std::uint32_t next_ = 0;
  std::uint64_t version_ = 1;
};

// Those of the process, made with the first use: by the executor, which runs one thing at a time.
BesideGrids& beside_of(ProcessWatch& process);

}  // namespace aisp::sim::watch
