// The state of a running grid: warps with their lane groups, blocks, clusters. Handlers see a Warp.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/device_model.hpp"
#include "sim/machine/fault.hpp"
#include "sim/machine/memory.hpp"
#include "sim/machine/pending_clusters.hpp"
#include "sim/machine/tensor_memory.hpp"
#include "sim/program/program.hpp"

namespace aisp::sim {

struct Block;
struct Cluster;
struct Grid;
class Observer;

// What an observer keeps with a cluster; it goes when the cluster goes.
struct Attachment {
  virtual ~Attachment() = default;
};

// Why a lane group stands still. A handler that returns Flow::wait fills it; it is called again
// with the same Wait still in place, and clears it (kind none) when it goes on.
struct Wait {
  enum class Kind : std::uint8_t {
    none,
    barrier,      // bar.sync/red: index = barrier, value = generation waited for
    cluster,      // barrier.cluster.wait: value = generation
    mbarrier,     // address (shared), value = parity or token phase
    warp,         // .sync instruction: address = lanes needed, value = lanes waiting
    async_group,  // wgmma.wait_group: for the other warps of the warpgroup
    reconverge,   // at a join: value = lanes that are still to come
    sleep,        // nanosleep: value = Cluster::instructions from which it may go on
    tensor,       // tcgen05.alloc, dealloc: value = columns, index = 1: for the peer of the pair
  } kind = Kind::none;
  bool polling = false;  // may give up and return false (try_wait, test_wait)
  bool gave_up = false;  // set by the scheduler: everything else stands still too
  std::uint32_t index = 0;
  std::uint64_t address = 0, value = 0;
  std::uint64_t progress = 0;  // Cluster::progress when last tried
};

struct Join {
  std::uint32_t pc = Program::no_join;
  std::uint32_t depth = 0;  // of the call stack
  std::uint32_t id = 0;     // lane groups of one split share it
  Mask mask = 0;            // the lanes that are to meet
};

struct Frame {
  std::uint32_t return_pc = 0, call_site = 0, routine = 0;
  std::uint32_t frame_base = 0;           // of the caller, in local memory
  std::vector<std::byte> saved;           // registers of a recursive callee
  std::vector<std::uint32_t> stack_used;  // Warp::stack_used at the call
};

// Where the local memory of a called function begins, behind its caller's. Every call takes some:
// recursion without local variables ends, too.
inline std::uint32_t frame_after(std::uint32_t base, std::uint32_t frame_bytes) {
  return base + ((frame_bytes + 15) & ~15u) + 16;
}

// Lanes of a warp that share a pc and a call stack.
struct LaneGroup {
  Mask mask = 0;
  std::uint32_t pc = 0;
  std::uint32_t frame_base = 0;              // start of the current activation's local memory
  std::uint32_t join_pc = Program::no_join;  // of the innermost join: compared before every op
  Wait wait;
  std::vector<Join> joins;  // innermost last
  std::vector<Frame> calls;
};

// Asynchronous operations of a warp in groups (sim/machine/async.hpp).
struct AsyncQueue;

// A copy or product under way. Run exactly once, at a moment of the scheduler's choice: at once
// (earliest), when somebody waits for it (latest), or in between (random).
struct AsyncOp {
  std::function<void()> read;   // optional first step: the source is read, may be reused
  std::function<void()> run;    // the rest; only ever called after `read`
  std::uint64_t sequence = 0;   // in order of issue within the cluster, from 1
  std::uint64_t after = 0;      // sequence that must have run before; 0: none
  AsyncQueue* queue = nullptr;  // told when it has been read and run
  Warp* warp = nullptr;         // who issued it, and where
  int lane = -1;                // -1: several
  std::uint32_t pc = 0;
  std::uint64_t watched = 0;  // the observer's number for it
};

struct Counters {  // of one host thread; summed per launch
  std::uint64_t by_class[static_cast<int>(OpClass::count)]{};
  std::uint64_t global_read = 0, global_written = 0, shared_read = 0, shared_written = 0;
  std::uint64_t local_read = 0, local_written = 0, async_bytes = 0;
  std::uint64_t bank_conflicts = 0;     // extra wavefronts
  std::uint64_t tensor_operations = 0;  // multiplications and additions of matrix instructions
  std::uint64_t barrier_waits = 0;
  std::uint64_t polls = 0;  // volatile, relaxed, acquire loads and compare-and-swaps: many: a spin

  Counters& operator+=(const Counters& other);
};

struct Warp {
  // Hot: what every handler touches.
  std::byte* bases[2] = {nullptr, nullptr};  // registers, constants
  LaneGroup* lane_group = nullptr;           // the one running
  const Program* program = nullptr;
  Block* block = nullptr;
  Counters* counters = nullptr;
  Observer* observer = nullptr;  // the grid's
  void* watched = nullptr;       // ... and what it keeps about this warp
  bool detailed = false;         // --stats: count bytes and bank conflicts
  bool plain = true;             // neither observed nor detailed: accesses may take shortcuts

  // Last allocation hit: [low, high) may be read, [low, write_high) written.
  std::uint64_t low = 1, high = 0, write_high = 0;

  int index = 0;    // within the block
  Mask exists = 0;  // lanes that have a thread
  Mask alive = 0;   // ... and have not exited
  // barrier.cluster: lanes that have arrived and not yet waited, and the parity of the phase.
  Mask cluster_arrived = 0, cluster_parity = 0;
  // Those with an empty mask are free to be used again; a deque, because handlers hold pointers
  // while it grows.
  std::deque<LaneGroup> lane_groups;
  std::uint32_t next_join = 1;
  std::uint32_t spins = 0;     // turns of late in which it did nothing but poll memory
  std::byte* local = nullptr;  // lane-major: lane * local_bytes
  std::uint32_t local_bytes = 0;
  std::vector<std::uint32_t> stack_used;  // bytes per lane that alloca took; empty: none yet
  std::unique_ptr<std::byte[]> storage;   // registers

  template <class T>
  const T* read(Ref ref) const {
    return reinterpret_cast<const T*>(bases[ref >> 31] + (ref & ~constant_bit));
  }
  template <class T>
  T* write(Ref ref) {
    return reinterpret_cast<T*>(bases[0] + ref);
  }
  Mask predicate(Ref ref) const { return *read<Mask>(ref); }
  void set_predicate(Ref ref, Mask lanes_written, Mask value) {
    if (ref == no_ref) return;
    Mask& slot = *write<Mask>(ref);
    slot = (slot & ~lanes_written) | (value & lanes_written);
  }
  const Ref* list(const Op& op) const { return program->lists.data() + op.list; }

  // Asynchronous work of this warp's lanes; made on first use by the functions of async.hpp.
  std::shared_ptr<AsyncQueue> copies;         // cp.async
  std::shared_ptr<AsyncQueue> bulk;           // cp.async.bulk with bulk_group
  std::shared_ptr<AsyncQueue> products;       // wgmma: each warp computes its own 16 rows
  std::shared_ptr<AsyncQueue> tensor;         // tcgen05.mma, cp, shift
  std::shared_ptr<AsyncQueue> tensor_loads;   // tcgen05.ld
  std::shared_ptr<AsyncQueue> tensor_stores;  // tcgen05.st
};

struct NamedBarrier {
  std::uint32_t expected = 0, arrived = 0;  // threads; expected 0: all that have not exited
  std::uint64_t generation = 0;             // completed phases
  bool reduced = false;                     // bar.red takes part: its result so far
  std::uint32_t count = 0;
  bool any = false, all = true;
};

struct Block {
  Cluster* cluster = nullptr;
  Grid* grid = nullptr;
  std::uint32_t index[3] = {0, 0, 0};  // ctaid
  std::uint32_t rank = 0;              // in the cluster
  int sm = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::unique_ptr<std::byte[]> shared_storage;
  std::byte* shared = nullptr;     // offset 0 of the block's shared memory
  std::uint32_t shared_bytes = 0;  // first offset that is out of bounds
  NamedBarrier barriers[16];
  TensorShare tensor;  // without memory: the device has none
  std::uint32_t threads = 0, exited = 0;
  bool done() const { return exited == threads; }
  void* watched = nullptr;             // what the observer keeps about this block
  std::string printed;                 // device printf, shown when the grid ends
  bool let_dependents_launch = false;  // some thread of it has
  bool saw_refusal = false;            // some thread of it: clusterlaunchcontrol got no cluster
};

struct ClusterBarrier {
  std::uint32_t arrived = 0;
  std::uint64_t generation = 0;
};

// The unit that one host thread runs: blocks that may see each other's shared memory.
struct Cluster {
  Grid* grid = nullptr;
  std::uint32_t index = 0;
  std::vector<std::unique_ptr<Block>> blocks;
  ClusterBarrier barrier;
  std::vector<TensorMeeting> tensor_meetings;  // by pair
  std::uint32_t threads = 0, exited = 0;
  std::uint64_t progress = 1;    // grows with everything that may end a Wait
  std::vector<AsyncOp> pending;  // not yet run, in order of issue
  std::uint64_t sequence = 0;
  std::uint64_t instructions = 0;
  std::uint32_t fruitless = 0;  // grows with turns in a row that only polled mbarriers
  std::uint64_t next_patience = 0, patience_progress = 0;
  // The lane group that runs. For a fault of an asynchronous operation: the warp and instruction
  // that issued it.
  Warp* running = nullptr;
  LaneGroup* running_group = nullptr;
  Warp* issuer = nullptr;
  int issuer_lane = -1;
  std::uint32_t issuer_pc = 0;
  std::uint64_t random = 1;  // state of the scheduler's generator
  // For the observer: the asynchronous operation at work, the cp.async arrival at work (0: none).
  std::uint64_t acting = 0, arriving = 0;
  std::unique_ptr<Attachment> watched;

  // Allocations as last looked up, and the ranges last hit: lanes mostly stay in a few buffers.
  struct Range {
    std::uint64_t low = 1, high = 0, write_high = 0;
  };
  std::shared_ptr<const Memory::Table> table;
  std::uint64_t table_generation = 0;
  Range recent[8];
  std::uint32_t next_recent = 0;

  void moved() { ++progress; }
  void forget_ranges();  // after memory was freed: here and in the warps
};

enum class Order : std::uint8_t { earliest, latest, random };

namespace watch {
struct ProcessWatch;
}

struct Settings {
  Order order = Order::earliest;
  std::uint64_t seed = 1;
  int host_threads = 0;  // 0: one per core
  bool check_memory = true;
  bool detailed = false;                   // --stats
  watch::ProcessWatch* hazards = nullptr;  // AISP_SIM_HAZARDS: look for hazards, report them there
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  // Of number `index`, counted along x first.
  Dim3 place_of(std::uint64_t index) const {
    return {static_cast<std::uint32_t>(index % x), static_cast<std::uint32_t>(index / x % y),
            static_cast<std::uint32_t>(index / (std::uint64_t{x} * y))};
  }
};

// cudaGraphSetConditional; false: there is no such handle. Called by several threads.
using SetCondition = std::function<bool(std::uint64_t handle, std::uint32_t value)>;

struct Grid {
  const Program* program = nullptr;
  const Routine* kernel = nullptr;
  const DeviceModel* device = nullptr;
  Memory* memory = nullptr;
  int ordinal = 0;  // of the device it runs on
  Settings settings;
  Dim3 grid, block, cluster;
  Dim3 clusters() const { return {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z}; }
  Dim3 first_block(const Dim3& of) const {
    return {of.x * cluster.x, of.y * cluster.y, of.z * cluster.z};
  }
  bool explicit_cluster = false;
  std::uint64_t id = 0;
  std::uint32_t dynamic_shared = 0;
  const std::byte* params = nullptr;   // the constant bank, in a read-only allocation
  std::uint64_t workspace = 0;         // where a cooperative grid meets: %envreg1 (high), %envreg2
  std::uint32_t local_limit = 0;       // bytes of local memory per lane
  PendingClusters pending;             // clusters that have not begun
  std::atomic<bool> stop{false};       // a fault elsewhere: leave
  std::function<std::uint64_t()> now;  // simulated nanoseconds, for %globaltimer
  SetCondition set_condition;          // none: no graph has conditional nodes
  Observer* observer = nullptr;        // null: nobody looks on
  std::unique_ptr<TensorMemories> tensor_memories;  // none: the device has no tensor memory
};

}  // namespace aisp::sim
