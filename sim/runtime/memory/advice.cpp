#include "sim/runtime/memory/advice.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

struct Advised {
  bool read_mostly = false;
  std::uint32_t accessed_by = 0;  // a bit per device
  bool accessed_by_host = false;
  std::optional<cudaMemLocation> preferred, prefetched;
};

// Each entry holds from its address to the next one's.
struct AdviceBook {
  std::mutex mutex;
  std::map<std::uint64_t, Advised> from{{0, {}}};

  std::map<std::uint64_t, Advised>::iterator cut(std::uint64_t at) {
    const auto here = std::prev(from.upper_bound(at));
    return here->first == at ? here : from.emplace(at, here->second).first;
  }
  template <class Change>
  void change(const void* pointer, std::size_t bytes, Change apply) {
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    const std::lock_guard lock(mutex);
    const auto first = cut(begin), last = cut(begin + bytes);
    for (auto at = first; at != last; ++at) apply(at->second);
  }
  std::vector<Advised> in(const void* pointer, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    const std::lock_guard lock(mutex);
    std::vector<Advised> all;
    for (auto at = std::prev(from.upper_bound(begin));
         at != from.end() && at->first < begin + bytes; ++at)
      all.push_back(at->second);
    return all;
  }
};

AdviceBook& advice_book() {
  static auto* const all = new AdviceBook;
  return *all;
}

bool same_location(const std::optional<cudaMemLocation>& a,
                   const std::optional<cudaMemLocation>& b) {
  return a.has_value() == b.has_value() && (!a || (a->type == b->type && a->id == b->id));
}

// Of all parts, where they agree.
std::optional<cudaMemLocation> common_location(const std::vector<Advised>& parts,
                                               std::optional<cudaMemLocation> Advised::*which) {
  for (const Advised& part : parts)
    if (!same_location(part.*which, parts.front().*which)) return std::nullopt;
  return parts.front().*which;
}

int number_of(const std::optional<cudaMemLocation>& location) {
  if (!location) return cudaInvalidDeviceId;
  return location->type == cudaMemLocationTypeDevice ? location->id : cudaCpuDeviceId;
}

void give_int(void* value, std::size_t room, int answer) {
  require(room == sizeof answer);
  std::memcpy(value, &answer, sizeof answer);
}

void give_accessors(void* value, std::size_t room, const std::vector<Advised>& parts) {
  require(room >= sizeof(int) && room % sizeof(int) == 0);
  std::uint32_t devices = ~0u;
  bool host = true;
  for (const Advised& part : parts) {
    devices &= part.accessed_by;
    host = host && part.accessed_by_host;
  }
  std::vector<int> numbers;
  for (int device = 0; device < most_devices; ++device)
    if ((devices >> device & 1) != 0) numbers.push_back(device);
  if (host) numbers.push_back(cudaCpuDeviceId);
  numbers.resize(room / sizeof(int), cudaInvalidDeviceId);
  std::memcpy(value, numbers.data(), room);
}

}  // namespace

void advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
            const cudaMemLocation& location) {
  const auto set_accessor = [&](Advised& part, bool may) {
    if (location.type != cudaMemLocationTypeDevice)
      part.accessed_by_host = may;
    else if (may)
      part.accessed_by |= 1u << location.id;
    else
      part.accessed_by &= ~(1u << location.id);
  };
  advice_book().change(pointer, bytes, [&](Advised& part) {
    switch (advice) {
      case cudaMemAdviseSetReadMostly:
      case cudaMemAdviseUnsetReadMostly:
        part.read_mostly = advice == cudaMemAdviseSetReadMostly;
        return;
      case cudaMemAdviseSetPreferredLocation:
        part.preferred = location;
        return;
      case cudaMemAdviseUnsetPreferredLocation:
        part.preferred.reset();
        return;
      case cudaMemAdviseSetAccessedBy:
        return set_accessor(part, true);
      case cudaMemAdviseUnsetAccessedBy:
        return set_accessor(part, false);
    }
  });
}

void note_prefetch(const void* pointer, std::size_t bytes, const cudaMemLocation& location) {
  advice_book().change(pointer, bytes, [&](Advised& part) { part.prefetched = location; });
}

void forget_advice(const void* pointer, std::size_t bytes) {
  advice_book().change(pointer, bytes, [](Advised& part) { part = {}; });
}

void read_range_attribute(void* value, std::size_t room, cudaMemRangeAttribute attribute,
                          const void* pointer, std::size_t bytes) {
  require(value != nullptr);
  const std::vector<Advised> parts = advice_book().in(pointer, bytes);
  const auto preferred = common_location(parts, &Advised::preferred);
  const auto prefetched = common_location(parts, &Advised::prefetched);
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly: {
      bool all = true;
      for (const Advised& part : parts) all = all && part.read_mostly;
      return give_int(value, room, all);
    }
    case cudaMemRangeAttributePreferredLocation:
      return give_int(value, room, number_of(preferred));
    case cudaMemRangeAttributeAccessedBy:
      return give_accessors(value, room, parts);
    case cudaMemRangeAttributeLastPrefetchLocation:
      return give_int(value, room, number_of(prefetched));
    case cudaMemRangeAttributePreferredLocationType:
      return give_int(value, room, preferred ? preferred->type : cudaMemLocationTypeInvalid);
    case cudaMemRangeAttributePreferredLocationId:
      return give_int(value, room, preferred ? preferred->id : cudaInvalidDeviceId);
    case cudaMemRangeAttributeLastPrefetchLocationType:
      return give_int(value, room, prefetched ? prefetched->type : cudaMemLocationTypeInvalid);
    case cudaMemRangeAttributeLastPrefetchLocationId:
      return give_int(value, room, prefetched ? prefetched->id : cudaInvalidDeviceId);
  }
  throw ApiError{cudaErrorInvalidValue};
}

}  // namespace aisp::sim
