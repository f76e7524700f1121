// Instantiating, launching and updating graphs.
#include "sim/runtime/graph/exec.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/conditional.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

using sim::exec_of;
using sim::locked_api;
using sim::require;
using sim::Streams;

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return locked_api([&] {
    require(exec != nullptr);
    require(sim::forbid_during_capture());
    *exec = sim::instantiate(sim::graph_of(graph), flags);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return sim::record_error(cudaErrorInvalidValue);
  parameters->errNode_out = nullptr;
  const cudaError_t error = cudaGraphInstantiate(exec, graph, parameters->flags);
  const auto unused = [&] {
    bool found = false;
    sim::locked_api([&] { found = sim::holds_unused_conditions(sim::graph_of(graph)); });
    return found;
  };
  parameters->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess
                           : unused()           ? cudaGraphInstantiateConditionalHandleUnused
                           : error == cudaErrorNotSupported
                               ? cudaGraphInstantiateNodeOperationNotSupported
                               : cudaGraphInstantiateInvalidStructure;
  return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return locked_api([&] {
    require(flags != nullptr);
    *flags = exec_of(exec).flags;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  const cudaError_t error = locked_api([&] {
    sim::require_permitted();
    sim::launch_graph(exec_of(exec), Streams::get().find(stream));
  });
  sim::Executor::get().run_what_reaches_host();
  return error;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return locked_api([&] {
    exec_of(exec);
    sim::require_not_capturing(Streams::get().find(stream));
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return locked_api([&] {
    require(sim::forbid_during_capture());
    sim::destroy_exec(handle);
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return locked_api([&] {
    const auto result = sim::update(exec_of(exec), sim::graph_of(graph));
    if (info != nullptr) *info = result;
    require(result.result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
  });
}
