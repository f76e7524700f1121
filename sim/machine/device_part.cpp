#include "sim/machine/device_part.hpp"

#include <algorithm>

namespace aisp::sim {

DevicePart part_of(const DeviceModel& device, std::vector<int> sms) {
  DevicePart part{.sms = std::move(sms), .model = device};
  part.model.multiprocessors = static_cast<int>(part.sms.size());
  auto next = part.sms.begin();
  int end = 0;
  for (int& group : part.model.cluster_groups) {
    end += group;
    const auto last = std::lower_bound(next, part.sms.end(), end);
    group = static_cast<int>(last - next);
    next = last;
  }
  std::erase(part.model.cluster_groups, 0);
  return part;
}

}  // namespace aisp::sim
