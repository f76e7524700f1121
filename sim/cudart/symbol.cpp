// Variables of device code by their host-side names.
#include "sim/cudart/copy.hpp"
#include "sim/cudart/module.hpp"
#include "sim/cudart/runtime.hpp"

using sim::api;
using sim::ModuleVariable;
using sim::Registry;
using sim::require;
using sim::Runtime;

namespace {

// The address `offset` into a variable that has room for `bytes` there.
void* inside(const void* symbol, size_t offset, size_t bytes) {
  const ModuleVariable variable = Registry::get().variable(symbol);
  require(offset <= variable.bytes && bytes <= variable.bytes - offset);
  return reinterpret_cast<void*>(variable.address + offset);
}

cudaError_t copy_to(const void* symbol, const void* from, size_t bytes, size_t offset,
                    cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return api([&](Runtime&) {
    require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    return sim::submit_copy(sim::plain_copy(inside(symbol, offset, bytes), from, bytes, kind),
                            stream, wait);
  });
}

cudaError_t copy_from(void* to, const void* symbol, size_t bytes, size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return api([&](Runtime&) {
    require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    return sim::submit_copy(sim::plain_copy(to, inside(symbol, offset, bytes), bytes, kind), stream,
                            wait);
  });
}

}  // namespace

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api([&](Runtime&) {
    require(address != nullptr);
    *address = inside(symbol, 0, 0);
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
