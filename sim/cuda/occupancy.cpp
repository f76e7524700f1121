// Occupancy queries.
#include "sim/runtime/launch/occupancy.hpp"

#include <algorithm>

#include "sim/cuda/function_attribute.hpp"

using namespace aisp;

using namespace sim::driver;

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, size_t dynamic_shared,
                                                              unsigned flags) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, &function_at(function),
                                                                  threads, dynamic_shared, flags);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t dynamic_shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                              dynamic_shared, 0);
}

// The block size with the most threads on a multiprocessor, of equals the largest; whole warps.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared,
                                                   int limit, unsigned flags) {
  return in_context([&] {
    demand(grid != nullptr && block != nullptr && limit >= 0 && (flags & ~1u) == 0);
    sim::Kernel& kernel = function_at(function);
    const int most = function_attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    const int largest = limit == 0 ? most : std::min(most, limit);
    int best = 0, best_blocks = 0;
    const auto consider = [&](int threads) {
      const size_t bytes = shared_of != nullptr ? shared_of(threads) : shared;
      const int blocks = sim::blocks_per_sm(kernel, threads, bytes);
      if (blocks * threads <= best * best_blocks) return;
      best = threads;
      best_blocks = blocks;
    };
    const int unit = sim::lanes;
    if (largest % unit != 0) consider(largest);
    for (int threads = largest / unit * unit; threads > 0; threads -= unit) consider(threads);
    *block = best;
    const auto& part = sim::current_context()->part;
    *grid = best_blocks *
            (part ? part->model.multiprocessors : sim::Runtime::get().model.multiprocessors);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit,
                                                   0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                 int threads) {
  return in_context([&] {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, &function_at(function), blocks,
                                                     threads);
  });
}

CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction function,
                                            const CUlaunchConfig* config) {
  return in_context([&] {
    demand(config != nullptr);
    const cudaLaunchConfig_t same_one = same_config(*config);
    return cudaOccupancyMaxPotentialClusterSize(blocks, &function_at(function), &same_one);
  });
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* config) {
  return in_context([&] {
    demand(config != nullptr);
    const cudaLaunchConfig_t same_one = same_config(*config);
    return cudaOccupancyMaxActiveClusters(clusters, &function_at(function), &same_one);
  });
}
