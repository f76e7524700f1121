#include "app/inspect/launches.hpp"

#include <cuda.h>

#include <algorithm>
#include <map>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "lab/case/rung.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::app {
namespace {

using lab::check_cuda;

std::string extent(const dim3& of) {
  std::string text = std::to_string(of.x);
  if (of.y > 1 || of.z > 1) text += base::say('x', of.y);
  if (of.z > 1) text += base::say('x', of.z);
  return text;
}

std::string counted(int count, const char* one, const char* several) {
  return base::say(count, " ", count == 1 ? one : several);
}

std::string shape_of(const dim3& grid, const dim3& block, unsigned shared) {
  return base::say("grid ", extent(grid), ", block ", extent(block), ", ", shared,
                   " bytes of dynamic shared memory");
}

struct KernelNode {
  LaunchedKernel kernel;
  std::string shape;
};

// Kernels that a library has launched by way of the driver or of a runtime of its own: this
// program's runtime does not know their functions, the driver does.
KernelNode foreign_kernel(cudaGraphNode_t node) {
  static const base::SharedLibrary driver("libcuda.so.1");
  CUresult (*params_of)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*function_name)(const char**, CUfunction) = nullptr;
  CUresult (*kernel_name)(const char**, CUkernel) = nullptr;
  CUDA_KERNEL_NODE_PARAMS params{};
  KernelNode found{{"a kernel that the CUDA runtime does not know"}, ""};
  if (!driver.find(params_of, "cuGraphKernelNodeGetParams_v2") ||
      params_of(node, &params) != CUDA_SUCCESS)
    return found;
  found.shape =
      shape_of({params.gridDimX, params.gridDimY, params.gridDimZ},
               {params.blockDimX, params.blockDimY, params.blockDimZ}, params.sharedMemBytes);
  const char* name = nullptr;
  if (params.func != nullptr && driver.find(function_name, "cuFuncGetName"))
    function_name(&name, params.func);
  else if (params.kern != nullptr && driver.find(kernel_name, "cuKernelGetName"))
    kernel_name(&name, params.kern);
  if (name != nullptr) found.kernel.name = name;
  return found;
}

KernelNode kernel_of(cudaGraphNode_t node) {
  cudaKernelNodeParams params{};
  const char* name = nullptr;
  if (cudaGraphKernelNodeGetParams(node, &params) != cudaSuccess ||
      cudaFuncGetName(&name, params.func) != cudaSuccess || name == nullptr) {
    cudaGetLastError();
    return foreign_kernel(node);
  }
  return {{name, params.func}, shape_of(params.gridDim, params.blockDim, params.sharedMemBytes)};
}

std::string copy_details(cudaGraphNode_t node) {
  cudaMemcpy3DParms params{};
  if (cudaGraphMemcpyNodeGetParams(node, &params) != cudaSuccess) {
    cudaGetLastError();
    return "";
  }
  const auto& bytes = params.extent;  // of memory without an array, the width counts bytes
  return base::say(bytes.width * bytes.height * bytes.depth, " bytes");
}

std::string fill_details(cudaGraphNode_t node) {
  cudaMemsetParams params{};
  if (cudaGraphMemsetNodeGetParams(node, &params) != cudaSuccess) {
    cudaGetLastError();
    return "";
  }
  return base::say(params.width * params.height * params.elementSize, " bytes");
}

const char* kind_name(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "copy";
    case cudaGraphNodeTypeMemset:
      return "fill";
    case cudaGraphNodeTypeHost:
      return "host function";
    case cudaGraphNodeTypeGraph:
      return "graph";
    case cudaGraphNodeTypeEmpty:
      return "empty";
    case cudaGraphNodeTypeWaitEvent:
      return "wait for an event";
    case cudaGraphNodeTypeEventRecord:
      return "record of an event";
    case cudaGraphNodeTypeMemAlloc:
      return "allocation";
    case cudaGraphNodeTypeMemFree:
      return "release of memory";
    case cudaGraphNodeTypeConditional:
      return "condition";
    default:
      return "other work";
  }
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check_cuda(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check_cuda(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  return nodes;
}

void add_edges(cudaGraph_t graph, const std::map<cudaGraphNode_t, int>& places, Launches& into) {
  std::size_t count = 0;
  check_cuda(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count), "cudaGraphGetEdges");
  if (count == 0) return;
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(
      count);  // without it, edges of dependent launches are an error
  check_cuda(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &count),
             "cudaGraphGetEdges");
  for (std::size_t at = 0; at < count; ++at)
    into.edges.emplace_back(places.at(from[at]), places.at(to[at]));
}

}  // namespace

void read_graph(cudaGraph_t graph, Launches& into, int depth) {
  std::map<cudaGraphNode_t, int> places;
  for (const cudaGraphNode_t node : nodes_of(graph)) {
    places[node] = static_cast<int>(into.nodes.size());
    cudaGraphNodeType type{};
    check_cuda(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    into.nodes.push_back({.kind = kind_name(type), .details = "", .depth = depth});
    std::string& details = into.nodes.back().details;
    if (type == cudaGraphNodeTypeKernel) {
      const KernelNode kernel = kernel_of(node);
      details = lab::readable(kernel.kernel.name);
      if (!kernel.shape.empty()) details += ", " + kernel.shape;
      ++into.launches;
      auto& known = into.kernels;
      if (std::find(known.begin(), known.end(), kernel.kernel) == known.end())
        known.push_back(kernel.kernel);
    } else if (type == cudaGraphNodeTypeMemcpy) {
      details = copy_details(node);
    } else if (type == cudaGraphNodeTypeMemset) {
      details = fill_details(node);
    } else if (type == cudaGraphNodeTypeGraph) {
      cudaGraph_t child{};
      check_cuda(cudaGraphChildGraphNodeGetGraph(node, &child), "cudaGraphChildGraphNodeGetGraph");
      read_graph(child, into, depth + 1);
    }
  }
  add_edges(graph, places, into);
}

std::string Launches::summary() const {
  const std::string kernels_launched = counted(launches, "kernel launch", "kernel launches");
  const auto all = static_cast<int>(nodes.size());
  if (!captured)
    return base::say(counted(all, "piece of work", "pieces of work"), ", ", kernels_launched);
  return base::say(counted(all, "node", "nodes"), ", ",
                   counted(static_cast<int>(edges.size()), "edge", "edges"), ", ",
                   kernels_launched);
}

std::string Launches::text() const {
  std::string text = captured ? "The work of one run as a captured CUDA graph: "
                              : "The work of one run, as it was seen on the device: ";
  text += summary() + "\n";
  if (!captured) text += "no graph: " + why_not + "\n";
  text += '\n';
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const LaunchNode& node = nodes[at];
    text += base::say(std::string(2 * static_cast<std::size_t>(node.depth), ' '), at, "  ",
                      node.kind, node.details.empty() ? "" : "  ", node.details, '\n');
  }
  if (!edges.empty()) text += "\nedges\n";
  for (const auto& [from, to] : edges) text += base::say(from, " -> ", to, '\n');
  return text;
}

}  // namespace aisp::app
