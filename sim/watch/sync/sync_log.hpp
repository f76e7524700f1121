// What the warps of one cluster did to synchronise, counted. Clusters that did the same have equal
// logs: nothing in it depends on when things happened.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace aisp::sim::watch {

// What is waited for. `number`: the offset of an mbarrier in shared memory, the index of a named
// barrier, else 0.
enum class SyncObject : std::uint8_t {
  mbarrier,
  named,        // the sixteen barriers of a block; 0 is __syncthreads
  cluster,      // barrier.cluster
  grid,         // of a cooperative grid
  grid_before,  // griddepcontrol.wait
  grid_behind,  // griddepcontrol.launch_dependents
};

struct SyncBarrier {
  SyncObject object{};
  std::uint32_t rank = 0;  // of the block in the cluster that has it
  std::uint32_t number = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): it takes the 0 of the comparison for a pointer.
  auto operator<=>(const SyncBarrier&) const = default;
};

enum class SyncDeed : std::uint8_t {
  init,
  arrive,    // amount: arrivals, or threads of a named barrier
  expect,    // bytes
  complete,  // bytes, by an asynchronous copy that the warp has issued
  wait,      // once for each phase and place
};

struct SyncEvent {
  std::uint32_t rank = 0, warp = 0;
  SyncDeed deed{};
  SyncBarrier barrier;
  std::uint32_t pc = 0;
  std::string how;  // who does it in place of the thread: "TMA load", "tcgen05.commit"; "": itself
  std::uint32_t bytes = 0;  // of each
  // NOLINTNEXTLINE(modernize-use-nullptr): it takes the 0 of the comparison for a pointer.
  auto operator<=>(const SyncEvent&) const = default;
};

struct SyncCount {
  std::uint64_t times = 0, amount = 0;
  bool operator==(const SyncCount&) const = default;
};

struct SyncBarrierFacts {
  std::set<std::uint32_t> expected;  // arrivals of a phase; threads of a named barrier
  std::uint64_t phases = 0;          // completed
  bool operator==(const SyncBarrierFacts&) const = default;
};

struct SyncLog {
  std::map<SyncEvent, SyncCount> events;
  std::map<SyncBarrier, SyncBarrierFacts> barriers;
  // What a warp (rank, warp) does beside: "wgmma", "TMA store", "global stores".
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::string>> work;
  bool operator==(const SyncLog&) const = default;
};

}  // namespace aisp::sim::watch
