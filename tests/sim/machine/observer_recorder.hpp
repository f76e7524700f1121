// An observer that writes down what it is told, and kernels of tests/sim/exec_kernel.hpp run before
// its eyes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/refuse.hpp"
#include "sim/machine/tensor_use.hpp"
#include "tests/sim/support/exec_kernel.hpp"

namespace aisp::observer_recorder {

using base::say;
using exec_kernel::Kernel;
using Lines = std::vector<std::string>;

inline std::string hex(sim::Mask mask) { return say(std::hex, mask); }

inline const char* text(sim::Access access) {
  constexpr const char* names[] = {"read", "write", "atomic"};
  return names[static_cast<int>(access)];
}
inline const char* text(sim::MemoryOrder order) {
  constexpr const char* names[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "volatile"};
  return names[static_cast<int>(order)];
}
inline const char* text(sim::Scope scope) {
  constexpr const char* names[] = {"cta", "cluster", "gpu", "sys"};
  return names[static_cast<int>(scope)];
}
inline const char* text(sim::AsyncKind kind) {
  constexpr const char* names[] = {"copy", "bulk_load", "bulk_store", "lane_store", "product"};
  return names[static_cast<int>(kind)];
}
inline const char* text(sim::FenceKind kind) {
  constexpr const char* names[] = {
      "thread",        "async_shared",      "async_global",      "async_all",
      "mbarrier_init", "tensormap_release", "tensormap_acquire", "tensor_before",
      "tensor_after"};
  return names[static_cast<int>(kind)];
}
inline const char* text(sim::MBarrierAction action) {
  constexpr const char* names[] = {"arrive", "arrive_drop", "await_more", "expect_tx",
                                   "complete_tx"};
  return names[static_cast<int>(action)];
}

// Writes every call down as a line. Addresses are told by name: "in+4", "out", "shared+128".
class Recorder : public sim::Observer {
 public:
  Lines lines;
  std::map<std::uint64_t, std::string> names;  // of allocations, by their start

  void cluster_started(sim::Cluster&) override { note("started"); }
  void lanes_left(sim::Warp& warp, sim::Mask mask) override { note("left", warp, mask); }
  void cluster_done(sim::Cluster&) override { note("done"); }
  void stopped(sim::Cluster&, const sim::Fault& fault) override { note("stopped", fault.message); }
  void tolerated(sim::Warp& warp, int lane, const sim::Fault& fault) override {
    note("tolerated", warp, lane, fault.message);
  }
  void access(sim::Warp& warp, sim::Mask mask, std::byte* const* at,
              const sim::AccessForm& form) override {
    note("access", warp, mask, form, place(*warp.block, at[std::countr_zero(mask)]));
    suspects = suspecting;
  }
  void access_run(sim::Warp& warp, std::byte* first, std::int64_t step,
                  const sim::AccessForm& form) override {
    note("run", warp, form, place(*warp.block, first), "step", step);
    suspects = suspecting;
  }
  void constant_read(sim::Warp& warp, sim::Mask mask, std::byte* const*,
                     std::uint32_t bytes) override {
    note("constant", warp, mask, std::uint64_t{bytes});
  }
  void wrote(sim::Warp& warp) override { note("wrote", warp); }
  void warp_barrier(sim::Warp& warp, sim::Mask mask) override { note("warp_barrier", warp, mask); }
  void collective(sim::Warp& warp, sim::Mask mask) override {
    if (collectives) note("collective", warp, mask);
  }
  void fence(sim::Warp& warp, sim::Mask mask, sim::FenceKind kind, sim::MemoryOrder order,
             sim::Scope scope, bool sequential) override {
    note("fence", warp, mask, kind, order, scope, sequential ? "sc" : "-");
  }
  void registers_changed(sim::Warp& warp, bool increase, std::uint32_t count) override {
    note("registers", warp, increase ? "inc" : "dec", std::uint64_t{count});
  }
  void dependency_wait(sim::Warp& warp, sim::Mask mask) override { note("depend", warp, mask); }
  void dependents_released(sim::Warp& warp, sim::Mask mask) override {
    note("release", warp, mask);
  }
  void barrier_arrived(sim::Warp& warp, sim::Mask mask, std::uint32_t index,
                       std::uint64_t generation) override {
    note("arrived", warp, mask, std::uint64_t{index}, generation);
  }
  void barrier_passed(sim::Warp& warp, sim::Mask mask, std::uint32_t index,
                      std::uint64_t generation) override {
    note("passed", warp, mask, std::uint64_t{index}, generation);
  }
  void cluster_arrived(sim::Warp& warp, sim::Mask mask, std::uint64_t generation,
                       bool releases) override {
    note("cluster_arrived", rank(warp), warp, mask, generation, releases ? "release" : "relaxed");
  }
  void cluster_passed(sim::Warp& warp, sim::Mask mask, std::uint64_t generation) override {
    note("cluster_passed", rank(warp), warp, mask, generation);
  }
  void mbarrier_init(sim::Warp& warp, int lane, std::uint32_t address,
                     std::uint32_t count) override {
    note("init", warp, lane, barrier(*warp.block, address), std::uint64_t{count});
  }
  void mbarrier_inval(sim::Warp& warp, int lane, std::uint32_t address) override {
    note("inval", warp, lane, barrier(*warp.block, address));
  }
  void mbarrier_applied(sim::Block& from, const sim::MBarrierActor& actor, std::uint32_t address,
                        sim::MBarrierAction action, std::uint32_t count,
                        const sim::MBarrier& before, const sim::MBarrier& after) override {
    const std::string who =
        actor.warp != nullptr
            ? say("w", actor.warp->index, " ", hex(actor.lanes),
                  actor.releases ? " release" : " relaxed")
            : say("acting ", from.cluster->acting, " arriving ", from.cluster->arriving);
    note("applied", who, barrier(from, address), text(action), std::uint64_t{count},
         before.phase == after.phase ? "-" : "completes");
  }
  void mbarrier_tested(sim::Warp& warp, sim::Mask mask, std::uint32_t address, bool parity,
                       bool complete, bool acquires) override {
    note("tested", warp, mask, barrier(*warp.block, address), parity ? 1 : 0,
         complete ? "yes" : "no", acquires ? "acquire" : "relaxed");
  }
  std::uint64_t issued(sim::Warp& warp, sim::Mask mask, sim::AsyncKind kind) override {
    note("issued", warp, mask, kind, "#", ++operations);
    return operations;
  }
  void async_access(sim::Cluster& cluster, std::byte* at, std::uint64_t bytes, sim::Access access,
                    int lane, std::uint32_t address) override {
    sim::Block& block = *cluster.blocks[0];
    note("async", "#", cluster.acting, text(access), place(block, at), bytes, "lane", lane,
         address == no_barrier ? "-" : barrier(block, address));
  }
  void tensor_map_read(sim::Warp& warp, int lane, std::byte* at) override {
    note("map", warp, lane, place(*warp.block, at));
  }
  void mbarrier_named(sim::Warp& warp, int lane, std::uint32_t address) override {
    note("named", warp, lane, barrier(*warp.block, address));
  }
  void run_done(sim::Cluster&, std::uint64_t watched) override { note("ran", "#", watched); }
  void committed(sim::Warp& warp, sim::Mask mask, sim::AsyncKind kind) override {
    note("committed", warp, mask, kind);
  }
  void groups_waited(sim::Warp& warp, sim::Mask mask, sim::AsyncKind kind, std::uint32_t newest,
                     bool read_only) override {
    note("waited", warp, mask, kind, std::uint64_t{newest}, read_only ? "read" : "-");
  }
  void all_waited(sim::Warp& warp, sim::Mask mask, sim::AsyncKind kind) override {
    note("waited_all", warp, mask, kind);
  }
  void products_ended(sim::Warp&, int first_warp, std::uint32_t groups) override {
    note("products", first_warp, groups);
  }
  std::uint64_t copies_will_arrive(sim::Warp& warp, int lane) override {
    note("will_arrive", warp, lane);
    return 70 + static_cast<std::uint64_t>(lane);
  }
  std::uint64_t products_will_arrive(sim::Warp& warp, int lane, std::uint32_t, bool pair) override {
    note("products_will_arrive", warp, lane, pair ? "pair" : "-");
    return 90 + static_cast<std::uint64_t>(lane);
  }
  void tensor_used(sim::Warp& warp, int lane, const sim::TensorUse& use) override {
    const auto& cells = use.cells;
    note("tensor", warp, lane, use.access, say("columns ", cells.column, "+", cells.columns),
         say("lanes ", hex(cells.lanes[0]), " ", hex(cells.lanes[1]), " ", hex(cells.lanes[2]), " ",
             hex(cells.lanes[3])));
  }
  void tensor_waited(sim::Warp& warp, bool stores) override {
    note("tensor_waited", warp, stores ? "st" : "ld");
  }
  // Every instruction that names such a register: too many to write down.
  void load_register(sim::Warp&, const sim::Op&, sim::Mask) override {}
  void tensor_asked(sim::Warp& warp, const sim::TensorRequest& request) override {
    note("tensor_asked", warp, request.frees ? "free" : "allocate");
  }
  void tensor_granted(sim::Warp& warp, const sim::TensorRequest& request) override {
    note("tensor_granted", warp, say(request.range.first, "+", request.range.count));
  }
  void tensor_returned(sim::Warp& warp, const sim::TensorRequest&) override {
    note("tensor_returned", warp);
  }
  void cancel_asked(sim::Warp& warp, int lane) override { note("cancel_asked", warp, lane); }
  void cancel_refused(sim::Warp& warp, sim::Mask mask) override {
    note("cancel_refused", warp, mask);
  }
  void wgmma_fence(sim::Warp& warp) override { note("wgmma_fence", warp); }
  void product_issued(sim::Warp& warp, const sim::Op&) override { note("product", warp); }
  void product_register(sim::Warp& warp, const sim::Op&, sim::Mask mask) override {
    note("register", warp, mask);
  }

  bool suspecting = false;   // asks to be told of what was written
  bool collectives = false;  // writes them down, too
  std::uint64_t operations = 0;

 private:
  static std::string part(const sim::Warp& warp) { return say("w", warp.index); }
  static std::string part(sim::Mask mask) { return hex(mask); }
  static std::string part(const sim::AccessForm& form) {
    return say(text(form.access), " ", text(form.order), " ",
               form.order == sim::MemoryOrder::weak ? "-" : text(form.scope), " ", form.bytes);
  }
  static std::string part(int value) { return say(value); }
  static std::string part(std::int64_t value) { return say(value); }
  static std::string part(std::uint64_t value) { return say(value); }
  static std::string part(const char* value) { return value; }
  static std::string part(const std::string& value) { return value; }
  template <class Named>
  requires std::is_enum_v<Named>
  static std::string part(Named value) { return text(value); }

  template <class... Parts>
  void note(const Parts&... parts) {
    const std::lock_guard lock(mutex_);
    std::string line;
    ((line += (line.empty() ? "" : " ") + part(parts)), ...);
    lines.push_back(line);
  }

  static std::string rank(const sim::Warp& warp) { return say("b", warp.block->rank); }

  // Offsets count from the block's first shared variable.
  std::string place(sim::Block& block, const std::byte* at) const {
    for (const auto& other : block.cluster->blocks)
      if (at >= other->shared && at < other->shared + other->shared_bytes)
        return say(other->rank == 0 ? "shared" : "peer", "+",
                   at - other->shared - block.grid->device->shared_reserved);
    const auto address = reinterpret_cast<std::uint64_t>(at);
    auto found = names.upper_bound(address);
    if (found == names.begin()) return "elsewhere";
    --found;
    return say(found->second, "+", address - found->first);
  }
  static std::string barrier(const sim::Block& block, std::uint32_t address) {
    const std::uint32_t own = address & ((1u << sim::shared_rank_shift) - 1);
    return say(address >> sim::shared_rank_shift, ":",
               own - static_cast<std::uint32_t>(block.grid->device->shared_reserved));
  }

  std::mutex mutex_;
};

constexpr sim::Settings earliest{.order = sim::Order::earliest, .host_threads = 1};
constexpr sim::Settings latest{.order = sim::Order::latest, .host_threads = 1};

struct Watched {
  Recorder recorder;
  sim::LaunchResult result;
};

inline void watch(Watched& watched, const Kernel& kernel,
                  const sim::Settings& settings = earliest) {
  sim::Memory memory(1 << 24);
  const sim::Program program = exec_kernel::load(kernel, memory);
  auto* in = memory.allocate(1024, sim::MemoryKind::device);
  auto* out = memory.allocate(1024, sim::MemoryKind::device);
  std::memcpy(in, kernel.in.data(), std::min<std::size_t>(kernel.in.size() * 4, 1024));
  const std::uint64_t params[] = {reinterpret_cast<std::uint64_t>(in),
                                  reinterpret_cast<std::uint64_t>(out)};
  watched.recorder.names = {{params[0], "in"}, {params[1], "out"}};
  watched.result = sim::launch(program, *program.kernel(kernel.name), sim::device_model("h200"),
                               memory, settings,
                               {.grid = {kernel.grid},
                                .block = {kernel.block},
                                .cluster = {kernel.cluster},
                                .explicit_cluster = kernel.cluster > 1,
                                .dynamic_shared = kernel.dynamic,
                                .observer = &watched.recorder},
                               std::as_bytes(std::span(params)), 0);
}

// What the observer hears of the body; begin and end of the cluster left out.
inline Lines heard(const Kernel& kernel, const sim::Settings& settings = earliest) {
  Watched watched;
  watch(watched, kernel, settings);
  EXPECT_FALSE(watched.result.fault) << watched.result.fault->text;
  Lines lines;
  for (const std::string& line : watched.recorder.lines)
    if (line != "started" && line != "done" && !line.starts_with("left")) lines.push_back(line);
  return lines;
}
inline Lines heard_of(const std::string& body, const sim::Settings& settings = earliest) {
  return heard(Kernel{.body = body}, settings);
}

inline const std::string own_words =
    "mad.wide.u32 %d2, %r0, 4, %d0;\nmad.lo.u32 %r2, %r0, 4, %r1;\n";
inline const std::string first_lane = "setp.eq.u32 %p0, %r0, 0;\n";

}  // namespace aisp::observer_recorder
