// Work that somebody else captured into a CUDA graph, launched on the lab's stream.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

namespace aisp::peers {

class Captured {
 public:
  // The graph must outlive this; it is instantiated here and not changed.
  explicit Captured(cudaGraph_t graph);

  // In a stream that is being captured itself (--timer graph) the work becomes a part of that
  // graph.
  void enqueue(cudaStream_t stream) const;

 private:
  cudaGraph_t graph_;
  std::shared_ptr<CUgraphExec_st> executable_;
};

}  // namespace aisp::peers
