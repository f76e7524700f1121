// Nodes of graphs, and what they do.
#include "sim/cuda/copy_parameters.hpp"
#include "sim/cuda/graph_parameters.hpp"
#include "sim/runtime/memory/copy.hpp"
#include "sim/runtime/module/module.hpp"

using namespace aisp;

using namespace sim::driver;

static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(cudaMemsetParams));
static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(cudaHostNodeParams));
static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(cudaMemAllocNodeParams));

namespace {

template <class Parameters, class Call>
CUresult with_kernel_node(const Parameters* parameters, Call call) {
  return initialised([&] {
    demand(parameters != nullptr);
    return call(KernelNode(*parameters).get());
  });
}

template <class Call>
CUresult with_copy(const CUDA_MEMCPY3D* parameters, Call call) {
  return initialised([&] {
    demand(parameters != nullptr);
    const cudaMemcpy3DParms copy = same_copy(*parameters);
    return call(&copy);
  });
}

template <class Parameters>
CUresult read_kernel_node(CUgraphNode node, Parameters* parameters) {
  return initialised([&] {
    demand(parameters != nullptr);
    cudaKernelNodeParams own{};
    demand(cudaGraphKernelNodeGetParams(node, &own));
    *parameters = {};
    parameters->func = reinterpret_cast<CUfunction>(&sim::kernel_of(own.func));
    parameters->gridDimX = own.gridDim.x;
    parameters->gridDimY = own.gridDim.y;
    parameters->gridDimZ = own.gridDim.z;
    parameters->blockDimX = own.blockDim.x;
    parameters->blockDimY = own.blockDim.y;
    parameters->blockDimZ = own.blockDim.z;
    parameters->sharedMemBytes = own.sharedMemBytes;
    parameters->kernelParams = own.kernelParams;
  });
}

template <class Call>
CUresult with_generic(CUgraphNodeParams* parameters, Call call) {
  return initialised([&] {
    demand(parameters != nullptr);
    GenericNode node(*parameters);
    demand(call(node.get()));
    node.finish();
  });
}

}  // namespace

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return with_kernel_node(parameters, [&](const cudaKernelNodeParams* own) {
    return cudaGraphAddKernelNode(node, graph, before, count, own);
  });
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return with_kernel_node(parameters, [&](const cudaKernelNodeParams* own) {
    return cudaGraphAddKernelNode(node, graph, before, count, own);
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return read_kernel_node(node, parameters);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return read_kernel_node(node, parameters);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return with_kernel_node(parameters, [&](const cudaKernelNodeParams* own) {
    return cudaGraphKernelNodeSetParams(node, own);
  });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                       const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return with_kernel_node(parameters, [&](const cudaKernelNodeParams* own) {
    return cudaGraphKernelNodeSetParams(node, own);
  });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return with_kernel_node(parameters, [&](const cudaKernelNodeParams* own) {
    return cudaGraphExecKernelNodeSetParams(exec, node, own);
  });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  return with_kernel_node(parameters, [&](const cudaKernelNodeParams* own) {
    return cudaGraphExecKernelNodeSetParams(exec, node, own);
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CUDA_MEMCPY3D* parameters, CUcontext) {
  return with_copy(parameters, [&](const cudaMemcpy3DParms* copy) {
    return cudaGraphAddMemcpyNode(node, graph, before, count, copy);
  });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* parameters) {
  return initialised([&] {
    demand(parameters != nullptr);
    cudaMemcpy3DParms copy{};
    demand(cudaGraphMemcpyNodeGetParams(node, &copy));
    *parameters = described(sim::copy_of(copy));
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* parameters) {
  return with_copy(parameters, [&](const cudaMemcpy3DParms* copy) {
    return cudaGraphMemcpyNodeSetParams(node, copy);
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* parameters, CUcontext) {
  return with_copy(parameters, [&](const cudaMemcpy3DParms* copy) {
    return cudaGraphExecMemcpyNodeSetParams(exec, node, copy);
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
  return initialised([&] {
    return cudaGraphAddMemsetNode(node, graph, before, count,
                                  same<const cudaMemsetParams>(parameters));
  });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* parameters) {
  return initialised(
      [&] { return cudaGraphMemsetNodeGetParams(node, same<cudaMemsetParams>(parameters)); });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters) {
  return initialised(
      [&] { return cudaGraphMemsetNodeSetParams(node, same<const cudaMemsetParams>(parameters)); });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
  return initialised([&] {
    return cudaGraphExecMemsetNodeSetParams(exec, node, same<const cudaMemsetParams>(parameters));
  });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                            size_t count, const CUDA_HOST_NODE_PARAMS* parameters) {
  return initialised([&] {
    return cudaGraphAddHostNode(node, graph, before, count,
                                same<const cudaHostNodeParams>(parameters));
  });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* parameters) {
  return initialised(
      [&] { return cudaGraphHostNodeGetParams(node, same<cudaHostNodeParams>(parameters)); });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters) {
  return initialised(
      [&] { return cudaGraphHostNodeSetParams(node, same<const cudaHostNodeParams>(parameters)); });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* parameters) {
  return initialised([&] {
    return cudaGraphExecHostNodeSetParams(exec, node, same<const cudaHostNodeParams>(parameters));
  });
}

CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                           const CUgraphEdgeData* edges, size_t count,
                           CUgraphNodeParams* parameters) {
  return with_generic(parameters, [&](cudaGraphNodeParams* own) {
    return cudaGraphAddNode(node, graph, before, same<const cudaGraphEdgeData>(edges), count, own);
  });
}

CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                        CUgraphNodeParams* parameters) {
  return cuGraphAddNode_v2(node, graph, before, nullptr, count, parameters);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* parameters) {
  return with_generic(parameters,
                      [&](cudaGraphNodeParams* own) { return cudaGraphNodeSetParams(node, own); });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                  CUgraphNodeParams* parameters) {
  return with_generic(parameters, [&](cudaGraphNodeParams* own) {
    return cudaGraphExecNodeSetParams(exec, node, own);
  });
}
