// What the API's parameter structures say, as the work of a node, and back. Everything is checked
// as at a call on a stream; ApiError is thrown.
#pragma once

#include "sim/runtime/graph/graph.hpp"
#include "sim/runtime/state/error.hpp"

namespace aisp::sim {

KernelCall kernel_work(const cudaKernelNodeParams& parameters,
                       const std::vector<cudaLaunchAttribute>& attributes);
CopyCall copy_work(const cudaMemcpy3DParms* parameters);
CopyCall copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
CopyCall copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind);
CopyCall copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                          cudaMemcpyKind kind);
FillCall fill_work(const cudaMemsetParams* parameters);
HostCall host_work(const cudaHostNodeParams* parameters);
ChildGraph child_work(const Graph& graph);                       // a copy of it
AllocateCall allocate_work(cudaMemAllocNodeParams& parameters);  // allocates
// The work that generic parameters of the node types which can be set describe.
NodeWork generic_work(cudaGraphNodeParams& parameters, const GraphNode* now);

cudaKernelNodeParams kernel_parameters(GraphNode& node);  // points into the node
cudaMemcpy3DParms copy_parameters(const CopyCall& call);
cudaMemsetParams fill_parameters(const FillCall& call);

// The node's work, of the type asked for. Throws ApiError{cudaErrorInvalidValue}.
template <class Work>
Work& work_of(GraphNode& node) {
  Work* work = std::get_if<Work>(&node.work);
  require(work != nullptr);
  return *work;
}

// New work of the same type as before, with `symbol` for kernels.
void set_work(GraphNode& node, NodeWork work, const void* symbol = nullptr);

// Whether an executable node may take the new work without being instantiated again.
bool updatable(const NodeWork& from, const NodeWork& to);

// A kernel's call again, with these attributes.
KernelCall with_attributes(GraphNode& node, const std::vector<cudaLaunchAttribute>& attributes);

}  // namespace aisp::sim
