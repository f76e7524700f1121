// nvcuda::wmma in all its types: f16, bf16, tf32, f64, s8 and u8, other shapes than 16x16x16, both
// layouts, fragments changed element by element, tiles in shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

#include "gemm_check.hpp"

namespace {

namespace wmma = nvcuda::wmma;

// D = scale * (A * B) + C, one warp a tile; A row-major, B as its transpose.
template <int M, int N, int K, class In, class Kind, class Out>
__global__ void multiply(const In* a, const In* b, const Out* c, Out* d, int n, int k, Out scale) {
  __shared__ Out staged[M * N];
  const int row = blockIdx.y * M, column = blockIdx.x * N;
  wmma::fragment<wmma::matrix_a, M, N, K, Kind, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, Kind, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Out> sums, start;
  wmma::fill_fragment(sums, Out(0));
  for (int step = 0; step < k; step += K) {
    wmma::load_matrix_sync(left, a + row * k + step, k);
    wmma::load_matrix_sync(right, b + column * k + step, k);
    if constexpr (sizeof(In) == 4) {  // what the tensor core would cut off is rounded before
      for (int i = 0; i < left.num_elements; ++i) left.x[i] = wmma::__float_to_tf32(left.x[i]);
      for (int i = 0; i < right.num_elements; ++i) right.x[i] = wmma::__float_to_tf32(right.x[i]);
    }
    wmma::mma_sync(sums, left, right, sums);
  }
  wmma::load_matrix_sync(start, c + row * n + column, n, wmma::mem_row_major);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = scale * sums.x[i] + start.x[i];
  wmma::store_matrix_sync(staged, sums, M, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < M * N; i += 32) d[(row + i % M) * n + column + i / M] = staged[i];
}

// `in` makes an element of random bits; sums of products are within `allowed` of float64.
template <int M, int N, int K, class Kind, class Out, class Make>
void check(const char* what, const Make& make, double allowed) {
  using In = decltype(make(0u));
  constexpr int m = 2 * M, n = 2 * N, k = 3 * K;
  std::vector<In> a, b;
  std::vector<Out> c;
  for (const unsigned bits : numbers(m * k, 1)) a.push_back(make(bits));
  for (const unsigned bits : numbers(n * k, 2)) b.push_back(make(bits));
  for (const unsigned bits : numbers(m * n, 3))
    c.push_back(static_cast<Out>(static_cast<int>(bits) >> 28));
  const OnDevice<In> device_a(a), device_b(b);
  const OnDevice<Out> device_c(c), device_d(m * n);
  multiply<M, N, K, In, Kind, Out><<<dim3(n / N, m / M), 32>>>(
      device_a.get(), device_b.get(), device_c.get(), device_d.get(), n, k, static_cast<Out>(2));
  finish();
  std::vector<double> want(m * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i)
        sum += static_cast<double>(a[row * k + i]) * static_cast<double>(b[column * k + i]);
      want[row * n + column] = 2 * sum + static_cast<double>(c[row * n + column]);
    }
  expect_close(device_d.fetch(), want, allowed, what);
}

}  // namespace

int main() {
  const auto unit = [](unsigned bits) {
    return static_cast<float>(static_cast<int>(bits)) * 0x1p-31f;
  };
  const auto as_half = [&](unsigned bits) { return __half(unit(bits)); };
  const auto as_bfloat = [&](unsigned bits) { return __nv_bfloat16(unit(bits)); };
  // Ten bits of fraction, so that tf32 holds them.
  const auto as_tf32 = [](unsigned bits) {
    return static_cast<float>(static_cast<int>(bits) >> 21) * 0x1p-10f;
  };
  const auto as_double = [&](unsigned bits) { return static_cast<double>(unit(bits)); };
  const auto as_s8 = [](unsigned bits) { return static_cast<signed char>(bits >> 24); };
  const auto as_u8 = [](unsigned bits) { return static_cast<unsigned char>(bits >> 24); };
  check<16, 16, 16, __half, float>("f16", as_half, 1e-4);
  check<32, 8, 16, __half, float>("f16, 32x8", as_half, 1e-4);
  check<8, 32, 16, __nv_bfloat16, float>("bf16, 8x32", as_bfloat, 1e-4);
  check<16, 16, 8, wmma::precision::tf32, float>("tf32", as_tf32, 1e-4);
  check<8, 8, 4, double, double>("f64", as_double, 1e-13);
  check<16, 16, 16, signed char, int>("s8", as_s8, 0);
  check<32, 8, 16, unsigned char, int>("u8", as_u8, 0);
  return passed();
}
