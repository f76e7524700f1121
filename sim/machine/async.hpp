// Groups of asynchronous operations and the scheduler's freedom over when they run.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/machine/observer.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

// Operations belong to lanes and to the group each lane has open. wait_group(n) asks that all but
// the newest n committed groups are complete.
struct AsyncQueue {
  struct Item {
    Mask mask = 0;                 // lanes that issued it
    std::uint32_t group[lanes]{};  // per lane: number of the group it belongs to
    std::uint64_t sequence = 0;    // of the AsyncOp in the cluster
    bool read_done = false;        // the source has been read
  };
  struct Watcher {                         // cp.async.mbarrier.arrive
    std::vector<std::uint64_t> sequences;  // still missing
    std::function<void()> done;
  };
  std::vector<Item> items;      // not complete
  std::uint32_t open[lanes]{};  // per lane: number of the group under way
  std::vector<Watcher> watchers;
  bool ordered = false;        // operations run in order of issue (wgmma, tcgen05)
  bool behind_others = false;  // the warp waits for products that others have not issued yet

  void commit(Mask mask) {
    for (Mask left = mask; left != 0; left &= left - 1) ++open[std::countr_zero(left)];
  }
};

AsyncQueue& copies_of(Warp& warp);    // cp.async
AsyncQueue& bulk_of(Warp& warp);      // cp.async.bulk ... .bulk_group
AsyncQueue& products_of(Warp& warp);  // wgmma, ordered
// What the tensor core does for the warp's threads, in order of issue: tcgen05.mma, cp, shift.
AsyncQueue& tensor_of(Warp& warp);
AsyncQueue& tensor_loads_of(Warp& warp);   // tcgen05.ld
AsyncQueue& tensor_stores_of(Warp& warp);  // tcgen05.st, ordered

// Hands an operation to the scheduler. Under `earliest` it has run when this returns; otherwise it
// runs later on the same host thread, so it needs no locks within its cluster but must have copied
// every operand it needs (the lane group and its registers move on). `lane` is who issued it.
void issue(Warp& warp, AsyncKind kind, int lane, std::function<void()> run);
// Same, entered in a queue under the lanes' open groups. `read`, if given, is the first half: it
// captures the source (bulk stores), after which wait_group.read is satisfied.
void issue(Warp& warp, AsyncKind kind, AsyncQueue& queue, Mask mask, std::function<void()> run,
           std::function<void()> read = {});
// Runs what the lanes of `mask` wait for when all but the `newest` committed groups must be
// complete (only read, with `read_only`).
void complete_groups(Cluster& cluster, AsyncQueue& queue, Mask mask, std::uint32_t newest,
                     bool read_only = false);
// Everything the queue holds for these lanes, committed or not (cp.async.wait_all, exit).
void complete_all(Cluster& cluster, AsyncQueue& queue, Mask mask);
// The warp's tcgen05.ld that write a register of this instruction, which is about to run: a true
// dependency on their results is honoured without tcgen05.wait::ld.
void settle_loads(Warp& warp, const Op& op);
// Calls `done` on this host thread once all operations these lanes have issued so far are complete,
// at once when none is left (cp.async.mbarrier.arrive).
void when_complete(Cluster& cluster, AsyncQueue& queue, Mask mask, std::function<void()> done);

// For the scheduler. Runs one pending operation chosen by the order; false when there is none.
bool run_one_pending(Cluster& cluster);
std::uint64_t next_random(std::uint64_t& state);  // splitmix64

}  // namespace aisp::sim
