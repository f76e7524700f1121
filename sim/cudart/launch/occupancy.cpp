// Occupancy queries.
#include "sim/runtime/launch/occupancy.hpp"

#include "sim/cudart/entry.hpp"

using namespace aisp;

using sim::api;
using sim::kernel_of;
using sim::require;
using sim::Runtime;

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* symbol,
                                                                   int threads,
                                                                   size_t dynamic_shared,
                                                                   unsigned flags) {
  return api([&](Runtime&) {
    require(blocks != nullptr && threads > 0 && (flags & ~1u) == 0);
    *blocks = sim::blocks_per_sm(kernel_of(symbol), threads, dynamic_shared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* symbol,
                                                          int threads, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol, threads,
                                                                dynamic_shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* symbol, int blocks,
                                                      int threads) {
  return api([&](Runtime&) {
    require(bytes != nullptr && blocks > 0 && threads > 0);
    *bytes = sim::available_dynamic_shared(kernel_of(symbol), blocks, threads);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* symbol,
                                           const cudaLaunchConfig_t* config) {
  return api([&](Runtime&) {
    require(clusters != nullptr && config != nullptr);
    *clusters = sim::active_clusters(kernel_of(symbol), *config);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* symbol,
                                                 const cudaLaunchConfig_t* config) {
  return api([&](Runtime&) {
    require(blocks != nullptr && config != nullptr);
    *blocks = sim::largest_cluster(kernel_of(symbol), *config);
    return cudaSuccess;
  });
}
