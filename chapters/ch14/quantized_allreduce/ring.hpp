// The ring that the rungs without codes sum with.
#pragma once

#include <algorithm>
#include <memory>

#include "chapters/ch14/quantized_allreduce/ranks.hpp"
#include "comm/peer_ring.hpp"

namespace aisp::ch14 {

// A segment is one chunk where it is no more than 4 MiB.
inline std::unique_ptr<comm::PeerRing> make_ring(const SumShape& shape, comm::Dtype type) {
  constexpr std::int64_t most = std::int64_t{4} << 20;
  const std::int64_t segment = (shape.count + shape.ranks - 1) / shape.ranks;
  return std::make_unique<comm::PeerRing>(
      comm::spread_over_devices(shape.ranks),
      comm::PeerRingOptions{.chunk_bytes = std::min(most, segment * comm::bytes_of(type))});
}

}  // namespace aisp::ch14
