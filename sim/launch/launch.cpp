#include "sim/launch/launch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "sim/launch/cluster.hpp"
#include "sim/launch/report.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/names.hpp"
#include "sim/machine/observer.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint32_t turn_of_a_cluster = 1u << 20;  // warp instructions
constexpr std::uint32_t longest_random_turn = 1u << 11;
constexpr std::size_t random_spread = 4;  // clusters a host thread mixes in random order
// Bytes of local memory per lane where the need is not known before; a program may ask for more.
constexpr std::uint32_t least_stack = 1u << 14;
constexpr std::uint64_t workspace_bytes = 256;  // where a cooperative grid counts arrivals
constexpr double issue_slots = 4;               // warp instructions per cycle of an SM

// Where a grid of which every block polls lets others run: its first host thread, when the others
// have nothing else to do either.
class Rest {
 public:
  std::function<bool()> others_run;  // none: nobody else is there
  std::atomic<int> helpers{0};       // host threads besides the first that are at work

  // Of a helper: it polls with all that it has, or no longer does. It stays while the grid rests.
  void helper_polls(bool polls, bool& counted) {
    if (polls != counted) polling_ += polls ? 1 : -1;
    counted = polls;
    if (!polls || !resting_) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !resting_; });
  }
  void helper_ends(bool counted) {
    const std::lock_guard lock(mutex_);
    if (counted) --polling_;
    --helpers;
    changed_.notify_all();
  }
  // Of the first thread, which has nothing but polls to do. False: the grid waits for ever.
  bool first_polls() {
    if (!others_run || polling_ != helpers) return true;
    resting_ = true;
    const bool goes_on = others_run();
    const std::lock_guard lock(mutex_);
    resting_ = false;
    changed_.notify_all();
    return goes_on;
  }
  // ... and of the first thread at its end: helpers may still poll.
  bool first_ends() {
    while (helpers != 0) {
      if (!first_polls()) return false;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::microseconds(100), [&] { return helpers == 0; });
    }
    return true;
  }

 private:
  std::atomic<int> polling_{0};
  std::atomic<bool> resting_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
};

// What the host threads share. Clusters are started in order; how many at once is what the
// pretended device would hold, because resident blocks may wait for each other.
struct Pool {
  Grid& grid;
  const DevicePart* part = nullptr;      // of the device, that the grid runs on
  std::uint32_t resident = 1;            // clusters
  std::atomic<std::uint32_t> active{0};  // started and not ended
  std::atomic<std::uint64_t> epoch{1};   // grows with every turn that was not fruitless
  std::mutex guard;
  std::uint64_t stuck_epoch = 0;  // the epoch that `stuck` counts in
  std::uint32_t stuck = 0;        // clusters in which nothing moved for long
  LaunchResult result;
  std::map<std::uint32_t, std::string> printed;  // by cluster
  Rest rest;
};

class HostThread {
 public:
  HostThread(Pool& pool, int number) : pool_(pool), first_(number == 0) {
    random_ = pool.grid.settings.seed + static_cast<std::uint64_t>(number) * 0x9e3779b9u;
  }

  void run() {
    try {
      while (!pool_.grid.stop && (start() || !running_.empty())) turn();
      if (first_ && !pool_.grid.stop && !pool_.rest.first_ends()) stop(left_alone());
    } catch (const Fault& fault) {
      Cluster& cluster = *running_.front().cluster;
      const bool first = stop(make_report(cluster, fault));
      if (first && pool_.grid.observer != nullptr) pool_.grid.observer->stopped(cluster, fault);
    } catch (
        const std::exception& error) {  // out of host memory: the kernel fails, not the program
      stop({FaultKind::trap, "kernel " + shown_name(pool_.grid.kernel->name) +
                                 ": the simulator cannot go on: " + error.what()});
    }
    const std::lock_guard lock(pool_.guard);
    for (auto& running : running_) keep_output(*running.cluster);
    pool_.result.counters += counters_;
    if (!first_) pool_.rest.helper_ends(counted_);
  }

 private:
  struct Running {
    std::unique_ptr<Cluster> cluster;
    std::uint64_t epoch = 0;    // of its fruitless turns
    std::uint64_t counted = 0;  // the epoch in which it counts as stuck
  };

  bool in_random_order() const { return pool_.grid.settings.order == Order::random; }

  // Starts the next cluster in front of the others, unless the one in front can go on.
  bool start() {
    if (!running_.empty() && !rotated_) return false;
    rotated_ = false;
    if (in_random_order() && running_.size() >= random_spread && idle_ < running_.size())
      return false;
    if (pool_.grid.pending.left() == 0) return false;
    std::uint32_t active = pool_.active.load();
    do {
      if (active >= pool_.resident) return false;
    } while (!pool_.active.compare_exchange_weak(active, active + 1));
    const auto index = pool_.grid.pending.take_first();
    if (!index) {
      --pool_.active;
      return false;
    }
    running_.push_front({.cluster = make_cluster(pool_.grid, *index, counters_, pool_.part)});
    return true;
  }

  void turn() {
    Running& front = running_.front();
    const std::uint32_t budget =
        in_random_order()
            ? 1 + static_cast<std::uint32_t>(next_random(random_) % longest_random_turn)
            : turn_of_a_cluster;
    const Turn turn = run_cluster(*front.cluster, budget);
    idle_ = turn == Turn::idle ? idle_ + 1 : 0;
    if (front.cluster->fruitless == 0 || turn == Turn::done) ++pool_.epoch;
    if (turn == Turn::done) {
      if (pool_.grid.stop) return;
      if (pool_.grid.observer != nullptr) pool_.grid.observer->cluster_done(*front.cluster);
      if (pool_.grid.tensor_memories)
        for (auto& block : front.cluster->blocks) pool_.grid.tensor_memories->leave(block->tensor);
      const std::lock_guard lock(pool_.guard);
      keep_output(*front.cluster);
      for (const auto& block : front.cluster->blocks)
        pool_.result.let_dependents_launch &= block->let_dependents_launch;
      pool_.result.warp_instructions += front.cluster->instructions;
      --pool_.active;
      running_.pop_front();
      return;
    }
    check_deadlock(front);
    running_.push_back(std::move(running_.front()));
    running_.pop_front();
    if (in_random_order())
      std::swap(running_.front(), running_[next_random(random_) % running_.size()]);
    rotated_ = true;
    rest();
  }

  bool can_start() const {
    return pool_.grid.pending.left() != 0 && pool_.active.load() < pool_.resident;
  }

  // Everything that this thread has polls: what it waits for may be another grid's to do.
  void rest() {
    const bool polls = idle_ >= running_.size() && !can_start();
    if (!first_) return pool_.rest.helper_polls(polls, counted_);
    if (polls && !pool_.rest.first_polls()) stop(left_alone());
  }

  Report left_alone() const {
    return {FaultKind::trap, "kernel " + shown_name(pool_.grid.kernel->name) +
                                 ": it polls memory, and a device that could write it is lost"};
  }

  // Everything that was started has polled in vain since the last turn that did anything, and
  // nothing more can be started.
  void check_deadlock(Running& which) {
    const std::uint64_t epoch = pool_.epoch.load();
    if (which.epoch != epoch) {
      which.epoch = epoch;
      which.cluster->fruitless = 0;
    }
    if (which.cluster->fruitless < stuck_after) return;
    const std::lock_guard lock(pool_.guard);
    if (pool_.stuck_epoch != epoch) {
      pool_.stuck_epoch = epoch;
      pool_.stuck = 0;
    }
    if (which.counted != epoch) ++pool_.stuck;
    which.counted = epoch;
    const bool room = pool_.grid.pending.left() > 0 && pool_.active < pool_.resident;
    if (room || pool_.stuck < pool_.active || pool_.epoch != epoch) return;
    throw Fault{FaultKind::deadlock, "deadlock: " + describe_waits(*which.cluster), 0, -1};
  }

  void keep_output(Cluster& cluster) {
    for (auto& block : cluster.blocks)
      if (!block->printed.empty()) pool_.printed[cluster.index] += block->printed;
  }

  // True: it is the first, the one that the launch reports.
  bool stop(Report report) {
    const std::lock_guard lock(pool_.guard);
    const bool first = !pool_.result.fault;
    if (first) pool_.result.fault = std::move(report);
    pool_.grid.stop = true;
    return first;
  }

  Pool& pool_;
  Counters counters_;
  std::deque<Running> running_;
  std::size_t idle_ = 0;          // turns in a row
  bool first_, counted_ = false;  // counted: as a helper that polls
  bool rotated_ = true;
  std::uint64_t random_ = 0;
};

int host_threads_of(const Settings& settings, std::uint32_t clusters) {
  const int wanted = settings.host_threads > 0
                         ? settings.host_threads
                         : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::clamp<int>(wanted, 1, static_cast<int>(std::max(1u, clusters)));
}

// Local memory of a lane: the kernel's frame and the deepest chain of calls. Without recursion
// every function is active at most once.
std::uint32_t local_bytes(const Program& program, const Routine& kernel, std::uint32_t asked) {
  const std::uint32_t stack = std::max(least_stack, asked);
  std::uint32_t bytes = kernel.frame_bytes;
  if (kernel.uses_functions && kernel.may_recurse) {
    bytes += stack;
  } else if (kernel.uses_functions) {
    bytes = frame_after(0, bytes);
    for (const Routine& routine : program.routines)
      if (!routine.is_entry) bytes = frame_after(bytes, routine.frame_bytes);
  }
  return program.uses_alloca ? bytes + stack : bytes;
}

// From instruction counts alone: the busiest SM issues its share at four warps per cycle.
double time_of(const DeviceModel& device, std::uint64_t instructions, std::uint64_t blocks) {
  const auto sms = static_cast<std::uint64_t>(device.multiprocessors);
  const std::uint64_t waves = (blocks + sms - 1) / sms;
  const double share = static_cast<double>(instructions) * static_cast<double>(waves) /
                       static_cast<double>(std::max<std::uint64_t>(blocks, 1));
  return launch_nanoseconds + share / issue_slots / (device.clock_khz * 1e-6);
}

}  // namespace

LaunchResult launch(const Program& program, const Routine& kernel, const DeviceModel& device,
                    Memory& memory, const Settings& settings, const LaunchConfig& config,
                    std::span<const std::byte> params, double start_nanoseconds) {
  static std::atomic<std::uint64_t> grids{0};
  Grid grid;
  grid.program = &program;
  grid.kernel = &kernel;
  grid.device = &device;
  grid.memory = &memory;
  grid.ordinal = config.device;
  grid.settings = settings;
  grid.grid = config.grid;
  grid.block = config.block;
  grid.cluster = config.cluster;
  grid.explicit_cluster = config.explicit_cluster;
  grid.dynamic_shared = config.dynamic_shared;
  grid.id = ++grids;
  grid.local_limit = local_bytes(program, kernel, config.stack_bytes);
  grid.set_condition = config.set_condition;
  grid.now = [start_nanoseconds] { return static_cast<std::uint64_t>(start_nanoseconds); };
  // Kernels may take the address of a parameter: the bank is memory they can read.
  auto* bank = static_cast<std::byte*>(
      memory.allocate_on(config.device, std::max<std::uint64_t>(params.size(), 16),
                         MemoryKind::params, "kernel parameters"));
  if (!params.empty()) std::memcpy(bank, params.data(), params.size());
  grid.params = bank;

  void* const workspace =
      config.cooperative ? memory.allocate_on(config.device, workspace_bytes, MemoryKind::device)
                         : nullptr;
  if (workspace != nullptr) std::memset(workspace, 0, workspace_bytes);
  grid.workspace = reinterpret_cast<std::uint64_t>(workspace);

  std::unique_ptr<watch::GridWatch> checker;
  if (settings.hazards != nullptr)
    checker = std::make_unique<watch::GridWatch>(*settings.hazards, grid, config.programmatic);
  grid.observer = config.observer != nullptr ? config.observer : checker.get();

  Pool pool{.grid = grid, .part = config.part, .result = {}, .printed = {}, .rest = {}};
  pool.result.let_dependents_launch = true;
  const auto clusters = static_cast<std::uint32_t>(config.grid.count() / config.cluster.count());
  grid.pending.set(clusters);
  const DeviceModel& there = config.part != nullptr ? config.part->model : device;
  const Occupancy occupied = occupancy(
      there, kernel, static_cast<std::uint32_t>(config.block.count()), config.dynamic_shared);
  const auto blocks = static_cast<std::uint32_t>(std::max(1, occupied.resident_blocks));
  if (device.tensor_columns != 0)
    grid.tensor_memories = std::make_unique<TensorMemories>(there.multiprocessors,
                                                            std::max(1, occupied.blocks_per_sm));
  pool.resident =
      std::max<std::uint32_t>(1, blocks / static_cast<std::uint32_t>(config.cluster.count()));

  std::vector<std::thread> threads;
  const int host_threads = grid.observer != nullptr ? 1 : host_threads_of(settings, clusters);
  pool.rest.others_run = config.polls;
  pool.rest.helpers = host_threads - 1;
  for (int i = 1; i < host_threads; ++i)
    threads.emplace_back([&pool, i] { HostThread(pool, i).run(); });
  HostThread(pool, 0).run();
  for (auto& thread : threads) thread.join();
  if (checker) pool.result.footprint = checker->finish();

  memory.release(bank);
  if (workspace != nullptr) memory.release(workspace);
  LaunchResult result = std::move(pool.result);
  for (auto& [cluster, text] : pool.printed) result.printed += text;
  result.nanoseconds = time_of(there, result.warp_instructions, config.grid.count());
  return result;
}

}  // namespace aisp::sim
