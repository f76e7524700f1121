// The host's side of the hazard checker: operations on the same memory that no stream, event, graph
// edge or wait of the host orders, memory used after cudaFreeAsync, and the host, or a host
// function of another stream, in memory of an operation under way. It knows no streams: whoever
// runs them says what was submitted behind what, when an operation ran and what the host has waited
// for.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/machine/memory.hpp"
#include "sim/watch/host/missing_order.hpp"
#include "sim/watch/host/stream_shadow.hpp"
#include "sim/watch/operation_order.hpp"
#include "sim/watch/process_watch.hpp"
#include "sim/watch/stream_operation.hpp"

namespace aisp::sim::watch {

class HostWatch {
 public:
  HostWatch(ProcessWatch& process, const Memory& memory);

  // ---- For the executor.
  // The node of what was submitted behind `after`, null ones left out. `overlaps`: those of them
  // that a programmatic launch need not wait for. `operation`: null for what only orders others.
  // `inside`: the end of the conditional graph node that it is part of.
  OrderNodePtr submitted(const std::vector<OrderNodePtr>& after,
                         const std::vector<OrderNodePtr>& overlaps,
                         const StreamOperationPtr& operation, int device,
                         const OrderNodePtr& inside);
  // The wait for a value is over: `writer` wrote it, or, where that is null, anything that has run.
  void found_value(const OrderNodePtr& wait, const OrderNodePtr& writer);
  void begins(const StreamOperationPtr& operation);
  void goes_on(const StreamOperationPtr& operation);  // others have run in the meantime
  void ended(const StreamOperationPtr& operation, bool ran);
  bool host_knows(const ChainClock& clock);
  bool in_host_function() const;
  // The kernel that runs may be waiting for the host.
  bool kernel_talks() const { return process_.talks_to_host.load(std::memory_order_acquire); }
  ChainClock everything(int device);  // submitted to it so far; -1: to any
  void host_waited(const ChainClock& clock);

  // ---- For operations, while the executor runs them.
  void kernel_ran(const Program& program, Footprint footprint);
  // The operation frees memory, which is kept until nothing can touch it: `release` is then called
  // with it.
  void retire(void (*release)(void* memory));

  void make_room(int device, std::uint64_t bytes);  // frees what was kept when there is not enough
  void forget(const Program* program);              // it is about to go

  std::uint64_t next_graph();  // numbers the launches of graphs
  // Work is to come that was asked for now: until it is released, nothing that may be unordered
  // with it is forgotten.
  std::uint64_t reserve();
  void release(std::uint64_t reserved);
  void finish();      // at the end of the process
  void after_fork();  // in the child

 private:
  struct State {
    std::mutex mutex;
    OperationOrder order;
    ChainClock of_device[most_devices];  // what was submitted to each; unused for one alone
    StreamShadow shadow;
    MissingOrder missing;
    std::uint64_t last_number = 0, last_graph = 0;
    std::map<std::uint64_t, StreamOperationPtr> pending;  // by number: not yet run
    std::vector<StreamOperationPtr> ran;                  // and the host does not know
    std::deque<StreamOperationPtr> known;                 // it does; not settled, by known_at
    std::map<std::uint64_t, StreamOperationPtr> guarded;  // by number
    StreamOperationPtr running;
    std::atomic<bool> in_function{false};             // what runs is a host function
    std::vector<std::uint64_t> guarded_for_function;  // while it runs; by number
  };

  bool several_devices() const { return memory_.devices() > 1; }
  void guard(const StreamOperationPtr& operation, bool for_function = false);
  void keep_what_host_reaches(StreamOperation& operation) const;
  void enter_function(const StreamOperation& function);
  void leave_function();
  bool is_guarded_for_function(std::uint64_t number) const;
  void learn(const ChainClock& clock);
  void report_touches();
  void settle();
  template <class Body>
  void for_all_that_ran(Body body) {
    for (const auto& operation : state_->ran) body(*operation);
    for (const auto& operation : state_->known) body(*operation);
  }

  ProcessWatch& process_;
  const Memory& memory_;
  std::unique_ptr<State> state_;
};

}  // namespace aisp::sim::watch
