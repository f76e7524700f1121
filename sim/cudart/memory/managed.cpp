// Hints about managed memory: where it is to be, who reads it, what is no longer needed of it.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/advice.hpp"
#include "sim/runtime/memory/allocate.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::require;
using sim::Runtime;

namespace {

void prefetch(const void* pointer, size_t bytes, const cudaMemLocation& location) {
  require(bytes != 0);
  sim::require_managed(pointer, bytes);
  require(sim::is_location(location), cudaErrorInvalidDevice);
  sim::note_prefetch(pointer, bytes, location);
}

// Each location is for the ranges from its own first one to the next location's.
void prefetch_ranges(void** pointers, const size_t* bytes, size_t count,
                     const cudaMemLocation* locations, const size_t* firsts,
                     size_t location_count) {
  require(count != 0 && pointers != nullptr && bytes != nullptr);
  require(location_count != 0 && location_count <= count && locations != nullptr &&
          firsts != nullptr && firsts[0] == 0);
  for (size_t at = 1; at < location_count; ++at)
    require(firsts[at] > firsts[at - 1] && firsts[at] < count);
  size_t location = 0;
  for (size_t i = 0; i < count; ++i) {
    if (location + 1 < location_count && firsts[location + 1] == i) ++location;
    prefetch(pointers[i], bytes[i], locations[location]);
  }
}

// What is discarded has no value until it is written again; the one that it had is one of those it
// may have.
void discard_ranges(void** pointers, const size_t* bytes, size_t count) {
  require(count != 0 && pointers != nullptr && bytes != nullptr);
  for (size_t i = 0; i < count; ++i) {
    require(bytes[i] != 0);
    sim::require_managed(pointers[i], bytes[i]);
  }
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(flags == 0);
    require(sim::check_stream(stream));
    prefetch(pointer, bytes, location);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, size_t* bytes, size_t count,
                                      cudaMemLocation* locations, size_t* firsts,
                                      size_t location_count, unsigned long long flags,
                                      cudaStream_t stream) {
  return api([&](Runtime&) {
    require(flags == 0);
    require(sim::check_stream(stream));
    prefetch_ranges(pointers, bytes, count, locations, firsts, location_count);
    return cudaSuccess;
  });
}

cudaError_t cudaMemDiscardBatchAsync(void** pointers, size_t* bytes, size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(flags == 0);
    require(sim::check_stream(stream));
    discard_ranges(pointers, bytes, count);
    return cudaSuccess;
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, size_t* bytes, size_t count,
                                                cudaMemLocation* locations, size_t* firsts,
                                                size_t location_count, unsigned long long flags,
                                                cudaStream_t stream) {
  return api([&](Runtime&) {
    require(flags == 0);
    require(sim::check_stream(stream));
    discard_ranges(pointers, bytes, count);
    prefetch_ranges(pointers, bytes, count, locations, firsts, location_count);
    return cudaSuccess;
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return api([&](Runtime&) {
    require(advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy);
    sim::require_managed(pointer, bytes);
    const bool about_reading =
        advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly;
    require(about_reading || sim::is_location(location), cudaErrorInvalidDevice);
    sim::advise(pointer, bytes, advice, location);
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttribute(void* value, size_t room, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t bytes) {
  return api([&](Runtime&) {
    require(bytes != 0);
    sim::require_managed(pointer, bytes);
    sim::read_range_attribute(value, room, attribute, pointer, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttributes(void** values, size_t* rooms,
                                      cudaMemRangeAttribute* attributes, size_t count,
                                      const void* pointer, size_t bytes) {
  return api([&](Runtime&) {
    require(count != 0 && values != nullptr && rooms != nullptr && attributes != nullptr);
    require(bytes != 0);
    sim::require_managed(pointer, bytes);
    for (size_t i = 0; i < count; ++i)
      sim::read_range_attribute(values[i], rooms[i], attributes[i], pointer, bytes);
    return cudaSuccess;
  });
}
