// What the simulator wrote about how the warps of a kernel synchronise, as the lab reads it. The
// other side of the file is sim/watch/sync/sync_record.cpp.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/case/names.hpp"

namespace aisp::lab {

enum class SyncObject { mbarrier, named, cluster, grid, grid_before, grid_behind };
constexpr auto names_of(SyncObject) {
  return std::to_array<Name<SyncObject>>({{SyncObject::mbarrier, "mbarrier"},
                                          {SyncObject::named, "named"},
                                          {SyncObject::cluster, "cluster"},
                                          {SyncObject::grid, "grid"},
                                          {SyncObject::grid_before, "grid_before"},
                                          {SyncObject::grid_behind, "grid_behind"}});
}

enum class SyncDeed { init, arrive, expect, complete, wait };
constexpr auto names_of(SyncDeed) {
  return std::to_array<Name<SyncDeed>>({{SyncDeed::init, "init"},
                                        {SyncDeed::arrive, "arrive"},
                                        {SyncDeed::expect, "expect"},
                                        {SyncDeed::complete, "complete"},
                                        {SyncDeed::wait, "wait"}});
}

// `number`: the offset of an mbarrier in the shared memory of block `rank` of its cluster, the
// index of a named barrier, else 0.
struct SyncBarrier {
  SyncObject object{};
  int rank = 0;
  std::int64_t number = 0;
  auto operator<=>(const SyncBarrier&) const = default;
};

struct SyncEvent {
  int rank = 0, warp = 0;
  SyncDeed deed{};
  SyncBarrier barrier;
  std::size_t place = 0;               // among those of the record
  std::string how;                     // "TMA load", "tcgen05.commit"; "": the threads themselves
  std::int64_t times = 0, amount = 0;  // arrivals of all, or threads
  std::int64_t bytes = 0;              // of each
};

struct SyncBarrierFacts {
  SyncBarrier barrier;
  std::set<std::int64_t> expected;  // arrivals, or threads, of a phase
  std::int64_t phases = 0;
};

struct SyncWork {
  int rank = 0, warp = 0;
  std::vector<std::string> does;
};

// Of clusters that did the same.
struct SyncLog {
  std::int64_t clusters = 0;
  std::vector<SyncEvent> events;
  std::vector<SyncBarrierFacts> barriers;
  std::vector<SyncWork> work;
};

struct SyncPlace {
  int ptx_line = 0;
  std::string ptx;
  std::vector<std::pair<std::string, int>> chain;  // files and lines, the innermost first
};

struct SyncVariable {
  std::string name;
  std::int64_t offset = 0, bytes = 0;
};

struct SyncRecord {
  std::string kernel;  // mangled
  std::array<std::int64_t, 3> grid{}, block{}, cluster{};
  std::int64_t dynamic_shared = 0;
  bool stopped = false;              // by a fault
  std::vector<SyncVariable> shared;  // static shared memory
  std::vector<SyncPlace> places;
  std::vector<SyncLog> logs;

  std::int64_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  std::int64_t warps() const { return (block[0] * block[1] * block[2] + 31) / 32; }
  // How much there is to draw: signals and waits of all kinds.
  std::int64_t events() const;
};

struct SyncRecords {
  int files = 0;  // of processes that were recorded
  // In the order of their launches. Of launches of one kernel with the same extents the first.
  std::vector<SyncRecord> kernels;
};

// All <pid>.jsonl in the folder. Refuses (Exit::environment) a line it cannot read, with its
// number.
SyncRecords read_sync_records(const std::filesystem::path& folder);

// One line of such a file; throws nlohmann::json's exceptions.
SyncRecord sync_record_of(const std::string& line);

}  // namespace aisp::lab
