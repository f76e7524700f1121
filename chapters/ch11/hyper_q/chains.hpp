// The work of hyper_q: chains of small kernels. Every link of a chain reads what the one before it
// wrote, chains have nothing to do with each other, and one kernel is one block: a chip holds many
// of them at once if somebody lets it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "lab/case/rung.hpp"
#include "tile/layout/target.hpp"

namespace aisp::ch11 {

inline constexpr int chain_lanes = 128;  // values of a chain, threads of its kernels

struct ChainShape {
  explicit ChainShape(const lab::Size& size)
      : chains(size.dims.at(0)),
        links(size.dims.at(1)),
        steps(size.dims.at(2)),
        streams(size.dims.at(3)),
        connections(size.dims.at(4)) {}
  std::int64_t chains, links;
  std::int64_t steps;        // of a number generator in every link: so long a kernel takes
  std::int64_t streams;      // that the chains are dealt out to
  std::int64_t connections;  // CUDA_DEVICE_MAX_CONNECTIONS
};

// The generator, and where it starts in each thread of each link.
inline constexpr std::uint32_t draw_factor = 1664525, draw_summand = 1013904223;
TILE_FN std::uint32_t first_draw(std::int64_t links, std::int64_t chain, std::int64_t link,
                                 int lane) {
  return static_cast<std::uint32_t>((chain * links + link) * chain_lanes + lane);
}
// In [0, 1) and exact in float.
TILE_FN float fraction_of(std::uint32_t draw) {
  return static_cast<float>(draw >> 8) * (1.0f / (1 << 24));
}

// value = factor * value + the last draw, for the lanes of one chain. Link 0 begins with the inputs
// (start, factors), later ones with what the link before left in the output.
void enqueue_link(const lab::Launch& launch, std::int64_t chain, std::int64_t link,
                  cudaStream_t stream);

}  // namespace aisp::ch11
