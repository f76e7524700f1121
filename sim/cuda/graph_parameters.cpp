#include "sim/cuda/graph_parameters.hpp"

#include <cstring>

#include "sim/cuda/copy_parameters.hpp"
#include "sim/cuda/function_attribute.hpp"
#include "sim/runtime/graph/work.hpp"

namespace aisp::sim::driver {

KernelNode::KernelNode(CUfunction function, CUkernel kernel, dim3 grid, dim3 block, unsigned shared,
                       void** pointers, void** extra) {
  const void* handle =
      function != nullptr ? static_cast<const void*>(function) : static_cast<const void*>(kernel);
  demand(handle != nullptr);
  Kernel& called = kernel_of(handle);
  demand(pointers == nullptr || extra == nullptr);
  if (extra != nullptr) unpacked_ = unpacked_arguments(called, extra);
  parameters_.func = &called;
  parameters_.gridDim = grid;
  parameters_.blockDim = block;
  parameters_.sharedMemBytes = shared;
  parameters_.kernelParams = extra != nullptr ? unpacked_.data() : pointers;
}

cudaMemcpy3DParms same_copy(const CUDA_MEMCPY3D& parameters) {
  return copy_parameters(copy_described(parameters));
}

GenericNode::GenericNode(CUgraphNodeParams& parameters) : asked_(parameters) {
  parameters_.type = static_cast<cudaGraphNodeType>(parameters.type);
  switch (parameters.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const cudaKernelNodeParams& own = *kernel_.emplace_back(parameters.kernel).get();
      parameters_.kernel.func = own.func;
      parameters_.kernel.gridDim = own.gridDim;
      parameters_.kernel.blockDim = own.blockDim;
      parameters_.kernel.sharedMemBytes = own.sharedMemBytes;
      parameters_.kernel.kernelParams = own.kernelParams;
      return;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      parameters_.memcpy.copyParams = same_copy(parameters.memcpy.copyParams);
      return;
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_HOST:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      // One layout, but that the driver's may end with a context.
      std::memcpy(parameters_.reserved1, parameters.reserved1, sizeof parameters_.reserved1);
      if (parameters.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        parameters_.conditional = {
            parameters.conditional.handle,
            static_cast<cudaGraphConditionalNodeType>(parameters.conditional.type),
            parameters.conditional.size, nullptr};
      return;
    default:
      Runtime::get().note_once(
          "graph nodes of the driver for memory operations and external "
          "semaphores are not supported by the simulator");
      throw DriverError{CUDA_ERROR_NOT_SUPPORTED};
  }
}

void GenericNode::finish() {
  if (asked_.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    asked_.alloc.dptr = address_of(parameters_.alloc.dptr);
  if (asked_.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    asked_.conditional.phGraph_out = parameters_.conditional.phGraph_out;
}

}  // namespace aisp::sim::driver
