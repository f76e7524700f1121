// What the kernels of this ladder share: the operands of C = A * B (all row-major, A is m x k,
// B is k x n, C is m x n) and the order in which blocks take the tiles of C.
#pragma once

namespace aisp::ch09 {

struct MatmulArgs {
  const float* a;  // (m, k)
  const float* b;  // (k, n)
  float* c;        // (m, n)
  int m, n, k;
};

constexpr __host__ __device__ int ceil_div(int value, int divisor) {
  return (value + divisor - 1) / divisor;
}

struct TileCoord {
  int m, n;
};

// Blocks that run at the same time should share rows of A and columns of B in L2. Tiles are taken
// in bands of `band` tile rows, down the band first; the last band may be lower.
__device__ inline TileCoord banded_tile(int block, int tiles_m, int tiles_n, int band) {
  const int per_band = band * tiles_n;
  const int first = block / per_band * band;
  const int rows = min(band, tiles_m - first);
  const int within = block % per_band;
  return {first + within % rows, within / rows};
}

}  // namespace aisp::ch09
