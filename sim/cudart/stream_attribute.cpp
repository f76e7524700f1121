// Attributes of streams: kept and shown, the priority acted upon.
#include <algorithm>

#include "sim/cudart/stream.hpp"

using sim::api;
using sim::require;
using sim::Runtime;
using sim::Stream;
using sim::Streams;

namespace {

void set(Stream& stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue& value) {
  switch (attribute) {
    case cudaLaunchAttributeSynchronizationPolicy:
      require(value.syncPolicy >= cudaSyncPolicyAuto &&
              value.syncPolicy <= cudaSyncPolicyBlockingSync);
      stream.policy = value.syncPolicy;
      return;
    case cudaLaunchAttributePriority: {
      int least = 0, greatest = 0;
      require(cudaDeviceGetStreamPriorityRange(&least, &greatest));
      stream.priority = std::clamp(value.priority, greatest, least);
      return;
    }
    case cudaLaunchAttributeAccessPolicyWindow:
      require(value.accessPolicyWindow.hitRatio >= 0 && value.accessPolicyWindow.hitRatio <= 1);
      stream.window = value.accessPolicyWindow;
      return;
    case cudaLaunchAttributeMemSyncDomain:
      stream.domain = value.memSyncDomain;
      return;
    case cudaLaunchAttributeMemSyncDomainMap:
      stream.domain_map = value.memSyncDomainMap;
      return;
    default:
      throw sim::ApiError{cudaErrorInvalidValue};
  }
}

void get(const Stream& stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue& value) {
  switch (attribute) {
    case cudaLaunchAttributeSynchronizationPolicy:
      value.syncPolicy = stream.policy;
      return;
    case cudaLaunchAttributePriority:
      value.priority = stream.priority;
      return;
    case cudaLaunchAttributeAccessPolicyWindow:
      value.accessPolicyWindow = stream.window;
      return;
    case cudaLaunchAttributeMemSyncDomain:
      value.memSyncDomain = stream.domain;
      return;
    case cudaLaunchAttributeMemSyncDomainMap:
      value.memSyncDomainMap = stream.domain_map;
      return;
    default:
      throw sim::ApiError{cudaErrorInvalidValue};
  }
}

}  // namespace

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  return api([&](Runtime& runtime) {
    require(value != nullptr);
    const std::lock_guard lock(runtime.mutex);
    set(Streams::get().find(handle), attribute, *value);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return api([&](Runtime& runtime) {
    require(value != nullptr);
    const std::lock_guard lock(runtime.mutex);
    get(Streams::get().find(handle), attribute, *value);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    Stream& target = Streams::get().find(to);
    const Stream& source = Streams::get().find(from);
    target.policy = source.policy;
    target.window = source.window;
    target.priority = source.priority;
    target.domain = source.domain;
    target.domain_map = source.domain_map;
    return cudaSuccess;
  });
}
