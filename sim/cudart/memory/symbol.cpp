// Variables of device code by their host-side names.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/copy.hpp"
#include "sim/runtime/module/module.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using sim::address_in_symbol;
using sim::api;
using sim::Registry;
using sim::require;
using sim::Runtime;

namespace {

cudaError_t copy_to(const void* symbol, const void* from, size_t bytes, size_t offset,
                    cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return api([&](Runtime&) {
    require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    return sim::submit_copy(
        sim::plain_copy(address_in_symbol(symbol, offset, bytes), from, bytes, kind), stream, wait);
  });
}

cudaError_t copy_from(void* to, const void* symbol, size_t bytes, size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return api([&](Runtime&) {
    require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    return sim::submit_copy(
        sim::plain_copy(to, address_in_symbol(symbol, offset, bytes), bytes, kind), stream, wait);
  });
}

}  // namespace

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api([&](Runtime&) {
    require(address != nullptr);
    *address = address_in_symbol(symbol, 0, 0);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return api([&](Runtime&) {
    require(bytes != nullptr);
    *bytes = Registry::get().variable(symbol).bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_to(symbol, from, bytes, offset, kind, nullptr, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to(symbol, from, bytes, offset, kind, stream, false);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_from(to, symbol, bytes, offset, kind, nullptr, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from(to, symbol, bytes, offset, kind, stream, false);
}
