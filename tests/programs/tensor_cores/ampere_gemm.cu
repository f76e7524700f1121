// seeds: 20
// D = A * B^T in f16 as Ampere does it: cp.async into a ring of swizzled stages, ldmatrix,
// mma.sync. Then the same with the matrices of nvcuda::wmma.
//   ampere_gemm [M N K]
#include <cuda_fp16.h>
#include <mma.h>

#include "ampere.cuh"
#include "gemm_check.hpp"

namespace {

constexpr int tile = 64, tile_k = 32, stages = 3, threads = 128;
constexpr int row_bytes = tile_k * 2, chunks = row_bytes / 16;  // of eight elements
constexpr int operand_bytes = tile * row_bytes;

// Eight rows meet different banks: two rows share 128 bytes, so the chunk moves every second row.
__device__ std::uint32_t place(int row, int chunk) {
  return static_cast<std::uint32_t>(row * row_bytes + (chunk ^ row / 2 % chunks) * 16);
}

// A tile of rows x tile_k; what lies outside of the matrix becomes zero.
__device__ void load_tile(std::uint32_t to, const __half* matrix, int rows, int columns, int row,
                          int column) {
  for (int i = static_cast<int>(threadIdx.x); i < tile * chunks; i += threads) {
    const int at_row = row + i / chunks, at_column = column + i % chunks * 8;
    const bool inside = at_row < rows && at_column < columns;
    const __half* from = inside ? matrix + std::size_t(at_row) * columns + at_column : matrix;
    ampere::copy_16(to + place(i / chunks, i % chunks), from, inside ? 16 : 0);
  }
}

__global__ void __launch_bounds__(threads)
    multistage(const __half* a, const __half* b, float* d, int m, int n, int k) {
  __shared__ alignas(128) std::uint8_t memory[stages][2][operand_bytes];
  const int row = static_cast<int>(blockIdx.y) * tile, column = static_cast<int>(blockIdx.x) * tile;
  const int steps = (k + tile_k - 1) / tile_k;
  const auto load = [&](int step) {
    if (step < steps) {
      load_tile(ampere::shared_address(memory[step % stages][0]), a, m, k, row, step * tile_k);
      load_tile(ampere::shared_address(memory[step % stages][1]), b, n, k, column, step * tile_k);
    }
    ampere::commit_copies();  // empty groups too: the wait below counts them
  };
  for (int step = 0; step < stages - 1; ++step) load(step);

  // Four warps of 32 x 32: two by four products of 16 x 8.
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  float sums[2][4][4] = {};
  for (int step = 0; step < steps; ++step) {
    ampere::wait_copies<stages - 2>();
    __syncthreads();
    load(step + stages - 1);
    const std::uint32_t tile_a = ampere::shared_address(memory[step % stages][0]);
    const std::uint32_t tile_b = ampere::shared_address(memory[step % stages][1]);
    for (int inner = 0; inner < tile_k / 16; ++inner) {
      std::uint32_t left[2][4], right[2][4];
      for (int i = 0; i < 2; ++i) {
        // A: rows 0-7 and 8-15 of the first eight columns, then of the second.
        ampere::load_matrices(left[i],
                              tile_a + place(warp_row + i * 16 + lane % 16, inner * 2 + lane / 16));
        // B: both halves of k for the first eight columns of D, then for the second.
        ampere::load_matrices(right[i],
                              tile_b + place(warp_column + i * 16 + lane / 16 * 8 + lane % 8,
                                             inner * 2 + lane / 8 % 2));
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          ampere::multiply_16x8x16(sums[i][j], left[i], right[j / 2][j % 2 * 2],
                                   right[j / 2][j % 2 * 2 + 1]);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int element = 0; element < 4; ++element) {
        const int to_row = row + warp_row + i * 16 + lane / 4 + element / 2 * 8;
        const int to_column = column + warp_column + j * 8 + lane % 4 * 2 + element % 2;
        if (to_row < m && to_column < n)
          d[std::size_t(to_row) * n + to_column] = sums[i][j][element];
      }
}

// One warp, one 16 x 16 tile of D; sizes are multiples of 16.
__global__ void with_wmma(const __half* a, const __half* b, float* d, int n, int k) {
  namespace wmma = nvcuda::wmma;
  const int row = static_cast<int>(blockIdx.y) * 16, column = static_cast<int>(blockIdx.x) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int step = 0; step < k; step += 16) {
    wmma::load_matrix_sync(left, a + std::size_t(row) * k + step, k);
    wmma::load_matrix_sync(right, b + std::size_t(column) * k + step, k);
    wmma::mma_sync(sums, left, right, sums);
  }
  wmma::store_matrix_sync(d + std::size_t(row) * n + column, sums, n, wmma::mem_row_major);
}

unsigned tiles(int size, int by) { return static_cast<unsigned>((size + by - 1) / by); }

template <class Launch>
void run(int m, int n, int k, const char* what, const Launch& launch) {
  const auto a = unit_values<__half>(std::size_t(m) * k, 3),
             b = unit_values<__half>(std::size_t(n) * k, 4);
  const OnDevice<__half> device_a(a), device_b(b);
  const OnDevice<float> device_d(std::size_t(m) * n);
  CHECK(cudaMemset(device_d.get(), 0xff, std::size_t(m) * n * sizeof(float)));  // NaNs
  launch(device_a.get(), device_b.get(), device_d.get());
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  check_product(a, b, device_d.fetch(), m, n, k, 23, what);
}

}  // namespace

int main(int count, char** words) {
  const int m = count > 3 ? std::atoi(words[1]) : 150, n = count > 3 ? std::atoi(words[2]) : 100,
            k = count > 3 ? std::atoi(words[3]) : 200;
  expect(m > 0 && n > 0 && k > 0 && k % 8 == 0, "sizes: K is a multiple of 8");
  run(m, n, k, "multistage", [&](const __half* a, const __half* b, float* d) {
    multistage<<<dim3(tiles(n, tile), tiles(m, tile)), threads>>>(a, b, d, m, n, k);
  });
  const int whole_m = m / 16 * 16, whole_n = n / 16 * 16, whole_k = k / 16 * 16;
  if (whole_m * whole_n * whole_k != 0)
    run(whole_m, whole_n, whole_k, "wmma", [&](const __half* a, const __half* b, float* d) {
      with_wmma<<<dim3(whole_n / 16, whole_m / 16), 32>>>(a, b, d, whole_n, whole_k);
    });
  std::puts("ok");
}
