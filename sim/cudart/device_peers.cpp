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

namespace {

// What the hardware does natively between devices that are linked: all operations on integers of 32
// and 64 bits, the additions of floating-point numbers, exchanges of 128 bits.
unsigned atomic_capability(cudaAtomicOperation operation) {
  constexpr unsigned words = cudaAtomicCapabilityScalar32 | cudaAtomicCapabilityScalar64;
  constexpr unsigned any_sign = cudaAtomicCapabilitySigned | cudaAtomicCapabilityUnsigned;
  switch (operation) {
    case cudaAtomicOperationIntegerAdd:
    case cudaAtomicOperationIntegerMin:
    case cudaAtomicOperationIntegerMax:
    case cudaAtomicOperationAnd:
    case cudaAtomicOperationOr:
    case cudaAtomicOperationXOR:
      return words | any_sign | cudaAtomicCapabilityReduction;
    case cudaAtomicOperationIntegerIncrement:
    case cudaAtomicOperationIntegerDecrement:
      return cudaAtomicCapabilityScalar32 | cudaAtomicCapabilityUnsigned |
             cudaAtomicCapabilityReduction;
    case cudaAtomicOperationExchange:
    case cudaAtomicOperationCAS:
      return words | cudaAtomicCapabilityScalar128 | any_sign;
    case cudaAtomicOperationFloatAdd:
      return words | cudaAtomicCapabilitySigned | cudaAtomicCapabilityReduction;
    case cudaAtomicOperationFloatMin:
    case cudaAtomicOperationFloatMax:
      return 0;
  }
  throw sim::ApiError{cudaErrorInvalidValue};
}

void give_capabilities(unsigned* to, const cudaAtomicOperation* operations, unsigned count,
                       bool linked) {
  require(to != nullptr && operations != nullptr && count != 0);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned native = atomic_capability(operations[i]);
    to[i] = linked ? native : 0;
  }
}

}  // namespace

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned* capabilities,
                                               const cudaAtomicOperation* operations,
                                               unsigned count, int device, int peer) {
  return api_always([&](Runtime&) {
    sim::require_ordinal(device);
    sim::require_ordinal(peer);
    require(device != peer, cudaErrorInvalidDevice);
    give_capabilities(capabilities, operations, count, true);
    return cudaSuccess;
  });
}

// As cudaDevAttrHostNativeAtomicSupported says: none across PCI Express.
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned* capabilities,
                                                const cudaAtomicOperation* operations,
                                                unsigned count, int device) {
  return api_always([&](Runtime&) {
    sim::require_ordinal(device);
    give_capabilities(capabilities, operations, count, false);
    return cudaSuccess;
  });
}

// No device of a third party writes into simulated memory: all that it wrote is there.
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget target,
                                               cudaFlushGPUDirectRDMAWritesScope scope) {
  return api([&](Runtime&) {
    require(target == cudaFlushGPUDirectRDMAWritesTargetCurrentDevice);
    require(scope == cudaFlushGPUDirectRDMAWritesToOwner ||
            scope == cudaFlushGPUDirectRDMAWritesToAllDevices);
    return cudaSuccess;
  });
}
