#include "sim/runtime/memory/advice.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "sim/runtime/state/error.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t page = 4096;
constexpr cudaMemLocation nowhere{cudaMemLocationTypeInvalid, cudaInvalidDeviceId};

struct Advice {
  bool read_mostly = false;
  cudaMemLocation preferred = nowhere, prefetched = nowhere;
  std::uint32_t accessed_by = 0;  // a bit per device
  bool accessed_by_host = false;
};

bool same_place(const cudaMemLocation& a, const cudaMemLocation& b) {
  return a.type == b.type && (a.id == b.id || a.type == cudaMemLocationTypeHost);
}

// Pieces of the address space, each from its key up to the next one's.
class AdviceMap {
 public:
  template <class Change>
  void change(std::uint64_t base, std::uint64_t end, const Change& change) {
    const auto last = split(end);  // first: what begins there keeps what it has now
    for (auto at = split(base); at != last; ++at) change(at->second);
  }
  template <class Look>
  void look(std::uint64_t base, std::uint64_t end, const Look& look) const {
    for (auto at = std::prev(pieces_.upper_bound(base)); at != pieces_.end() && at->first < end;
         ++at)
      look(at->second);
  }
  void forget(std::uint64_t base, std::uint64_t end) {
    const auto last = split(end), first = split(base);
    pieces_.erase(std::next(first), last);
    first->second = {};
  }

 private:
  using Pieces = std::map<std::uint64_t, Advice>;
  Pieces::iterator split(std::uint64_t at) {
    const auto before = std::prev(pieces_.upper_bound(at));
    return before->first == at ? before : pieces_.emplace(at, before->second).first;
  }
  Pieces pieces_{{0, {}}};
};

std::mutex mutex_of_advice;
AdviceMap& all_advice() {
  static auto* const all = new AdviceMap;
  return *all;
}

std::uint64_t first_page(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer) / page * page;
}
std::uint64_t end_of_pages(const void* pointer, std::size_t bytes) {
  return (reinterpret_cast<std::uint64_t>(pointer) + bytes + page - 1) / page * page;
}

void advise(Advice& piece, cudaMemoryAdvise advice, const cudaMemLocation& location) {
  const bool device = location.type == cudaMemLocationTypeDevice;
  const std::uint32_t bit = device ? 1u << location.id : 0;
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      piece.read_mostly = advice == cudaMemAdviseSetReadMostly;
      break;
    case cudaMemAdviseSetPreferredLocation:
      piece.preferred = location;
      break;
    case cudaMemAdviseUnsetPreferredLocation:
      piece.preferred = nowhere;
      break;
    case cudaMemAdviseSetAccessedBy:
      piece.accessed_by |= bit;
      piece.accessed_by_host |= !device;
      break;
    case cudaMemAdviseUnsetAccessedBy:
      piece.accessed_by &= ~bit;
      piece.accessed_by_host &= device;
      break;
  }
}

// What all pieces of a range agree on.
struct Answer {
  bool any = false, read_mostly = true, accessed_by_host = true;
  cudaMemLocation preferred = nowhere, prefetched = nowhere;
  std::uint32_t accessed_by = ~0u;
  void add(const Advice& piece) {
    const auto agree = [&](cudaMemLocation& so_far, const cudaMemLocation& next) {
      if (!any)
        so_far = next;
      else if (!same_place(so_far, next))
        so_far = nowhere;
    };
    agree(preferred, piece.preferred);
    agree(prefetched, piece.prefetched);
    read_mostly &= piece.read_mostly;
    accessed_by &= piece.accessed_by;
    accessed_by_host &= piece.accessed_by_host;
    any = true;
  }
};

// The older attributes have one number for host and devices.
int number_of(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeInvalid:
      return cudaInvalidDeviceId;
    case cudaMemLocationTypeDevice:
      return location.id;
    default:
      return cudaCpuDeviceId;
  }
}

std::vector<int> accessors(const Answer& answer, std::size_t places) {
  std::vector<int> found;
  for (int device = 0; device < 32; ++device)
    if (answer.accessed_by >> device & 1) found.push_back(device);
  if (answer.accessed_by_host) found.push_back(cudaCpuDeviceId);
  found.resize(places, cudaInvalidDeviceId);
  return found;
}

}  // namespace

void note_advice(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                 cudaMemLocation location) {
  const std::lock_guard lock(mutex_of_advice);
  all_advice().change(first_page(pointer), end_of_pages(pointer, bytes),
                      [&](Advice& piece) { advise(piece, advice, location); });
}

void note_prefetch(const void* pointer, std::size_t bytes, cudaMemLocation location) {
  const std::lock_guard lock(mutex_of_advice);
  all_advice().change(first_page(pointer), end_of_pages(pointer, bytes),
                      [&](Advice& piece) { piece.prefetched = location; });
}

void forget_advice(std::uint64_t base, std::uint64_t bytes) {
  if (bytes == 0) return;
  const auto* pointer = reinterpret_cast<const void*>(base);
  const std::lock_guard lock(mutex_of_advice);
  all_advice().forget(first_page(pointer), end_of_pages(pointer, bytes));
}

void answer_about_range(void* data, std::size_t data_bytes, cudaMemRangeAttribute attribute,
                        const void* pointer, std::size_t bytes) {
  Answer answer;
  {
    const std::lock_guard lock(mutex_of_advice);
    all_advice().look(first_page(pointer), end_of_pages(pointer, bytes),
                      [&](const Advice& piece) { answer.add(piece); });
  }
  const auto say = [&](const auto& value) {
    require(data_bytes == sizeof value);
    std::memcpy(data, &value, sizeof value);
  };
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      return say(static_cast<int>(answer.read_mostly));
    case cudaMemRangeAttributePreferredLocation:
      return say(number_of(answer.preferred));
    case cudaMemRangeAttributeLastPrefetchLocation:
      return say(number_of(answer.prefetched));
    case cudaMemRangeAttributePreferredLocationType:
      return say(answer.preferred.type);
    case cudaMemRangeAttributePreferredLocationId:
      return say(answer.preferred.id);
    case cudaMemRangeAttributeLastPrefetchLocationType:
      return say(answer.prefetched.type);
    case cudaMemRangeAttributeLastPrefetchLocationId:
      return say(answer.prefetched.id);
    case cudaMemRangeAttributeAccessedBy: {
      require(data_bytes > 0 && data_bytes % sizeof(int) == 0);
      const std::vector<int> found = accessors(answer, data_bytes / sizeof(int));
      std::memcpy(data, found.data(), data_bytes);
      return;
    }
  }
  throw ApiError{cudaErrorInvalidValue};
}

}  // namespace aisp::sim
