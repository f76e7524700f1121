// Advice about managed memory, prefetches, and what the program may ask about them.
#include <algorithm>
#include <functional>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/advice.hpp"
#include "sim/runtime/memory/allocate.hpp"
#include "sim/runtime/stream/submit.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using sim::api;
using sim::require;
using sim::Runtime;

namespace {

struct Batch {
  void** pointers;
  size_t* sizes;
  size_t count;
};
void require_batch(const Batch& batch, unsigned long long flags, cudaStream_t stream) {
  require(batch.pointers != nullptr && batch.sizes != nullptr && batch.count > 0 && flags == 0);
  require(stream != nullptr && stream != cudaStreamLegacy);
  require(sim::check_stream(stream));
  for (size_t i = 0; i < batch.count; ++i) {
    require(batch.sizes[i] > 0);
    sim::require_managed(batch.pointers[i], batch.sizes[i]);
  }
}

// Location i is that of the ranges from first[i] on.
void prefetch(const Batch& batch, const cudaMemLocation* locations, const size_t* first,
              size_t count) {
  require(locations != nullptr && first != nullptr && count > 0 && count <= batch.count);
  require(first[0] == 0 && first[count - 1] < batch.count &&
          std::adjacent_find(first, first + count, std::greater_equal<>()) == first + count);
  for (size_t i = 0; i < count; ++i)
    require(sim::is_location(locations[i]), cudaErrorInvalidDevice);
  size_t location = 0;
  for (size_t i = 0; i < batch.count; ++i) {
    if (location + 1 < count && first[location + 1] <= i) ++location;
    sim::note_prefetch(batch.pointers[i], batch.sizes[i], locations[location]);
  }
}

// Nobody may read it before it is written again: it does not stay what it was.
void discard(const Batch& batch, cudaStream_t stream) {
  for (size_t i = 0; i < batch.count; ++i) {
    sim::FillCall call;
    call.to = batch.pointers[i];
    call.value = 0xff;
    call.width = call.pitch = call.plane = batch.sizes[i];
    require(sim::submit_fill(call, stream, true));
  }
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(flags == 0 && bytes != 0);
    sim::require_managed(pointer, bytes);
    require(sim::is_location(location), cudaErrorInvalidDevice);
    require(sim::check_stream(stream));
    sim::note_prefetch(pointer, bytes, location);
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
    sim::note_advice(pointer, bytes, advice, location);
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t bytes) {
  return cudaMemRangeGetAttributes(&data, &data_bytes, &attribute, 1, pointer, bytes);
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_bytes,
                                      cudaMemRangeAttribute* attributes, size_t count,
                                      const void* pointer, size_t bytes) {
  return api([&](Runtime&) {
    require(data != nullptr && data_bytes != nullptr && attributes != nullptr && count != 0);
    sim::require_managed(pointer, bytes);
    for (size_t i = 0; i < count; ++i) {
      require(data[i] != nullptr);
      sim::answer_about_range(data[i], data_bytes[i], attributes[i], pointer, bytes);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                      cudaMemLocation* locations, size_t* first,
                                      size_t location_count, unsigned long long flags,
                                      cudaStream_t stream) {
  return api([&](Runtime&) {
    const Batch batch{pointers, sizes, count};
    require_batch(batch, flags, stream);
    prefetch(batch, locations, first, location_count);
    return cudaSuccess;
  });
}

cudaError_t cudaMemDiscardBatchAsync(void** pointers, size_t* sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  return api([&](Runtime&) {
    const Batch batch{pointers, sizes, count};
    require_batch(batch, flags, stream);
    discard(batch, stream);
    return cudaSuccess;
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                                cudaMemLocation* locations, size_t* first,
                                                size_t location_count, unsigned long long flags,
                                                cudaStream_t stream) {
  return api([&](Runtime&) {
    const Batch batch{pointers, sizes, count};
    require_batch(batch, flags, stream);
    prefetch(batch, locations, first, location_count);
    discard(batch, stream);
    return cudaSuccess;
  });
}
