// The host's side of the hazard checker: operations on the same memory that no stream, event, graph
// edge or wait of the host orders, memory used after cudaFreeAsync, and the host in memory of a
// copy under way.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/cudart/hazards_operation.hpp"
#include "sim/cudart/hazards_shadow.hpp"
#include "sim/cudart/stream_executor.hpp"
#include "sim/watch/session.hpp"

namespace sim {

class Hazards {
 public:
  static Hazards* get();  // null: nobody asked for it; never destroyed

  // ---- For the executor.
  // `overlaps`: those of `after` that a programmatic launch need not wait for. `inside`: the end of
  // the conditional graph node that it is part of.
  hazards::NodePtr submitted(const std::vector<MarkPtr>& after,
                             const std::vector<MarkPtr>& overlaps,
                             const hazards::OperationPtr& operation, int device,
                             const hazards::NodePtr& inside);
  void begins(const hazards::OperationPtr& operation);
  void ended(const hazards::OperationPtr& operation, bool ran);
  void host_waited(const MarkPtr& mark);
  hazards::Clock everything(int device);  // submitted to it so far; -1: to any
  void host_waited(const hazards::Clock& clock);

  // ---- For tasks, while the executor runs them.
  void kernel_ran(const Program& program, watch::Footprint footprint);
  void retire();  // the operation releases memory, which is kept until nothing can touch it

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
    hazards::Order order;
    hazards::Clock of_device[most_devices];  // what was submitted to each; unused for one alone
    hazards::Shadow shadow;
    std::uint64_t last_number = 0, last_graph = 0;
    std::map<std::uint64_t, hazards::OperationPtr> pending;  // by number: not yet run
    std::vector<hazards::OperationPtr> ran;                  // and the host does not know
    std::deque<hazards::OperationPtr> known;                 // it does; not settled, by known_at
    std::map<std::uint64_t, hazards::OperationPtr> guarded;  // by number
    hazards::OperationPtr running;
  };

  explicit Hazards(watch::Session& session);
  void guard(const hazards::OperationPtr& operation);
  void learn(const hazards::Clock& clock);
  void report_touches();
  void settle();
  template <class Body>
  void for_all_that_ran(Body body) {
    for (const auto& operation : state_->ran) body(*operation);
    for (const auto& operation : state_->known) body(*operation);
  }

  watch::Session& session_;
  std::unique_ptr<State> state_;
};

}  // namespace sim
