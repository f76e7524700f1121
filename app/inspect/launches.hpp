// What a run of a rung puts onto the device: the nodes of the graph that a capture of it gives or,
// where it cannot be captured, the work that was seen while it ran.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>
#include <vector>

namespace aisp::app {

struct LaunchedKernel {
  std::string name;  // mangled where a graph says it, else readable
  const void* function =
      nullptr;  // what the CUDA runtime calls it; null where only the name is known
  bool operator==(const LaunchedKernel&) const = default;
};

struct LaunchNode {
  std::string kind;     // "kernel", "copy", "fill", "graph", …
  std::string details;  // readable name, grid, block, shared memory; bytes
  int depth = 0;        // within how many child graphs
};

struct Launches {
  bool captured = false;
  std::string why_not{};  // captured: one line
  std::vector<LaunchNode> nodes{};
  std::vector<std::pair<int, int>> edges{};  // of captured ones, by the place among the nodes
  std::vector<LaunchedKernel> kernels{};     // each once, in the order of their first launch
  int launches = 0;                          // of kernels

  // "3 nodes, 2 edges, 3 kernel launches"
  std::string summary() const;
  std::string text() const;
};

// Adds what stands in a graph, child graphs included. Throws lab::CudaError.
void read_graph(cudaGraph_t graph, Launches& into, int depth = 0);

}  // namespace aisp::app
