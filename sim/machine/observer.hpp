// Who looks on while a grid runs. Handlers, asynchronous operations and the scheduler tell it what
// they do; nothing here changes what a program computes. A plain run has none (null in Grid).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sim/machine/mbarrier.hpp"
#include "sim/program/op.hpp"

namespace aisp::sim {

struct Block;
struct Cluster;
struct Fault;
struct TensorRequest;
struct TensorUse;
struct Warp;

enum class Access : std::uint8_t { read, write, atomic };
enum class MemoryOrder : std::uint8_t { weak, relaxed, acquire, release, acq_rel, volatile_ };
enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

// Which caches answer a read: those of textures and surfaces do not hear of writes.
enum class MemoryPath : std::uint8_t { generic, texture, surface };

// What the lanes of an instruction do to memory, through the generic proxy.
struct AccessForm {
  Access access{};
  MemoryOrder order = MemoryOrder::weak;  // of an atomic without one: relaxed
  Scope scope = Scope::gpu;               // of an access that is not weak
  std::uint32_t bytes = 0;                // of each lane
  MemoryPath path = MemoryPath::generic;
  // A vector load some of whose elements go nowhere: how many it has, and a bit for each that is
  // wanted. The hardware moves all of them, and nobody can tell what the others held.
  std::uint8_t elements = 1, wanted = 1;
  // tcgen05.alloc: one store that all lanes of the warp make together.
  bool by_whole_warp = false;
  bool wants_all() const { return wanted == (1u << elements) - 1; }
};

// Operations that somebody else than the issuing lane performs.
enum class AsyncKind : std::uint8_t {
  copy,          // cp.async: groups, generic proxy
  bulk_load,     // cp.async.bulk(.tensor), cp.reduce into shared memory: ends at an mbarrier
  bulk_store,    // ... out of shared memory: bulk groups; the source is read first
  lane_store,    // st.async, red.async: ends at an mbarrier, generic proxy
  product,       // wgmma.mma_async: groups; one operation per warp. tcgen05.mma, cp, shift: ends at
                 // an mbarrier
  tensor_load,   // tcgen05.ld: nothing but tensor memory and registers
  tensor_store,  // tcgen05.st
};

enum class FenceKind : std::uint8_t {
  thread,             // fence.{sc,acq_rel,acquire,release}, membar: order and scope
  async_shared,       // fence.proxy.async.shared::{cta,cluster}, .async::generic
  async_global,       // fence.proxy.async.global
  async_all,          // fence.proxy.async
  mbarrier_init,      // fence.mbarrier_init.release.cluster
  tensormap_release,  // fence.proxy.tensormap::generic.release
  tensormap_acquire,  // ... .acquire
  tensor_before,      // tcgen05.fence::before_thread_sync
  tensor_after,       // tcgen05.fence::after_thread_sync
};

// Who does something to an mbarrier: lanes of a warp, or an asynchronous operation (no warp).
struct MBarrierActor {
  Warp* warp = nullptr;
  Mask lanes = 0;
  bool releases = true;  // false: .relaxed
};

// What cp.async copies for one lane: what is not given is zero.
struct LaneCopy {
  std::byte* to;
  std::byte* from;
  std::uint32_t given;  // bytes of the source
};

class Observer {
 public:
  virtual ~Observer() = default;
  static constexpr std::uint32_t no_barrier = 0xffffffffu;

  // ---- A grid's life. All calls come from one thread.
  virtual void cluster_started(Cluster& cluster) = 0;
  virtual void lanes_left(Warp& warp, Mask mask) = 0;  // exit; before Block::exited counts them
  virtual void cluster_done(Cluster& cluster) = 0;     // all exited, nothing pending
  // A fault that stops the grid, with the launcher's report of it.
  virtual void stopped(Cluster& cluster, const Fault& fault) = 0;
  // An instruction against its own rules that hardware executes all the same: the grid goes on.
  virtual void tolerated(Warp& warp, int lane, const Fault& fault) = 0;

  // ---- Memory. Called before the instruction touches it; `at` are host pointers of lanes in mask.
  // Not for local memory and kernel parameters.
  virtual void access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) = 0;
  // All 32 lanes, evenly spaced.
  virtual void access_run(Warp& warp, std::byte* first, std::int64_t step,
                          const AccessForm& form) = 0;
  // Loads through ld.const, which no access of the same grid can race with.
  virtual void constant_read(Warp& warp, Mask mask, std::byte* const* at, std::uint32_t bytes) = 0;
  // After an instruction that wrote, where `suspects` is set.
  virtual void wrote(Warp& warp) = 0;
  bool suspects = false;

  // ---- Inside a warp.
  virtual void warp_barrier(Warp& warp, Mask mask) = 0;  // bar.warp.sync: these lanes have met
  virtual void collective(Warp& warp, Mask mask) = 0;    // .sync/.aligned: executed together
  virtual void fence(Warp& warp, Mask mask, FenceKind kind, MemoryOrder order, Scope scope,
                     bool sequential) = 0;
  virtual void registers_changed(Warp& warp, bool increase, std::uint32_t count) = 0;  // setmaxnreg
  virtual void dependency_wait(Warp& warp, Mask mask) = 0;      // griddepcontrol.wait
  virtual void dependents_released(Warp& warp, Mask mask) = 0;  // ... .launch_dependents

  // ---- Barriers of the block and of the cluster. `generation`: phase that ends; both from 1.
  virtual void barrier_arrived(Warp& warp, Mask mask, std::uint32_t index,
                               std::uint64_t generation) = 0;
  virtual void barrier_passed(Warp& warp, Mask mask, std::uint32_t index,
                              std::uint64_t generation) = 0;
  virtual void cluster_arrived(Warp& warp, Mask mask, std::uint64_t generation, bool releases) = 0;
  virtual void cluster_passed(Warp& warp, Mask mask, std::uint64_t generation) = 0;

  // ---- mbarriers; `address` is the shared::cluster address.
  virtual void mbarrier_init(Warp& warp, int lane, std::uint32_t address, std::uint32_t count) = 0;
  virtual void mbarrier_inval(Warp& warp, int lane, std::uint32_t address) = 0;
  virtual void mbarrier_applied(Block& from, const MBarrierActor& actor, std::uint32_t address,
                                MBarrierAction action, std::uint32_t count, const MBarrier& before,
                                const MBarrier& after) = 0;
  // Answered yes (the lanes go on) or no (they poll again, or have given up).
  virtual void mbarrier_tested(Warp& warp, Mask lanes, std::uint32_t address, bool parity,
                               bool complete, bool acquires) = 0;

  // ---- Asynchronous operations. issued() is called before the operation can run; its number goes
  // to AsyncOp::watched and, while the operation reads or runs, to Cluster::acting.
  virtual std::uint64_t issued(Warp& warp, Mask mask, AsyncKind kind) = 0;
  // What the acting cp.async of these lanes copies, in their order, `bytes` for each. One by one to
  // async_access(), unless the observer takes them together.
  virtual void copies_access(Cluster& cluster, Mask mask, const LaneCopy* copies,
                             std::uint32_t bytes) {
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const LaneCopy& one = *copies++;
      if (one.given != 0)
        async_access(cluster, one.from, one.given, Access::read, lane, no_barrier);
      async_access(cluster, one.to, bytes, Access::write, lane, no_barrier);
    }
  }
  // What the acting operation touches. `lane`: whose copy of a cp.async it is; `barrier`: where
  // its completion is announced (bulk_load, lane_store). wgmma reads through the async proxy.
  virtual void async_access(Cluster& cluster, std::byte* at, std::uint64_t bytes, Access access,
                            int lane, std::uint32_t barrier) = 0;
  // A tensor map of 128 bytes is read by the lane that issues a tensor copy (tensormap proxy).
  virtual void tensor_map_read(Warp& warp, int lane, std::byte* at) = 0;
  // A bulk operation that will announce its end at this mbarrier is being issued by the lane.
  virtual void mbarrier_named(Warp& warp, int lane, std::uint32_t address) = 0;
  virtual void run_done(Cluster& cluster, std::uint64_t watched) = 0;
  virtual void committed(Warp& warp, Mask mask, AsyncKind kind) = 0;
  // All but the `newest` committed groups have ended (only their reads, with read_only).
  virtual void groups_waited(Warp& warp, Mask mask, AsyncKind kind, std::uint32_t newest,
                             bool read_only) = 0;
  virtual void all_waited(Warp& warp, Mask mask, AsyncKind kind) = 0;  // cp.async.wait_all
  // The warp has waited for the first `groups` groups of products, those of the three other warps
  // of its warpgroup included.
  virtual void products_ended(Warp& warp, int first_warp, std::uint32_t groups) = 0;
  // cp.async.mbarrier.arrive: the copies the lane has issued so far release at their barrier
  // (`mbarrier_applied` follows with no warp while Cluster::arriving holds this number).
  virtual std::uint64_t copies_will_arrive(Warp& warp, int lane) = 0;
  // tcgen05.commit: the same of what the lane has asked of the tensor core so far. `barrier` is a
  // shared::cluster address, `pair` says .cta_group::2.
  virtual std::uint64_t products_will_arrive(Warp& warp, int lane, std::uint32_t barrier,
                                             bool pair) = 0;

  // ---- Tensor memory. Told when the instruction is issued, before issued(); lane -1: the warp.
  virtual void tensor_used(Warp& warp, int lane, const TensorUse& use) = 0;
  virtual void tensor_waited(Warp& warp, bool stores) = 0;  // tcgen05.wait::st, or ::ld
  // An instruction with Op::touches_loads is about to run.
  virtual void load_register(Warp& warp, const Op& op, Mask mask) = 0;
  // An allocation, or one given back, is asked for, and is made: of a pair for both, by one of
  // their warps. Then the instruction of each warp of a pair returns.
  virtual void tensor_asked(Warp& warp, const TensorRequest& request) = 0;
  virtual void tensor_granted(Warp& warp, const TensorRequest& request) = 0;
  virtual void tensor_returned(Warp& warp, const TensorRequest& request) = 0;

  // ---- Launch control: a try_cancel is issued; these lanes have read that one found nothing.
  virtual void cancel_asked(Warp& warp, int lane) = 0;
  virtual void cancel_refused(Warp& warp, Mask mask) = 0;

  // ---- wgmma and its registers.
  virtual void wgmma_fence(Warp& warp) = 0;
  // `op` is a wgmma.mma_async about to be issued.
  virtual void product_issued(Warp& warp, const Op& op) = 0;
  // An instruction with Op::touches_products or drains_products is about to run.
  virtual void product_register(Warp& warp, const Op& op, Mask mask) = 0;
};

}  // namespace aisp::sim
