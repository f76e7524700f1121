// The softmax of the unfused pipeline: a warp takes a row of f32 scores and writes bf16 weights.
#pragma once

#include <cmath>
#include <cstdint>

#include "tile/arch/convert.cuh"
#include "tile/arch/math.cuh"

namespace aisp::ch10 {

struct SoftmaxArgs {
  const float* scores;
  std::uint16_t* weights;  // bf16
  std::int64_t rows;
  int columns;
  int stride;  // of both, in elements; a multiple of 8
};

inline constexpr int softmax_warps = 8;

// Up to 1024 columns of a row in the registers of a warp, four neighbours at a time.
struct RowSegment {
  static constexpr int fours = 8, columns = fours * 128;
  float4 at[fours];

  static TILE_DEVICE int column(int segment, int four) {
    return segment * columns + (four * 32 + static_cast<int>(threadIdx.x) % 32) * 4;
  }
  template <class Each>
  TILE_DEVICE void for_each(Each each) {
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      each(at[i].x);
      each(at[i].y);
      each(at[i].z);
      each(at[i].w);
    }
  }

  TILE_DEVICE void load(const float* row, int segment, int end) {
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const int first = column(segment, i);
      at[i] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
      if (first + 3 < end) {
        at[i] = *reinterpret_cast<const float4*>(row + first);
      } else {
        if (first < end) at[i].x = row[first];
        if (first + 1 < end) at[i].y = row[first + 1];
        if (first + 2 < end) at[i].z = row[first + 2];
      }
    }
  }
  // Rows have room for whole groups of eight: zeros past the end are written too.
  TILE_DEVICE void store(std::uint16_t* row, int segment, int stride) const {
#pragma unroll
    for (int i = 0; i < fours; ++i)
      if (column(segment, i) < stride)
        *reinterpret_cast<uint2*>(row + column(segment, i)) = make_uint2(
            tile::arch::pack_bf16(at[i].x, at[i].y), tile::arch::pack_bf16(at[i].z, at[i].w));
  }
};

template <class Combine>
TILE_DEVICE float over_warp(float value, Combine combine) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffff, value, distance));
  return value;
}

// A row of one segment is read once; a longer one twice, its last segment first the second time.
TILE_DEVICE void softmax_row(const SoftmaxArgs& args) {
  constexpr float log2_e = 1.4426950408889634f;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * softmax_warps + threadIdx.x / 32;
  if (row >= args.rows) return;
  const float* scores = args.scores + row * args.stride;
  const int segments = (args.columns + RowSegment::columns - 1) / RowSegment::columns;
  RowSegment segment;
  float largest = -INFINITY, sum = 0;
  for (int i = 0; i < segments; ++i) {
    segment.load(scores, i, args.columns);
    const float before = largest;
    segment.for_each([&](float& score) { largest = fmaxf(largest, score); });
    largest = over_warp(largest, [](float a, float b) { return fmaxf(a, b); });
    sum *= tile::arch::exp2_approximate((before - largest) * log2_e);
    segment.for_each(
        [&](float& score) { sum += tile::arch::exp2_approximate((score - largest) * log2_e); });
  }
  const float inverse = 1.0f / over_warp(sum, [](float a, float b) { return a + b; });
  for (int i = segments - 1; i >= 0; --i) {
    if (i < segments - 1) segment.load(scores, i, args.columns);
    segment.for_each([&](float& score) {
      score = tile::arch::exp2_approximate((score - largest) * log2_e) * inverse;
    });
    segment.store(args.weights + row * args.stride, i, args.stride);
  }
}

}  // namespace aisp::ch10
