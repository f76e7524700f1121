// A stream as it is kept. Guarded by Runtime::mutex.
#pragma once

#include <memory>
#include <vector>

#include "sim/runtime/state/context.hpp"
#include "sim/runtime/stream/executor.hpp"

namespace aisp::sim {

struct Capture;    // sim/runtime/stream/capture.hpp
struct GraphNode;  // of the graph that a capture fills; only ever passed on

inline constexpr int lowest_priority = 0, highest_priority = -5;  // as CUDA counts

struct Stream {
  unsigned long long id = 0;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;
  const Context* green = nullptr;  // that it was made in; null: none
  MarkPtr tail;                    // of the last submission
  cudaSynchronizationPolicy policy = cudaSyncPolicyAuto;
  cudaAccessPolicyWindow window{};
  cudaLaunchMemSyncDomain domain = cudaLaunchMemSyncDomainDefault;
  cudaLaunchMemSyncDomainMap domain_map{0, 1};

  std::shared_ptr<Capture> capture;  // under way, maybe invalidated; null: none
  std::vector<GraphNode*> frontier;  // what the next captured node comes after

  // Synchronises with the legacy stream.
  bool blocking() const { return !legacy && (flags & cudaStreamNonBlocking) == 0; }
};

inline cudaStream_t handle_of(Stream& stream) { return reinterpret_cast<cudaStream_t>(&stream); }

// Kept and shown, the priority acted upon. Throw ApiError{cudaErrorInvalidValue} for an attribute
// that streams do not have.
void set_attribute(Stream& stream, cudaLaunchAttributeID attribute,
                   const cudaLaunchAttributeValue& value);
void read_attribute(const Stream& stream, cudaLaunchAttributeID attribute,
                    cudaLaunchAttributeValue& value);
void copy_attributes(Stream& to, const Stream& from);

}  // namespace aisp::sim
