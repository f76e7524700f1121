#include "sim/runtime/stream/shared_event.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "sim/runtime/state/error.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint32_t event_kind = 1;
constexpr std::uint64_t event_bytes = 64;

}  // namespace

SharedEvent::SharedEvent() : place_(make_file(event_bytes)), own_(true) {
  place_.kind = event_kind;
  counters_ = static_cast<Counters*>(map_file(place_.file, event_bytes));
  require(counters_ != nullptr, cudaErrorMemoryAllocation);
}

SharedEvent::SharedEvent(const FilePlace& place) : place_(place) {
  require(place.kind == event_kind && place.bytes == event_bytes, cudaErrorInvalidResourceHandle);
  const int file = open_file(place);
  counters_ = static_cast<Counters*>(map_file(file, event_bytes));
  close(file);
  require(counters_ != nullptr, cudaErrorMapBufferObjectFailed);
}

SharedEvent::~SharedEvent() {
  if (counters_ != nullptr) munmap(counters_, event_bytes);
  if (own_) close(place_.file);
}

void SharedEvent::reach(std::uint64_t number) const {
  std::uint64_t before = counters_->reached.load();
  while (before < number && !counters_->reached.compare_exchange_weak(before, number)) {
  }
}

}  // namespace aisp::sim
