// What the checker keeps about the warps, blocks and clusters of a running grid.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/machine/observer.hpp"
#include "sim/machine/warp.hpp"
#include "sim/watch/device/shadow.hpp"
#include "sim/watch/device/tensor_shadow.hpp"

namespace aisp::sim::watch {

struct BlockWatch;
struct ClusterWatch;

// Lanes of a warp that know the same.
struct Group {
  Mask mask = 0;
  ClockPtr clock;
  // Fences: what the last one released (at which scope), what relaxed loads have seen since.
  ClockPtr released, seen;
  // What was joined to `seen`, or acquired, last, and where: loops that poll find the same again,
  // or what the same location releases by then, which is all of that and more.
  ClockPtr last_seen, last_acquired;
  std::uint64_t polled = 0;
  Scope released_scope = Scope::cta;
};

// Of the asynchronous work of single lanes: what they know to be over, by order of issue.
struct LaneDone {
  std::uint32_t copy[lanes]{}, bulk_read[lanes]{}, bulk_write[lanes]{};
};

// Groups as committed: these lanes' operations up to `issued` belong to it or to earlier ones.
struct ProductCommit {
  std::uint32_t products = 0, issued_at = 0;  // how many so far, and when the last of them was
};
struct Commit {
  Mask mask = 0;
  std::uint32_t issued = 0;
};

struct ProductInFlight {
  const Op* op = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t group = 0;
  std::uint32_t number = 0;  // of the warp's products
};

struct RegisterChange {  // a register of a product, written by an instruction
  Ref ref = no_ref;
  std::uint32_t pc = 0;
};

// A WAW in no order, until it is known whether the value changed.
struct Suspect {
  std::byte* at = nullptr;
  std::uint32_t bytes = 0, pc = 0;
  int lane = 0;
  std::byte old[16];
  Stamp before;
};

// A plain read that was decided without a comparison that could have reported something.
struct LastRead {
  std::uint64_t writes = ~0ull;  // GridWatch::writes_ at the time
  std::uint32_t now = 0, bytes = 0;
  Mask mask = 0;
  std::int64_t step = 0;       // of neighbours, from the first address on
  const std::byte* at[lanes];  // of those in `mask`
};

struct WarpWatch {
  Warp* warp = nullptr;
  BlockWatch* block = nullptr;
  Actor actor = 0;             // of its lanes
  std::uint32_t now = 1;       // counter of its lanes
  std::uint32_t executed = 0;  // what all lanes did up to here they did together (.sync)
  std::vector<Group> groups;   // a partition of the lanes

  std::uint32_t copies = 0, bulks = 0, products = 0;   // issued
  std::vector<std::uint32_t> products_issued_at;       // by number - 1: time of the lanes
  std::uint32_t tensor_loads = 0, tensor_stores = 0;   // ...
  std::uint32_t tensor_loaded = 0, tensor_stored = 0;  // waited for
  std::uint32_t tensor_used_at = 0;  // time of the last use of tensor memory; see check_peer_freed
  std::unordered_map<Ref, LoadHolders> load_holders;  // registers with values of tcgen05.ld
  LoadRegistersPtr last_load;
  LaneDone done;
  std::uint32_t products_done = 0;
  std::deque<Commit> copy_commits, bulk_commits;
  std::deque<ProductCommit> product_commits;
  std::uint32_t product_issued_at = 0;  // time of the last issue
  std::vector<ProductInFlight> in_flight;
  std::uint32_t product_group = 0;      // the one under way
  bool product_fenced = false;          // wgmma.fence has been executed at all
  std::vector<RegisterChange> changed;  // ... since the last wgmma.fence
  std::vector<Suspect> suspects;
  std::uint32_t register_count = 0;  // setmaxnreg; 0: as launched
  std::uint32_t register_pc = 0;
  LastRead last_run, last_lanes;
  std::vector<Actor> passed_at_once;  // mbarriers whose first wait no phase had to end for

  Actor own(Channel channel) const { return actor_of(index_of(actor), channel); }
  std::uint32_t pc() const { return warp->lane_group != nullptr ? warp->lane_group->pc : 0; }
};

// Of a shared::cluster address: the offset in the shared memory of the block that it names.
constexpr std::uint32_t offset_in_block(std::uint32_t address) {
  return address & ((1u << shared_rank_shift) - 1);
}

struct BarrierEvent {  // lanes that saw a phase complete, or arrived in it
  Actor actor = 0;
  Mask mask = 0;
  std::uint32_t time = 0, pc = 0, phase = 0;
};

struct MBarrierWatch {
  Actor actor = 0;
  std::uint32_t address = 0;  // shared::cluster
  bool live = false;
  std::uint32_t phase = 1;           // number of the current one
  ClockPtr current, past;            // released in it; in all that are complete
  Stamp init;                        // by the first of init_lanes
  Mask init_lanes = 0;               // that initialised it with one instruction
  std::uint32_t count = 0;           // of the initialisation
  std::vector<BarrierEvent> waits;   // on the phase before this one
  std::vector<BarrierEvent> remote;  // arrivals from other blocks, in this phase and the last
  std::uint32_t arrivals = 0;        // ever
  std::uint32_t last_arrival_pc = 0;
  Stamp completed;  // the arrival that completed the phase before this one
};

// What those tell who arrive in a phase. Warps that met before know the same: what each of them did
// since is gathered, and put together once, when somebody passes.
struct BarrierPhase {
  std::uint64_t generation = 0;
  ClockPtr told;
  bool has_common = false;
  ClockPtr common;         // what they knew alike
  std::vector<Entry> did;  // what they did themselves
  const ClockPtr& together();
};

struct BarrierWatch {
  std::array<BarrierPhase, 4> phases;  // the last few, each at its generation's remainder
  BarrierPhase& begin(std::uint64_t generation);
  BarrierPhase* find(std::uint64_t generation) {
    BarrierPhase& phase = phases[generation % phases.size()];
    return phase.generation == generation ? &phase : nullptr;
  }
};

struct BlockWatch {
  Block* block = nullptr;
  ClusterWatch* cluster = nullptr;
  const BlockWatch* peer = nullptr;  // of a pair, once it has tensor memory
  std::uint32_t number = 0;          // in the grid
  SharedShadow shadow;
  TensorShadow tensor;
  BarrierWatch barriers[16];
  std::map<std::uint32_t, MBarrierWatch> mbarriers;  // by offset
  ClockPtr at_exit;
  bool exited = false;
  bool waited_for_grid = false;             // some thread, by griddepcontrol.wait
  std::uint32_t refused_pc = 0;             // where it read that a try_cancel found nothing
  std::uint32_t first_warp = 0, warps = 0;  // indices in the grid

  explicit BlockWatch(std::uint32_t bytes) : shadow(bytes) {}
  bool holds(Actor actor) const {
    return channel_of(actor) < Channel::mbarrier && index_of(actor) - first_warp < warps;
  }
};

// The same of an operation, whose accesses are the actor's at a time.
struct AsyncSuspect {
  Suspect one;
  Actor actor = 0;
  std::uint32_t time = 0;
};

// An asynchronous operation from issue to end.
struct Operation {
  AsyncKind kind{};
  WarpWatch* warp = nullptr;
  Mask mask = 0;
  std::uint32_t pc = 0;
  std::uint32_t issue_time = 0;  // of the warp's lanes
  std::uint32_t number = 0;      // of its channel
  std::vector<Group> groups;     // what its lanes knew
  LaneDone done;                 // ... of their own asynchronous work
  std::uint32_t products_done = 0;
  std::vector<AsyncSuspect> suspects;
};

// What a location that is used for synchronisation releases, by how far it reaches.
struct SyncLocation {
  ClockPtr last;                                        // published by a fence
  TimesPtr last_fenced;                                 // ... of other threads
  ClockPtr wide;                                        // .sys, of all devices
  std::vector<std::pair<std::uint32_t, ClockPtr>> gpu;  // .gpu and .sys, by device
  std::vector<std::uint32_t> grids;                     // that released here, by GridRecord::first
  std::uint32_t wide_block = ~0u;                       // who released it; many: no_block
  std::vector<std::pair<std::uint32_t, ClockPtr>> cta, cluster;  // by block, by cluster
  static constexpr std::uint32_t many = ~0u - 1;
};
using SyncLocations = std::unordered_map<std::uint64_t, SyncLocation>;  // by host address

struct ClusterWatch : Attachment {
  Cluster* cluster = nullptr;
  std::deque<WarpWatch> warps;
  std::deque<BlockWatch> blocks;
  BarrierWatch barrier;
  std::vector<Operation> operations;  // by number - 1
  std::vector<std::uint32_t> free_operations;
  SyncLocations shared_locations;
  struct Arrival {  // cp.async.mbarrier.arrive, tcgen05.commit
    ClockPtr clock;
    std::uint32_t pc = 0;
  };
  std::map<std::uint32_t, ClockPtr> pair_meetings;  // by rank / 2: what both warps have told
  std::unordered_map<std::uint64_t, Arrival> arrivals;
  std::uint64_t next_arrival = 1;
};

// What the end of an operation tells: what its issuer knew, and that the issuer had come so far.
ClockPtr carried(const Operation& operation, const Group& group);

inline WarpWatch& of(Warp& warp) { return *static_cast<WarpWatch*>(warp.watched); }
inline BlockWatch& of(Block& block) { return *static_cast<BlockWatch*>(block.watched); }
inline ClusterWatch& of(Cluster& cluster) { return static_cast<ClusterWatch&>(*cluster.watched); }

// ---- Knowledge of a warp's lanes (knowledge.cpp).

// body(group) for groups that make up exactly `mask`; splits where needed.
template <class Body>
void each_group_of(WarpWatch& warp, Mask mask, Body&& body) {
  const std::size_t count = warp.groups.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Mask both = warp.groups[i].mask & mask;
    if (both == 0) continue;
    if (both == warp.groups[i].mask) {
      body(warp.groups[i]);
      continue;
    }
    Group part = warp.groups[i];
    part.mask = both;
    warp.groups[i].mask &= ~both;
    body(part);
    warp.groups.push_back(std::move(part));
  }
}

const Group& group_of(const WarpWatch& warp, int lane);
// What these lanes may tell others now: what they know and what they did. Ends the lanes' instant.
ClockPtr release(WarpWatch& warp, Mask mask);
// What these lanes did themselves, and know of their own asynchronous work, as entries.
std::vector<Entry> own_entries(const WarpWatch& warp, Mask mask);
void add_own_entries(const WarpWatch& warp, Mask mask, std::vector<Entry>& entries);
void acquire(WarpWatch& warp, Mask mask, const ClockPtr& clock);
// As acquire, of a clock that holds everything these lanes know: they become one group.
void become(WarpWatch& warp, Mask mask, const ClockPtr& clock);

}  // namespace aisp::sim::watch
