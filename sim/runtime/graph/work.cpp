#include "sim/runtime/graph/work.hpp"

#include <cstring>

#include "sim/runtime/graph/conditional.hpp"
#include "sim/runtime/launch/make_call.hpp"
#include "sim/runtime/memory/copy.hpp"
#include "sim/runtime/memory/fill.hpp"
#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/memory/pool.hpp"
#include "sim/runtime/stream/event.hpp"

namespace aisp::sim {
namespace {

CopyCall judged(CopyCall call) {
  require(call.bytes() != 0);
  if (call.height == 1 && call.depth == 1) {  // no second row: pitches may be left out
    call.to_pitch = call.from_pitch = call.to_plane = call.from_plane = call.width;
  }
  judge(call);
  return call;
}

bool on_host(const void* pointer) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  return !found || found->kind == MemoryKind::pinned;
}

}  // namespace

KernelCall kernel_work(const cudaKernelNodeParams& parameters,
                       const std::vector<cudaLaunchAttribute>& attributes) {
  require(parameters.extra == nullptr);
  cudaLaunchConfig_t config{};
  config.gridDim = parameters.gridDim;
  config.blockDim = parameters.blockDim;
  config.dynamicSmemBytes = parameters.sharedMemBytes;
  std::vector<cudaLaunchAttribute> list = attributes;
  config.attrs = list.data();
  config.numAttrs = static_cast<unsigned>(list.size());
  return make_call(config, kernel_of(parameters.func), parameters.kernelParams);
}

CopyCall copy_work(const cudaMemcpy3DParms* parameters) {
  require(parameters != nullptr);
  return judged(copy_of(*parameters));
}

CopyCall copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return judged(plain_copy(to, from, bytes, kind));
}

CopyCall copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind) {
  return copy_work(address_in_symbol(symbol, offset, bytes), from, bytes, kind);
}

CopyCall copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                          cudaMemcpyKind kind) {
  return copy_work(to, address_in_symbol(symbol, offset, bytes), bytes, kind);
}

FillCall fill_work(const cudaMemsetParams* parameters) {
  require(parameters != nullptr && parameters->width != 0 && parameters->height != 0);
  FillCall call;
  call.to = parameters->dst;
  call.value = parameters->value;
  call.element = parameters->elementSize;
  call.width = parameters->width;
  call.height = parameters->height;
  call.pitch = call.height == 1 ? call.width * call.element : parameters->pitch;
  call.plane = call.pitch * call.height;
  judge(call);
  return call;
}

HostCall host_work(const cudaHostNodeParams* parameters) {
  require(parameters != nullptr && parameters->fn != nullptr);
  return {parameters->fn, parameters->userData};
}

ChildGraph child_work(const Graph& graph) {
  require(!holds_memory_nodes(graph) && !holds_conditional_nodes(graph), cudaErrorNotSupported);
  return {clone_graph(graph)};
}

AllocateCall allocate_work(cudaMemAllocNodeParams& parameters) {
  const cudaMemPoolProps& properties = parameters.poolProps;
  require(properties.allocType == cudaMemAllocationTypePinned && parameters.bytesize != 0);
  require(properties.location.type == cudaMemLocationTypeDevice);
  require_ordinal(properties.location.id);
  Memory& memory = Runtime::get().memory;
  parameters.dptr =
      memory.allocate_on(properties.location.id, parameters.bytesize, MemoryKind::device);
  require(parameters.dptr != nullptr, cudaErrorMemoryAllocation);
  std::uint32_t reach = 0;
  for (size_t i = 0; i < parameters.accessDescCount; ++i)
    reach |= bit_of_access(parameters.accessDescs[i]);
  memory.put_into_pool(parameters.dptr, reach);
  own_graph_memory(parameters.dptr, properties.location.id, parameters.bytesize);
  return {parameters.dptr, parameters.bytesize, nullptr};
}

NodeWork generic_work(cudaGraphNodeParams& parameters, const GraphNode* now) {
  switch (parameters.type) {
    case cudaGraphNodeTypeKernel: {
      const auto& [func, grid, block, shared, params, extra] = parameters.kernel;
      const auto* call = now != nullptr ? std::get_if<KernelCall>(&now->work) : nullptr;
      return kernel_work({func, grid, block, shared, params, extra},
                         call != nullptr ? call->attributes : std::vector<cudaLaunchAttribute>{});
    }
    case cudaGraphNodeTypeMemcpy:
      require(parameters.memcpy.flags == 0);
      return copy_work(&parameters.memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& fill = parameters.memset;
      const cudaMemsetParams plain{fill.dst,         fill.pitch, fill.value,
                                   fill.elementSize, fill.width, fill.height};
      return fill_work(&plain);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{parameters.host.fn, parameters.host.userData};
      return host_work(&host);
    }
    case cudaGraphNodeTypeGraph:
      return child_work(graph_of(parameters.graph.graph));
    case cudaGraphNodeTypeEventRecord:
      return EventRecord{live_event(parameters.eventRecord.event)};
    case cudaGraphNodeTypeWaitEvent:
      return EventWait{live_event(parameters.eventWait.event)};
    case cudaGraphNodeTypeEmpty:
      return std::monostate{};
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
      Runtime::get().note_once("nodes of external semaphores are not supported by the simulator");
      throw ApiError{cudaErrorNotSupported};
    case cudaGraphNodeTypeConditional:
      throw ApiError{cudaErrorNotSupported};  // what one decides by cannot be changed
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

cudaKernelNodeParams kernel_parameters(GraphNode& node) {
  auto& call = work_of<KernelCall>(node);
  node.pointers.clear();
  for (const ParamSlot& slot : call.kernel->routine().params)
    node.pointers.push_back(call.params.data() + slot.offset);
  const auto plain = [](const Dim3& dims) { return dim3(dims.x, dims.y, dims.z); };
  cudaKernelNodeParams parameters{};
  parameters.func = node.symbol != nullptr ? const_cast<void*>(node.symbol) : call.kernel;
  parameters.gridDim = plain(call.config.grid);
  parameters.blockDim = plain(call.config.block);
  parameters.sharedMemBytes = call.config.dynamic_shared;
  parameters.kernelParams = node.pointers.data();
  return parameters;
}

cudaMemcpy3DParms copy_parameters(const CopyCall& call) {
  if (call.asked) return *call.asked;
  cudaMemcpy3DParms parameters{};
  const bool rows = call.height != 1 || call.depth != 1;
  const auto end = [&](const void* at, std::size_t pitch, std::size_t plane) {
    if (!rows) return cudaPitchedPtr{const_cast<void*>(at), 0, 0, 0};
    return cudaPitchedPtr{const_cast<void*>(at), pitch, pitch, pitch == 0 ? 0 : plane / pitch};
  };
  parameters.srcPtr = end(call.from, call.from_pitch, call.from_plane);
  parameters.dstPtr = end(call.to, call.to_pitch, call.to_plane);
  parameters.extent = {call.width, call.height, call.depth};
  parameters.kind = call.kind;
  return parameters;
}

cudaMemsetParams fill_parameters(const FillCall& call) {
  return {call.to,    call.height == 1 ? 0 : call.pitch, call.value, call.element, call.width,
          call.height};
}

void set_work(GraphNode& node, NodeWork work, const void* symbol) {
  require(node.work.index() == work.index());
  if (auto* call = std::get_if<KernelCall>(&work))  // a node stays on its device
    call->config.device = std::get<KernelCall>(node.work).config.device;
  node.work = std::move(work);
  node.symbol = symbol;
}

bool updatable(const NodeWork& from, const NodeWork& to) {
  if (const auto* old = std::get_if<CopyCall>(&from)) {
    const auto& copy = std::get<CopyCall>(to);
    return old->height == copy.height && old->depth == copy.depth &&
           on_host(old->to) == on_host(copy.to) && on_host(old->from) == on_host(copy.from);
  }
  if (const auto* old = std::get_if<FillCall>(&from)) {
    const auto& fill = std::get<FillCall>(to);
    return old->height == fill.height;
  }
  if (const auto* old = std::get_if<ReleaseCall>(&from))
    return old->memory == std::get<ReleaseCall>(to).memory;
  return true;
}

KernelCall with_attributes(GraphNode& node, const std::vector<cudaLaunchAttribute>& attributes) {
  return kernel_work(kernel_parameters(node), attributes);
}

}  // namespace aisp::sim
