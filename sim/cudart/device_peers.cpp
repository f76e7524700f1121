// Access of one device to the memory of another. All of them are linked with each other.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::api_always;
using sim::require;
using sim::Runtime;

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api_always([&](Runtime&) {
    require(can != nullptr);
    sim::require_ordinal(device);
    sim::require_ordinal(peer);
    *can = device != peer;
    return cudaSuccess;
  });
}

// What was launched before runs without the access, or with it: the device comes to rest first.
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&](Runtime& runtime) {
    sim::require_ordinal(peer);
    require(flags == 0);
    const int device = sim::current_device();
    require(device != peer, cudaErrorPeerAccessUnsupported);
    require(!runtime.memory.reaches(device, peer), cudaErrorPeerAccessAlreadyEnabled);
    require(sim::wait_device());
    runtime.memory.let_reach(device, peer, true);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api([&](Runtime& runtime) {
    sim::require_ordinal(peer);
    const int device = sim::current_device();
    require(device != peer && runtime.memory.reaches(device, peer), cudaErrorPeerAccessNotEnabled);
    require(sim::wait_device());
    runtime.memory.let_reach(device, peer, false);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device,
                                      int peer) {
  return api_always([&](Runtime&) {
    require(value != nullptr);
    sim::require_ordinal(device);
    sim::require_ordinal(peer);
    require(device != peer, cudaErrorInvalidDevice);
    switch (attribute) {
      case cudaDevP2PAttrPerformanceRank:
      case cudaDevP2PAttrCudaArrayAccessSupported:  // there are no arrays
        *value = 0;
        return cudaSuccess;
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
        *value = 1;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
