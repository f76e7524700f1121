#include "sim/runtime/stream/stream.hpp"

#include <algorithm>

#include "sim/runtime/state/device.hpp"
#include "sim/runtime/state/error.hpp"

namespace aisp::sim {

void set_attribute(Stream& stream, cudaLaunchAttributeID attribute,
                   const cudaLaunchAttributeValue& value) {
  switch (attribute) {
    case cudaLaunchAttributeSynchronizationPolicy:
      require(value.syncPolicy >= cudaSyncPolicyAuto &&
              value.syncPolicy <= cudaSyncPolicyBlockingSync);
      stream.policy = value.syncPolicy;
      return;
    case cudaLaunchAttributePriority:
      stream.priority = std::clamp(value.priority, highest_priority, lowest_priority);
      return;
    case cudaLaunchAttributeAccessPolicyWindow:
      require_window(value.accessPolicyWindow);
      stream.window = value.accessPolicyWindow;
      return;
    case cudaLaunchAttributeMemSyncDomain:
      stream.domain = value.memSyncDomain;
      return;
    case cudaLaunchAttributeMemSyncDomainMap:
      stream.domain_map = value.memSyncDomainMap;
      return;
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

void read_attribute(const Stream& stream, cudaLaunchAttributeID attribute,
                    cudaLaunchAttributeValue& value) {
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
      throw ApiError{cudaErrorInvalidValue};
  }
}

void copy_attributes(Stream& to, const Stream& from) {
  to.policy = from.policy;
  to.window = from.window;
  to.priority = from.priority;
  to.domain = from.domain;
  to.domain_map = from.domain_map;
}

}  // namespace aisp::sim
