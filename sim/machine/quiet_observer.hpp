// An observer that takes no notice of anything: one that is interested in a few things begins here.
#pragma once

#include "sim/machine/observer.hpp"

namespace aisp::sim {

class QuietObserver : public Observer {
 public:
  void cluster_started(Cluster&) override {}
  void lanes_left(Warp&, Mask) override {}
  void cluster_done(Cluster&) override {}
  void stopped(Cluster&, const Fault&) override {}
  void tolerated(Warp&, int, const Fault&) override {}
  void access(Warp&, Mask, std::byte* const*, const AccessForm&) override {}
  void access_run(Warp&, std::byte*, std::int64_t, const AccessForm&) override {}
  void constant_read(Warp&, Mask, std::byte* const*, std::uint32_t) override {}
  void wrote(Warp&) override {}
  void warp_barrier(Warp&, Mask) override {}
  void collective(Warp&, Mask) override {}
  void fence(Warp&, Mask, FenceKind, MemoryOrder, Scope, bool) override {}
  void registers_changed(Warp&, bool, std::uint32_t) override {}
  void dependency_wait(Warp&, Mask) override {}
  void dependents_released(Warp&, Mask) override {}
  void barrier_arrived(Warp&, Mask, std::uint32_t, std::uint64_t) override {}
  void barrier_passed(Warp&, Mask, std::uint32_t, std::uint64_t) override {}
  void cluster_arrived(Warp&, Mask, std::uint64_t, bool) override {}
  void cluster_passed(Warp&, Mask, std::uint64_t) override {}
  void mbarrier_init(Warp&, int, std::uint32_t, std::uint32_t) override {}
  void mbarrier_inval(Warp&, int, std::uint32_t) override {}
  void mbarrier_applied(Block&, const MBarrierActor&, std::uint32_t, MBarrierAction, std::uint32_t,
                        const MBarrier&, const MBarrier&) override {}
  void mbarrier_tested(Warp&, Mask, std::uint32_t, bool, bool, bool) override {}
  std::uint64_t issued(Warp&, Mask, AsyncKind) override { return 0; }
  void async_access(Cluster&, std::byte*, std::uint64_t, Access, int, std::uint32_t) override {}
  void tensor_map_read(Warp&, int, std::byte*) override {}
  void mbarrier_named(Warp&, int, std::uint32_t) override {}
  void run_done(Cluster&, std::uint64_t) override {}
  void committed(Warp&, Mask, AsyncKind) override {}
  void groups_waited(Warp&, Mask, AsyncKind, std::uint32_t, bool) override {}
  void all_waited(Warp&, Mask, AsyncKind) override {}
  void products_ended(Warp&, int, std::uint32_t) override {}
  std::uint64_t copies_will_arrive(Warp&, int) override { return 0; }
  std::uint64_t products_will_arrive(Warp&, int, std::uint32_t, bool) override { return 0; }
  void tensor_used(Warp&, int, const TensorUse&) override {}
  void tensor_waited(Warp&, bool) override {}
  void load_register(Warp&, const Op&, Mask) override {}
  void tensor_asked(Warp&, const TensorRequest&) override {}
  void tensor_granted(Warp&, const TensorRequest&) override {}
  void tensor_returned(Warp&, const TensorRequest&) override {}
  void cancel_asked(Warp&, int) override {}
  void cancel_refused(Warp&, Mask) override {}
  void wgmma_fence(Warp&) override {}
  void product_issued(Warp&, const Op&) override {}
  void product_register(Warp&, const Op&, Mask) override {}
};

}  // namespace aisp::sim
