// The kernels of the quantised exchange: each reads what it needs once and writes what it makes
// once, 16 bytes at an access. The format is that of block_codes.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include "comm/quantized/block_codes.hpp"

namespace aisp::comm {

// Pieces of a buffer of `total` numbers that is cut into segments: of each of `pieces` segments,
// from number `first` on and round, at most `most` numbers from `offset` on.
struct Pieces {
  std::int64_t total = 0, segment = 0;  // the buffer, and a segment of it
  std::int64_t offset = 0, most = 0;    // multiples of a block
  int segments = 1, first = 0, pieces = 1;

  COMM_FN std::int64_t begin(int piece) const {
    return (first + piece) % segments * segment + offset;
  }
  COMM_FN std::int64_t count(int piece) const {
    const std::int64_t from = begin(piece), end = from - offset + segment;
    const std::int64_t left = (end < total ? end : total) - from;
    return left < 0 ? 0 : left < most ? left : most;
  }
  // Of the largest piece.
  constexpr std::int64_t largest() const {
    std::int64_t most_of_all = 0;
    for (int piece = 0; piece < pieces; ++piece)
      most_of_all = count(piece) > most_of_all ? count(piece) : most_of_all;
    return most_of_all;
  }
  constexpr bool empty() const { return largest() == 0; }
};

// Packet i lies i strides behind the first. All are multiples of 16 bytes.
struct Packets {
  char* memory = nullptr;
  std::int64_t stride = 0;
};

// packet p = the piece p of values.
void enqueue_quantize(Codes codes, const float* values, const Pieces& pieces, Packets packets,
                      cudaStream_t stream);
// piece p of values = packet p.
void enqueue_dequantize(Codes codes, float* values, const Pieces& pieces, Packets packets,
                        cudaStream_t stream);

// sum = own + the packets, one after another, in f32; packet `out` = sum; result = out. All have
// `count` numbers; own may be result.
struct SumOfPackets {
  const float* own = nullptr;
  Packets packets{};
  int others = 0;  // packets
  char* out = nullptr;
  float* result = nullptr;
  std::int64_t count = 0;
};
void enqueue_sum_of_packets(Codes codes, const SumOfPackets& what, cudaStream_t stream);

}  // namespace aisp::comm
