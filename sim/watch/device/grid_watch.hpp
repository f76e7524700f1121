// The hazard checker of one grid: keeps happens-before while the grid runs and compares every
// access with those before it. docs/hazards.md explains the model. It is told before an instruction
// touches memory, so a grid that is watched runs on one thread; one schedule then gives one report.
#pragma once

#include <map>
#include <span>
#include <string>

#include "sim/machine/observer.hpp"
#include "sim/machine/tensor_use.hpp"
#include "sim/watch/device/beside.hpp"
#include "sim/watch/device/code_facts.hpp"
#include "sim/watch/device/missing_edges.hpp"
#include "sim/watch/device/state.hpp"
#include "sim/watch/process_watch.hpp"

namespace aisp::sim::watch {

// Who makes an access that is being compared.
struct Accessor {
  WarpWatch* warp = nullptr;
  Operation* operation = nullptr;  // null: lanes
  const Group* group = nullptr;    // what the lane knows
  Actor actor = 0;                 // that goes into the stamp
  std::uint32_t time = 0, pc = 0;
  int lane = 0;
  Access access{};
  std::uint8_t flags = 0;
  std::uint8_t seen = 0;   // that goes into the cell
  bool read_only = false;  // ld.global.nc, suld
  bool texture = false;    // tex, tld4
  // Actors that are no lanes have one, the first.
  int stamp_lane() const { return channel_of(actor) == Channel::mbarrier ? 0 : lane; }
};

// Where memory lies that an access touches.
struct Region {
  BlockWatch* block = nullptr;  // null: global memory
  std::uint64_t address = 0;    // offset in the block's shared memory, or global address
};

// An access that came before, as a report needs it.
struct Before {
  Actor actor = 0;
  std::uint32_t time = 0, pc = 0;
  int lane = -1;
  bool wrote = false;
  bool fenced = true;  // false: ordered, but a proxy fence is missing
  Mask lanes = 0;      // that did it; 0: `lane` alone
  // A read of what a copy brings, by a thread that knows neither of the copy nor of what was there
  // before: the read comes too early, and not the copy.
  bool premature = false;
};

// A write that may come again. One of lanes at addresses of their own has no step.
struct LastWrite {
  Accessor who;
  Mask mask = 0;
  std::int64_t step = 0;
  std::uint32_t bytes = 0;
  std::byte* at[lanes];  // the first alone, until it is armed or where there is a step
  bool armed = false;    // has come a second time, and nothing since
  bool put_off = false;  // has come since: its pc is not in the shadow yet
  bool is_like(const Accessor& now, Mask of, std::byte* const* to, std::int64_t apart,
               std::uint32_t size) const {
    return who.warp == now.warp && who.time == now.time && who.flags == now.flags &&
           who.seen == now.seen && who.access == now.access && mask == of && step == apart &&
           bytes == size && at[std::countr_zero(of)] == to[std::countr_zero(of)];
  }
};

// order.cpp. What of this the lane, or the lanes that issued the operation, did not do themselves
// before; for actors of the same warp or of its asynchronous work.
Mask not_own(const Accessor& who, Actor actor, Mask mask, std::uint32_t time);

// Which fence is missing between two accesses that a relaxed flag or counter orders on a GPU.
enum class CounterFence : std::uint8_t {
  none,     // nothing orders the two
  release,  // the first was fenced by its own thread, not by the one that writes the flag
  acquire,  // behind the relaxed read of the flag
};

class GridWatch final : public Observer {
 public:
  GridWatch(ProcessWatch& process, Grid& grid, bool programmatic);
  ~GridWatch() override;
  Footprint finish();

  void cluster_started(Cluster& cluster) override;
  void lanes_left(Warp& warp, Mask mask) override;
  void cluster_done(Cluster& cluster) override;
  void stopped(Cluster& cluster, const Fault& fault) override;
  void tolerated(Warp& warp, int lane, const Fault& fault) override;
  void access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) override;
  void access_run(Warp& warp, std::byte* first, std::int64_t step, const AccessForm& form) override;
  void constant_read(Warp& warp, Mask mask, std::byte* const* at, std::uint32_t bytes) override;
  void wrote(Warp& warp) override;
  void warp_barrier(Warp& warp, Mask mask) override;
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
  void mbarrier_inval(Warp& warp, int lane, std::uint32_t address) override;
  void mbarrier_applied(Block& from, const MBarrierActor& actor, std::uint32_t address,
                        MBarrierAction action, std::uint32_t count, const MBarrier& before,
                        const MBarrier& after) override;
  void mbarrier_tested(Warp& warp, Mask lanes, std::uint32_t address, bool parity, bool complete,
                       bool acquires) override;
  std::uint64_t issued(Warp& warp, Mask mask, AsyncKind kind) override;
  void copies_access(Cluster& cluster, Mask mask, const LaneCopy* copies,
                     std::uint32_t bytes) override;
  void async_access(Cluster& cluster, std::byte* at, std::uint64_t bytes, Access access, int lane,
                    std::uint32_t barrier) override;
  void tensor_map_read(Warp& warp, int lane, std::byte* at) override;
  void mbarrier_named(Warp& warp, int lane, std::uint32_t address) override;
  void run_done(Cluster& cluster, std::uint64_t watched) override;
  void committed(Warp& warp, Mask mask, AsyncKind kind) override;
  void groups_waited(Warp& warp, Mask mask, AsyncKind kind, std::uint32_t newest,
                     bool read_only) override;
  void all_waited(Warp& warp, Mask mask, AsyncKind kind) override;
  void products_ended(Warp& warp, int first_warp, std::uint32_t groups) override;
  std::uint64_t copies_will_arrive(Warp& warp, int lane) override;
  std::uint64_t products_will_arrive(Warp& warp, int lane, std::uint32_t barrier,
                                     bool pair) override;
  void tensor_used(Warp& warp, int lane, const TensorUse& use) override;
  void tensor_waited(Warp& warp, bool stores) override;
  void load_register(Warp& warp, const Op& op, Mask mask) override;
  void tensor_asked(Warp& warp, const TensorRequest& request) override;
  void tensor_granted(Warp& warp, const TensorRequest& request) override;
  void tensor_returned(Warp& warp, const TensorRequest& request) override;
  void cancel_asked(Warp& warp, int lane) override;
  void cancel_refused(Warp& warp, Mask mask) override;
  void wgmma_fence(Warp& warp) override;
  void product_issued(Warp& warp, const Op& op) override;
  void product_register(Warp& warp, const Op& op, Mask mask) override;

 private:
  // copy_check.cpp
  bool touch_copies(Cluster& cluster, int first, const LaneCopy* copies, int count,
                    std::uint32_t bytes);
  // async_check.cpp
  std::uint64_t will_arrive(Warp& warp, int lane, const Entry& done, std::vector<Entry> tensor);
  // tensor_check.cpp
  void compare(const WarpWatch& self, const Group& group, const TensorRecord& before,
               const TensorRecord& now, const BlockWatch& owner);
  void follow_content(const WarpWatch& self, int lane, const TensorUse& use);
  void check_defined(const WarpWatch& self, const TensorUse& use);
  void check_live(const WarpWatch& self, int lane, const TensorUse& use);
  void check_quarter(const WarpWatch& self, const TensorUse& use);
  const WarpWatch* warp_of(const BlockWatch& near, Actor actor) const;
  bool is_premature_load(const BlockWatch& owner, const TensorRecord& before,
                         const TensorRecord& now) const;
  // tensor_allocation.cpp
  void check_group(const WarpWatch& self, int lane, bool pair, const char* what);
  void check_peer(const WarpWatch& self, const TensorRequest& request);
  void check_peer_freed(const BlockWatch& block);
  void check_freed(WarpWatch& self, BlockWatch& owner, const TensorRequest& request,
                   const ClockPtr& known_to_pair);
  // tensor_report.cpp
  void report_tensor(HazardRule rule, const WarpWatch& self, const Group& group,
                     const TensorRecord& before, const TensorRecord& now, const BlockWatch& owner,
                     bool premature = false);
  void describe_tensor(HazardRule rule, const WarpWatch& self, const TensorRecord& before,
                       const TensorRecord& now, const BlockWatch& owner, bool premature,
                       FindingNumber from);
  // access_check.cpp, cell_check.cpp
  Region region_of(Cluster& cluster, Block& own, const std::byte* at) const;
  Page& page_of(const Region& region) {
    return region.block != nullptr
               ? region.block->shadow.page(static_cast<std::uint32_t>(region.address))
               : global_.page(region.address);
  }
  void touch(const Region& region, std::uint64_t bytes, Accessor& who);
  void touch_cells(Page& page, Region at, std::uint32_t offset, std::uint32_t bytes, int count,
                   Accessor& who);
  void touch_cell(Page& page, std::uint32_t offset, const Region& region, const Accessor& who);
  bool touch_row(Page& page, const Region& region, std::uint32_t offset, std::uint32_t bytes,
                 Accessor& who);
  // segment_check.cpp
  bool knows_warp(const Accessor& who, Actor actor, std::uint32_t time, bool read) const;
  bool can_be_segment(const Page& page, const Region& region, const Accessor& who) const;
  bool touch_segment(Page& page, std::uint32_t offset, std::uint32_t unit, const LaneOrder& order,
                     const Accessor& who);
  void start_segment(Page& page, std::uint32_t offset, std::uint32_t unit, const LaneOrder& order,
                     const Accessor& who);
  // repeat_check.cpp
  bool repeats_write(const Accessor& who, Mask mask, std::byte* const* at, std::int64_t step,
                     std::uint32_t bytes);
  void note_write(const Accessor& who, Mask mask, std::byte* const* at, std::int64_t step,
                  std::uint32_t bytes);
  void settle_write();
  bool can_repeat(const WarpWatch& warp, const AccessForm& form);
  bool repeats(const LastRead& last, const WarpWatch& warp, const AccessForm& form,
               Mask mask) const;
  bool repeats_run(const WarpWatch& warp, const std::byte* first, std::int64_t step,
                   const AccessForm& form) const;
  bool repeats_lanes(const WarpWatch& warp, Mask mask, std::byte* const* at,
                     const AccessForm& form) const;
  void note_run(WarpWatch& warp, const std::byte* first, std::int64_t step,
                const AccessForm& form) const;
  void note_lanes(WarpWatch& warp, Mask mask, std::byte* const* at, std::uint32_t bytes) const;
  void touch_run(Region region, std::int64_t step, std::uint32_t bytes, Accessor& who);
  void touch_neighbours(Page& page, const Region& region, std::uint32_t offset, std::uint32_t bytes,
                        int count, Accessor& who);
  void prepare(Page& page, const Region& region, std::uint32_t offset, std::uint32_t bytes,
               std::uint32_t all_bytes, const Accessor& who);
  void read_cell(Page& page, Cell& cell, const Region& region, std::uint32_t size,
                 const Accessor& who);
  void write_cell(Page& page, Cell& cell, const Region& region, std::uint32_t size,
                  const Accessor& who);
  void suspect(const Region& region, std::uint32_t size, const Stamp& before, const Accessor& who);
  void judge_suspects(Cluster& cluster, Operation& operation);
  void touch_broadcast(const Region& region, std::uint32_t bytes, Accessor who);
  void touch_lane(const Region& region, std::uint32_t bytes, Accessor& who);
  void access_quickly(Warp& warp, Mask mask, std::byte* const* at, std::uint32_t bytes,
                      Accessor& who);
  void access_lanes(Warp& warp, Mask mask, std::byte* const* at, std::uint32_t bytes,
                    Accessor& who);
  bool has_options() const { return process_.options.uninitialised || process_.options.advice; }
  Accessor accessor(WarpWatch& warp, const AccessForm& form) const;
  void access_wanted(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form);
  // option_checks.cpp
  void check_initialised(const Region& region, std::uint32_t size, const Accessor& who);
  void count_advice(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form,
                    std::uint32_t pc);
  void report_advice();
  // exit_check.cpp, mbarrier_check.cpp
  void report_use_after_exit(const Region& region, const Accessor& who);
  void check_overwritten(const Region& region, std::uint32_t bytes, const Accessor& who);
  void note_talk();
  void note_early(const Region& region, std::uint64_t bytes, const Accessor& who);
  // cancel_check.cpp
  void check_answer_fenced(const Region& region, const Reader& reader, const Accessor& who);
  // order.cpp: is what was done before known to the one who acts now?
  bool knows(const Accessor& who, Actor actor, Mask mask, std::uint32_t time, bool read) const {
    return unknown(who, actor, mask, time, read) == 0;
  }
  // Lanes of `mask` whose doing is not.
  Mask unknown(const Accessor& who, Actor actor, Mask mask, std::uint32_t time, bool read) const;
  bool knows_write(const Accessor& who, const Stamp& write, bool in_shared, bool& fenced) const;
  // Lanes that read and of which that is not known.
  Mask unknown_readers(const Accessor& who, const Reader& read) const;
  // What a flag or counter has told without the fences that belong to it, and whether the bytes may
  // be stale then.
  CounterFence counter_fence(const Accessor& who, const Before& before) const;
  bool may_be_cached(const Region& region, const Accessor& who);
  bool strong_pair(std::uint8_t a_flags, Actor a, std::uint8_t b_flags, Actor b) const;
  // wgmma_check.cpp
  void moved_register(WarpWatch& self, const Op& op, std::uint32_t pc);
  void report_register(WarpWatch& self, const ProductInFlight& product, std::uint32_t pc,
                       const std::string& what);
  // beside_check.cpp: grids of other streams
  bool has_beside();
  void compare_beside(const Region& region, std::uint64_t bytes, const Accessor& who);
  void compare_page(const GridRecord& other, Page& page, Region region, std::uint32_t bytes,
                    const Accessor& who);
  void race_beside(const GridRecord& other, const Region& region, std::uint32_t size,
                   const Before& before, const Accessor& now);
  void note_listens(const SyncLocation& location);
  // sync_locations.cpp: atomics and flags
  bool can_synchronise(const WarpWatch& warp, const AccessForm& form) const;
  void synchronise(WarpWatch& warp, Mask mask, const Region& region, const AccessForm& form);
  // exit_check.cpp
  void block_exits(BlockWatch& block);
  void check_registers(BlockWatch& block);
  std::uint32_t launched_registers() const;
  // stopped.cpp
  void report_deadlock(Cluster& cluster);
  std::string describe_mbarrier(Warp& warp, const LaneGroup& lane_group, std::uint32_t address,
                                bool parity);
  // mbarrier_check.cpp
  MBarrierWatch* find_mbarrier(Block& from, std::uint32_t address, BlockWatch** owner = nullptr);
  bool initialised_together(MBarrierWatch& barrier, const WarpWatch& self, int lane,
                            std::uint32_t count);
  void check_init_seen(WarpWatch& warp, int lane, MBarrierWatch& barrier, bool async,
                       const char* what);
  void check_waits(MBarrierWatch& barrier, std::uint32_t pc, WarpWatch* by, int lane);
  void check_surplus(MBarrierWatch& barrier, WarpWatch& by, int lane);
  // report.cpp
  void race(const Region& region, std::uint32_t size, const Before& before, const Accessor& now);
  void describe_race(HazardRule rule, Reach reach, const Region& region, std::uint32_t size,
                     const Before& before, const Accessor& now, CounterFence lacks,
                     FindingNumber from);
  void report_read_only(const Region& region, std::uint32_t size, const Stamp& write,
                        const Accessor& who);
  HazardRule rule_of(const Region& region, const Before& before, const Accessor& now) const;
  Reach reach_of(const Region& region, const Before& before, const Accessor& now) const;
  std::string object_text(const Region& region) const;
  FindingPlace place_of(Actor actor, int lane, std::uint32_t pc, std::string what) const {
    return record_->place_of(actor, lane, pc, std::move(what));
  }
  FindingPlace place_here(const WarpWatch& warp, int lane, std::uint32_t pc,
                          std::string what) const;
  void add(HazardRule rule, std::string message, std::string why, std::string fix,
           std::vector<FindingPlace> places, std::uint32_t first_pc, std::uint32_t second_pc,
           Reach reach = Reach::unknown, const std::string& object = "",
           bool object_is_cause = false, FindingNumber from = no_finding);
  bool known(HazardRule rule, std::uint32_t first_pc, std::uint32_t second_pc,
             Reach reach = Reach::unknown, FindingNumber from = no_finding);
  // consequence.cpp: which finding an occurrence follows from, and what may follow from it.
  bool is_premature(const Region& region, const Reader& reader, int lane, const Stamp& write,
                    const Accessor& who) const;
  Event event_of(const BlockWatch& near, Actor actor, int lane, std::uint32_t time,
                 std::uint32_t pc) const;
  bool is_waited_for(const WarpWatch& issuer, const Event& operation) const;
  bool same_wait(const BlockWatch& near, const Event& event, const Event& known) const;
  FindingNumber root_of(HazardRule rule, const Region& region, const Before& before,
                        const Accessor& now) const;
  FindingNumber root_of_register(const WarpWatch& self, const Event& product,
                                 std::uint32_t pc) const;
  FindingNumber root_of_wait(const BarrierEvent& wait, const MBarrierWatch& barrier) const;
  FindingNumber root_of_exit(const BlockWatch& block, Actor actor, int lane, std::uint32_t time,
                             std::uint32_t pc) const;
  FindingNumber root_of_tensor_use(const WarpWatch& self, const Group& group, const Event& before,
                                   const Event& now) const;
  FindingNumber root_of_fault(Block& block, const Fault& fault, std::uint32_t pc);
  FindingNumber root_of_late(const BlockWatch& near, const Event& access, const Event& operation,
                             const Accessor& now) const;
  bool is_root(HazardRule rule, std::uint32_t first_pc, std::uint32_t second_pc) const;
  FindingNumber number_of(HazardRule rule, std::uint32_t first_pc, std::uint32_t second_pc) const;
  // `before` and `after` are in no order: what that leads to follows from the finding about them,
  // or from the one that this follows from.
  void note_edge(HazardRule rule, const Event& before, const Event& after, FindingNumber from);
  void note_disturbed(HazardRule rule, const MBarrierWatch& barrier, std::uint32_t first_pc,
                      std::uint32_t second_pc, FindingNumber from = no_finding);
  // cause.cpp
  Finding::Between between(HazardRule rule, std::uint32_t first_pc, std::uint32_t second_pc) const;
  std::set<std::string> causes_of(HazardRule rule, const std::vector<FindingPlace>& places,
                                  std::uint32_t first_pc, std::uint32_t second_pc,
                                  const std::string& object) const;
  std::string missing_wait_text(HazardRule rule, const Region& region, const Before& before,
                                const Accessor& now, std::uint32_t reader_pc) const;
  std::string address_text(const Region& region) const;
  std::string mbarrier_text(const MBarrierWatch& barrier) const;

  std::uint32_t block_number(Actor actor) const { return record_->block_number(actor); }
  // Whether the reader's load may still find what was there before the writer, order or no order.
  // A texture fetch finds nothing for sure that its own grid wrote.
  bool may_be_stale(const Accessor& who, Actor writer) const {
    if (!(who.read_only || who.texture) || channel_of(writer) == Channel::mbarrier ||
        channel_of(writer) == Channel::grid_ahead)
      return false;
    return who.texture || block_number(writer) != block_number(who.actor);
  }
  std::uint32_t cluster_number(Actor actor) const;

  ProcessWatch& process_;
  Grid& grid_;
  const GridRecordPtr record_;
  const std::string& kernel_;
  const bool programmatic_;
  const std::shared_ptr<const CodeFacts>& facts_;
  GlobalShadow& global_;
  SyncLocations own_locations_;
  SyncLocations& global_locations_;    // own, or those of all grids beside each other
  std::vector<GridRecordPtr> beside_;  // see has_beside()
  std::uint64_t beside_version_ = 0;
  const ClockPtr known_;  // what its threads know when they begin
  mutable KnownEntries entries_;
  std::uint64_t writes_ = 0;  // instructions and copies so far that have written something
  LastWrite last_write_;
  std::uint64_t compared_ = 0;  // cells that no quick check has decided
  MissingEdges missing_;
  Footprint touched_;
  std::map<std::uint64_t, TouchedRange> constants_;  // read so far, by begin
  std::uint32_t mbarriers_;
  std::uint32_t tensor_group_ = 0, tensor_group_pc_ = 0;  // .cta_group of the first instruction
  struct Advice {
    std::uint64_t times = 0, extra = 0, least = 0;
  };
  std::map<std::pair<HazardRule, std::uint32_t>, Advice> advice_;  // by rule and instruction
};

}  // namespace aisp::sim::watch
