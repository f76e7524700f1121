#include "sim/runtime/stream/task.hpp"

#include <utility>

#include "sim/runtime/memory/copy.hpp"
#include "sim/runtime/memory/fill.hpp"
#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/memory/pool.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

template <class Call, class Body>
Task make(Call call, Body body) {
  Task task;
  task.run = [call, body](double) -> TaskResult {
    const cudaError_t lost = Runtime::get().sticky();
    return lost != cudaSuccess ? TaskResult{lost, 0} : TaskResult{cudaSuccess, body(call)};
  };
  task.what = std::move(call);
  return task;
}

}  // namespace

Task make_task(CopyCall call) {
  return make(std::move(call), [](const CopyCall& self) { return perform(self); });
}

Task make_task(FillCall call) {
  return make(call, [](const FillCall& self) { return perform(self); });
}

Task make_task(HostCall call) {
  return make(call, [](const HostCall& self) {
    self.function(self.data);
    return copy_latency;
  });
}

Task make_task(AllocateCall call) {
  return make(call, [](const AllocateCall& self) {
    begin_graph_memory(self.memory);
    return 0.0;
  });
}

Task make_task(ReleaseCall call) {
  return make(call, [](const ReleaseCall& self) {
    perform(self);
    return 0.0;
  });
}

}  // namespace aisp::sim
