#include "sim/watch/sync/sync_recorder.hpp"

#include <algorithm>
#include <bit>
#include <deque>

#include "base/refuse.hpp"

namespace aisp::sim::watch {
namespace {

std::uint32_t pc_of(const Warp& warp) {
  return warp.lane_group != nullptr ? warp.lane_group->pc : 0;
}

SyncBarrier mbarrier_of(std::uint32_t address) {
  constexpr std::uint32_t offset_mask = (1u << shared_rank_shift) - 1;
  return {SyncObject::mbarrier, address >> shared_rank_shift, address & offset_mask};
}

SyncBarrier own(const Warp& warp, SyncObject object, std::uint32_t number = 0) {
  return {object, warp.block->rank, number};
}

bool in_shared(const Cluster& cluster, const std::byte* at) {
  return std::any_of(cluster.blocks.begin(), cluster.blocks.end(), [&](const auto& block) {
    return at >= block->shared && at < block->shared + block->shared_bytes;
  });
}

constexpr SyncBarrier grid_barrier{SyncObject::grid, 0, 0};

bool in_workspace(const Warp& warp, const std::byte* at) {
  constexpr std::uint64_t bytes = 256;  // of a cooperative grid
  const std::uint64_t start = warp.block->grid->workspace;
  const auto address = reinterpret_cast<std::uint64_t>(at);
  return start != 0 && address >= start && address < start + bytes;
}

const char* word_of(FenceKind kind) {
  switch (kind) {
    case FenceKind::async_shared:
    case FenceKind::async_global:
    case FenceKind::async_all:
      return "fence.proxy.async";
    case FenceKind::mbarrier_init:
      return "fence.mbarrier_init";
    case FenceKind::tensormap_release:
    case FenceKind::tensormap_acquire:
      return "fence.proxy.tensormap";
    case FenceKind::tensor_before:
      return "tcgen05.fence::before_thread_sync";
    case FenceKind::tensor_after:
      return "tcgen05.fence::after_thread_sync";
    case FenceKind::thread:
      break;
  }
  return "fence";
}

}  // namespace

struct SyncRecorder::ClusterLog : Attachment {
  struct WarpNotes {
    unsigned accesses = 0;            // a bit for each kind that is in the log
    std::uint64_t grid_arrivals = 0;  // at the barrier of a cooperative grid
  };
  ClusterLog(SyncRecorder& recorder, Cluster& cluster) : owner(&recorder) {
    for (auto& block : cluster.blocks)
      for (auto& warp : block->warps) warp->watched = &notes.emplace_back();
  }
  // A grid that is stopped drops its clusters: what they did until then is part of the record.
  ~ClusterLog() override {
    if (owner != nullptr) owner->keep(log);
  }

  struct Issue {  // of an asynchronous operation, or of an arrival behind some
    Warp* warp = nullptr;
    std::uint32_t pc = 0;
    std::string how;
  };
  SyncRecorder* owner;
  SyncLog log;
  std::deque<WarpNotes> notes;                // Warp::watched points at its own
  std::vector<Issue> issues;                  // by the number that was given out, from 1
  std::map<SyncEvent, std::uint64_t> phases;  // last one that was counted, plus 1

  void add(const Issue& by, SyncDeed deed, const SyncBarrier& barrier, const SyncCount& more,
           std::uint32_t bytes = 0) {
    const Warp& warp = *by.warp;
    SyncCount& count = log.events[{.rank = warp.block->rank,
                                   .warp = static_cast<std::uint32_t>(warp.index),
                                   .deed = deed,
                                   .barrier = barrier,
                                   .pc = by.pc,
                                   .how = by.how,
                                   .bytes = bytes}];
    count.times += more.times;
    count.amount += more.amount;
  }
};

SyncRecorder::ClusterLog& SyncRecorder::of(Cluster& cluster) const {
  return static_cast<ClusterLog&>(*cluster.watched);
}

void SyncRecorder::keep(const SyncLog& log) {
  for (auto& [known, clusters] : logs_)
    if (known == log) {
      ++clusters;
      return;
    }
  logs_.emplace_back(log, 1);
}

void SyncRecorder::cluster_started(Cluster& cluster) {
  reserved_ = static_cast<std::uint32_t>(cluster.grid->device->shared_reserved);
  cluster.watched = std::make_unique<ClusterLog>(*this, cluster);
}

void SyncRecorder::cluster_done(Cluster& cluster) {
  ClusterLog& log = of(cluster);
  keep(log.log);
  log.owner = nullptr;
}

void SyncRecorder::stopped(Cluster&, const Fault&) { stopped_ = true; }

void SyncRecorder::does(Warp& warp, const std::string& what) {
  of(warp).log.work[{warp.block->rank, static_cast<std::uint32_t>(warp.index)}].insert(what);
}

void SyncRecorder::count(Warp& warp, SyncDeed deed, const SyncBarrier& barrier,
                         std::uint64_t amount) {
  of(warp).add({&warp, pc_of(warp), ""}, deed, barrier, {.times = 1, .amount = amount});
}

void SyncRecorder::count_phase(Warp& warp, SyncDeed deed, const SyncBarrier& barrier,
                               std::uint64_t phase, std::uint64_t amount) {
  ClusterLog& log = of(warp);
  std::uint64_t& last = log.phases[{.rank = warp.block->rank,
                                    .warp = static_cast<std::uint32_t>(warp.index),
                                    .deed = deed,
                                    .barrier = barrier,
                                    .pc = pc_of(warp),
                                    .how = "",
                                    .bytes = 0}];
  const bool again = last == phase + 1;
  last = phase + 1;
  log.add({&warp, pc_of(warp), ""}, deed, barrier, {.times = again ? 0u : 1u, .amount = amount});
}

// ---- What a warp does beside: the words of its role.

void SyncRecorder::access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) {
  if (mask == 0) return;
  auto& notes = *static_cast<ClusterLog::WarpNotes*>(warp.watched);
  const std::byte* const first = at[std::countr_zero(mask)];
  if (in_shared(*warp.block->cluster, first)) return;
  if (in_workspace(warp, first)) {
    // Arrivals of grid.sync() are atomics; it waits by polling until its phase is over.
    if (form.access == Access::atomic)
      count_phase(warp, SyncDeed::arrive, grid_barrier, ++notes.grid_arrivals, 1);
    else if (form.access == Access::read)
      count_phase(warp, SyncDeed::wait, grid_barrier, notes.grid_arrivals, 0);
    return;
  }
  const unsigned kind = 1u << static_cast<unsigned>(form.access);
  if ((notes.accesses & kind) != 0) return;
  notes.accesses |= kind;
  constexpr const char* words[] = {"global loads", "global stores", "global atomics"};
  does(warp, words[static_cast<int>(form.access)]);
}

void SyncRecorder::access_run(Warp& warp, std::byte* first, std::int64_t, const AccessForm& form) {
  std::byte* at[] = {first};
  access(warp, 1, at, form);
}

void SyncRecorder::collective(Warp& warp, Mask) {
  if (warp.program->ops[pc_of(warp)].kind != OpClass::tensor) return;
  const std::string_view text =
      warp.program->line_text(warp.program->sources[pc_of(warp)].ptx_line);
  if (text.find("mma.sync") != std::string_view::npos ||
      text.find("mma.sp") != std::string_view::npos ||
      text.find("wmma.mma") != std::string_view::npos)
    does(warp, "mma.sync");
}

void SyncRecorder::fence(Warp& warp, Mask, FenceKind kind, MemoryOrder, Scope, bool) {
  does(warp, word_of(kind));
}

void SyncRecorder::registers_changed(Warp& warp, bool, std::uint32_t registers) {
  does(warp, base::say("setmaxnreg ", registers));
}

// ---- Barriers of the grid, the cluster and the block.

void SyncRecorder::dependency_wait(Warp& warp, Mask) {
  count_phase(warp, SyncDeed::wait, own(warp, SyncObject::grid_before), 0, 0);
}

void SyncRecorder::dependents_released(Warp& warp, Mask) {
  count_phase(warp, SyncDeed::arrive, own(warp, SyncObject::grid_behind), 0, 1);
}

void SyncRecorder::barrier_arrived(Warp& warp, Mask mask, std::uint32_t index,
                                   std::uint64_t generation) {
  const SyncBarrier barrier = own(warp, SyncObject::named, index);
  const NamedBarrier& state = warp.block->barriers[index];
  SyncBarrierFacts& facts = of(warp).log.barriers[barrier];
  facts.expected.insert(state.expected != 0 ? state.expected : warp.block->threads);
  facts.phases = std::max(facts.phases, generation);
  count_phase(warp, SyncDeed::arrive, barrier, generation,
              static_cast<std::uint64_t>(std::popcount(mask)));
}

void SyncRecorder::barrier_passed(Warp& warp, Mask, std::uint32_t index, std::uint64_t generation) {
  count_phase(warp, SyncDeed::wait, own(warp, SyncObject::named, index), generation, 0);
}

void SyncRecorder::cluster_arrived(Warp& warp, Mask mask, std::uint64_t generation, bool) {
  SyncBarrier barrier{SyncObject::cluster, 0, 0};
  SyncBarrierFacts& facts = of(warp).log.barriers[barrier];
  facts.expected.insert(warp.block->cluster->threads);
  facts.phases = std::max(facts.phases, generation);
  count_phase(warp, SyncDeed::arrive, barrier, generation,
              static_cast<std::uint64_t>(std::popcount(mask)));
}

void SyncRecorder::cluster_passed(Warp& warp, Mask, std::uint64_t generation) {
  count_phase(warp, SyncDeed::wait, {SyncObject::cluster, 0, 0}, generation, 0);
}

// ---- mbarriers.

void SyncRecorder::mbarrier_init(Warp& warp, int, std::uint32_t address, std::uint32_t expected) {
  const SyncBarrier barrier = mbarrier_of(address);
  of(warp).log.barriers[barrier].expected.insert(expected);
  count(warp, SyncDeed::init, barrier, expected);
}

void SyncRecorder::mbarrier_applied(Block& from, const MBarrierActor& actor, std::uint32_t address,
                                    MBarrierAction action, std::uint32_t amount,
                                    const MBarrier& before, const MBarrier& after) {
  Cluster& cluster = *from.cluster;
  ClusterLog& log = of(cluster);
  const SyncBarrier barrier = mbarrier_of(address);
  if (before.phase != after.phase) ++log.log.barriers[barrier].phases;
  ClusterLog::Issue by{actor.warp, actor.warp != nullptr ? pc_of(*actor.warp) : 0, ""};
  if (actor.warp == nullptr) {
    const std::uint64_t number = cluster.arriving != 0 ? cluster.arriving : cluster.acting;
    if (number == 0) return;
    by = log.issues[number - 1];
  }
  switch (action) {
    case MBarrierAction::arrive:
    case MBarrierAction::arrive_drop:
      // Lanes that arrive together have each executed the arrival.
      return log.add(
          by, SyncDeed::arrive, barrier,
          {.times = std::max<std::uint64_t>(1, static_cast<unsigned>(std::popcount(actor.lanes))),
           .amount = amount});
    case MBarrierAction::expect_tx:
      return log.add(by, SyncDeed::expect, barrier, {.times = 1, .amount = 0}, amount);
    case MBarrierAction::complete_tx:
      return log.add(by, SyncDeed::complete, barrier, {.times = 1, .amount = 0}, amount);
    case MBarrierAction::await_more:
      return;  // one more is expected, and comes with the copies
  }
}

void SyncRecorder::mbarrier_tested(Warp& warp, Mask, std::uint32_t address, bool, bool complete,
                                   bool) {
  if (!complete) return;
  const SyncBarrier barrier = mbarrier_of(address);
  count_phase(warp, SyncDeed::wait, barrier, of(warp).log.barriers[barrier].phases, 0);
}

// ---- Asynchronous operations.

std::string SyncRecorder::async_word(const Warp& warp, AsyncKind kind) const {
  const std::string_view text =
      warp.program->line_text(warp.program->sources[pc_of(warp)].ptx_line);
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const char* const copy = has(".tensor") ? "TMA" : "bulk";
  switch (kind) {
    case AsyncKind::copy:
      return "cp.async";
    case AsyncKind::bulk_load:
      if (has("clusterlaunchcontrol")) return "clusterlaunchcontrol";
      return base::say(copy, has(".multicast") ? " multicast"
                             : has("reduce")   ? " reduce"
                                               : " load");
    case AsyncKind::bulk_store:
      return base::say(copy, has("reduce") ? " reduce" : " store");
    case AsyncKind::lane_store:
      return has("red.async") ? "red.async" : "st.async";
    case AsyncKind::product:
      return has("tcgen05.cp")      ? "tcgen05.cp"
             : has("tcgen05.shift") ? "tcgen05.shift"
             : has("tcgen05")       ? "tcgen05.mma"
                                    : "wgmma";
    case AsyncKind::tensor_load:
      return "tcgen05.ld";
    case AsyncKind::tensor_store:
      return "tcgen05.st";
  }
  return "";
}

std::uint64_t SyncRecorder::will_arrive(Warp& warp, const std::string& how) {
  auto& issues = of(warp).issues;
  issues.push_back({&warp, pc_of(warp), how});
  return issues.size();
}

std::uint64_t SyncRecorder::issued(Warp& warp, Mask, AsyncKind kind) {
  const std::string word = async_word(warp, kind);
  does(warp, word);
  return will_arrive(warp, word);
}

std::uint64_t SyncRecorder::copies_will_arrive(Warp& warp, int) {
  return will_arrive(warp, "cp.async");
}

std::uint64_t SyncRecorder::products_will_arrive(Warp& warp, int, std::uint32_t, bool) {
  return will_arrive(warp, "tcgen05.commit");
}

}  // namespace aisp::sim::watch
