// Watches one grid and writes down who signals and who waits: the record that `aisp draw sync`
// makes its graph of.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/quiet_observer.hpp"
#include "sim/machine/warp.hpp"
#include "sim/watch/sync/sync_log.hpp"

namespace aisp::sim::watch {

// What a record says about the launch.
struct SyncLaunch {
  Dim3 grid, block, cluster;
  std::uint32_t dynamic_shared = 0;
};

class SyncRecorder final : public QuietObserver {
 public:
  // A JSON object in one line, when the grid has ended.
  std::string record(const Program& program, const Routine& kernel, const SyncLaunch& launch) const;

  void cluster_started(Cluster& cluster) override;
  void cluster_done(Cluster& cluster) override;
  void stopped(Cluster& cluster, const Fault& fault) override;
  void access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) override;
  void access_run(Warp& warp, std::byte* first, std::int64_t step, const AccessForm& form) override;
  void collective(Warp& warp, Mask mask) override;
  void fence(Warp& warp, Mask mask, FenceKind kind, MemoryOrder order, Scope scope,
             bool sequential) override;
  void registers_changed(Warp& warp, bool increase, std::uint32_t count) override;
  void dependency_wait(Warp& warp, Mask mask) override;
  void dependents_released(Warp& warp, Mask mask) override;
  void barrier_arrived(Warp& warp, Mask mask, std::uint32_t index,
                       std::uint64_t generation) override;
  void barrier_passed(Warp& warp, Mask mask, std::uint32_t index,
                      std::uint64_t generation) override;
  void cluster_arrived(Warp& warp, Mask mask, std::uint64_t generation, bool releases) override;
  void cluster_passed(Warp& warp, Mask mask, std::uint64_t generation) override;
  void mbarrier_init(Warp& warp, int lane, std::uint32_t address, std::uint32_t count) override;
  void mbarrier_applied(Block& from, const MBarrierActor& actor, std::uint32_t address,
                        MBarrierAction action, std::uint32_t count, const MBarrier& before,
                        const MBarrier& after) override;
  void mbarrier_tested(Warp& warp, Mask lanes, std::uint32_t address, bool parity, bool complete,
                       bool acquires) override;
  std::uint64_t issued(Warp& warp, Mask mask, AsyncKind kind) override;
  std::uint64_t copies_will_arrive(Warp& warp, int lane) override;
  std::uint64_t products_will_arrive(Warp& warp, int lane, std::uint32_t barrier,
                                     bool pair) override;

 private:
  struct ClusterLog;
  ClusterLog& of(Cluster& cluster) const;
  ClusterLog& of(Warp& warp) const { return of(*warp.block->cluster); }
  void keep(const SyncLog& log);
  std::string async_word(const Warp& warp, AsyncKind kind) const;
  void does(Warp& warp, const std::string& what);
  void count(Warp& warp, SyncDeed deed, const SyncBarrier& barrier, std::uint64_t amount);
  // A wait or a meeting counts once for each phase at one place, however many pieces the warp
  // comes in.
  void count_phase(Warp& warp, SyncDeed deed, const SyncBarrier& barrier, std::uint64_t phase,
                   std::uint64_t amount);
  std::uint64_t will_arrive(Warp& warp, const std::string& how);

  std::vector<std::pair<SyncLog, std::uint64_t>> logs_;  // different ones, and how many clusters
  std::uint32_t reserved_ = 0;  // bytes of shared memory in front of the kernel's variables
  bool stopped_ = false;
};

}  // namespace aisp::sim::watch
