// Register micro-tiles: which part of a block's tile of C a thread owns, how it reads its two
// fragments from shared memory without bank conflicts, and the outer product it adds up.
#pragma once

namespace aisp::ch09 {

// A block of warps_m x warps_n warps owns a tile_m x tile_n tile of C; in a warp, lanes_m x lanes_n
// lanes; per lane micro_m() x micro_n() elements in chunks of four.
struct MicroTileConfig {
  int tile_m, tile_n, tile_k;
  int warps_m, warps_n;
  int lanes_m = 4;
  int stages = 1;
  int band = 8;           // see banded_tile
  int blocks_per_sm = 1;  // what the register budget allows for
  bool b_is_nk = false;   // B comes as (n, k), transposed like A on its way to shared memory

  __host__ __device__ constexpr int lanes_n() const { return 32 / lanes_m; }
  __host__ __device__ constexpr int threads() const { return 32 * warps_m * warps_n; }
  __host__ __device__ constexpr int warp_m() const { return tile_m / warps_m; }
  __host__ __device__ constexpr int warp_n() const { return tile_n / warps_n; }
  __host__ __device__ constexpr int micro_m() const { return warp_m() / lanes_m; }
  __host__ __device__ constexpr int micro_n() const { return warp_n() / lanes_n(); }
  // Row stride in floats of a transposed tile in shared memory. Four floats of padding put the 8 k
  // x 4 m elements that a warp writes at once on 32 different banks.
  __host__ __device__ constexpr int a_stride() const { return tile_m + 4; }
  __host__ __device__ constexpr int b_stride() const { return tile_n + (b_is_nk ? 4 : 0); }
  __host__ __device__ constexpr int a_floats() const { return tile_k * a_stride(); }
  __host__ __device__ constexpr int stage_floats() const {
    return a_floats() + tile_k * b_stride();
  }
  __host__ __device__ constexpr int shared_bytes() const { return stages * stage_floats() * 4; }
  __host__ __device__ constexpr bool divides() const {
    return micro_m() * lanes_m * warps_m == tile_m && micro_n() * lanes_n() * warps_n == tile_n &&
           micro_m() % 4 == 0 && micro_n() % 4 == 0 && tile_k % 8 == 0;
  }
};

template <MicroTileConfig config>
struct MicroTile {
  static_assert(config.divides(),
                "a tile must be warps x lanes x micro-tile in both directions, micro-tiles a "
                "multiple of 4 and tile_k of 8");
  static constexpr int micro_m = config.micro_m(), micro_n = config.micro_n();
  static constexpr int chunk_m = 4 * config.lanes_m, chunk_n = 4 * config.lanes_n();

  int first_m, first_n;  // this lane's first row and column in the block's tile

  __device__ MicroTile() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // Lane bits: b0 n, b1 m, then the remaining n bits, then the remaining m bits. Neighbours
    // lane^1 read the same A and lane^2 the same B, so a 16-byte read by a warp is two wavefronts.
    const int rest = lane >> 2;
    const int lane_n = (lane & 1) | ((rest % (config.lanes_n() / 2)) << 1);
    const int lane_m = (lane >> 1 & 1) | ((rest / (config.lanes_n() / 2)) << 1);
    first_m = warp / config.warps_n * config.warp_m() + 4 * lane_m;
    first_n = warp % config.warps_n * config.warp_n() + 4 * lane_n;
  }

  // Row and column of element i of a fragment, in the block's tile.
  __device__ int row(int i) const { return first_m + i / 4 * chunk_m + i % 4; }
  __device__ int column(int j) const { return first_n + j / 4 * chunk_n + j % 4; }

  // `k_row` is one k of the tile in shared memory, shifted to this lane's first element.
  template <int count, int chunk>
  __device__ static void read_fragment(float (&fragment)[count], const float* k_row) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(k_row + i / 4 * chunk);
      fragment[i] = four.x;
      fragment[i + 1] = four.y;
      fragment[i + 2] = four.z;
      fragment[i + 3] = four.w;
    }
  }
  __device__ static void read_a(float (&a)[micro_m], const float* k_row) {
    read_fragment<micro_m, chunk_m>(a, k_row);
  }
  __device__ static void read_b(float (&b)[micro_n], const float* k_row) {
    read_fragment<micro_n, chunk_n>(b, k_row);
  }

  __device__ static void multiply_add(float (&acc)[micro_m][micro_n], const float (&a)[micro_m],
                                      const float (&b)[micro_n]) {
#pragma unroll
    for (int i = 0; i < micro_m; ++i) {
#pragma unroll
      for (int j = 0; j < micro_n; ++j) {
        // Back and forth, so that the last b of a row is the first of the next one.
        const int snake = i % 2 == 0 ? j : micro_n - 1 - j;
        acc[i][snake] += a[i] * b[snake];
      }
    }
  }
};

}  // namespace aisp::ch09
