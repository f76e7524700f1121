// Copies in one and two dimensions from, to and between CUDA arrays.
#include "sim/runtime/memory/array_copy.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using sim::api;
using sim::submit_copy;

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::rows_to_array({to, x, y}, from, pitch, width, height, kind), nullptr,
                       true);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::rows_to_array({to, x, y}, from, pitch, width, height, kind), stream,
                       false);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::rows_from_array(to, pitch, {from, x, y}, width, height, kind), nullptr,
                       true);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::rows_from_array(to, pitch, {from, x, y}, width, height, kind), stream,
                       false);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  return api([&](sim::Runtime&) {
    return submit_copy(
        sim::rows_between_arrays({to, to_x, to_y}, {from, from_x, from_y}, width, height, kind),
        nullptr, true);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::bytes_to_array({to, x, y}, from, bytes, kind), nullptr, true);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::bytes_to_array({to, x, y}, from, bytes, kind), stream, false);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::bytes_from_array(to, {from, x, y}, bytes, kind), nullptr, true);
  });
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return api([&](sim::Runtime&) {
    return submit_copy(sim::bytes_from_array(to, {from, x, y}, bytes, kind), stream, false);
  });
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   cudaMemcpyKind kind) {
  return api([&](sim::Runtime&) {
    return submit_copy(
        sim::bytes_between_arrays({to, to_x, to_y}, {from, from_x, from_y}, bytes, kind), nullptr,
        true);
  });
}
