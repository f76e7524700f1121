// Integer products without tensor cores: __dp4a over packed bytes with tiles in shared memory, rows
// and columns of scales, and saturation to bytes at the end; __dp2a for a short product.
#include <algorithm>
#include <cstdint>

#include "check.hpp"

namespace {

constexpr int m = 48, n = 40, k = 64, tile = 8, words = k / 4;

__global__ void multiply(const int* a, const int* b, const float* row_scale,
                         const float* column_scale, signed char* out, int* raw) {
  __shared__ int left[tile][words + 1], right[tile][words + 1];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * tile + y,
            column = blockIdx.x * tile + x;
  for (int i = x; i < words; i += tile) left[y][i] = a[row * words + i];
  for (int i = x; i < words; i += tile) right[y][i] = b[(blockIdx.x * tile + y) * words + i];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < words; ++i) sum = __dp4a(left[y][i], right[x][i], sum);
  raw[row * n + column] = sum;
  const int rounded =
      __float2int_rn(static_cast<float>(sum) * row_scale[row] * column_scale[column]);
  out[row * n + column] = static_cast<signed char>(min(max(rounded, -128), 127));
}

__global__ void mixed(const int* shorts, const int* bytes, int* out) {  // two halves with two bytes
  const int i = threadIdx.x;
  out[i] = __dp2a_lo(shorts[2 * i], bytes[i], __dp2a_hi(shorts[2 * i + 1], bytes[i], 7));
}

int byte_of(unsigned word, int i) { return static_cast<signed char>(word >> 8 * i); }

}  // namespace

int main() {
  const auto a = numbers(m * words, 1), b = numbers(n * words, 2);
  const auto rows = reals(m, 3, 0.001f, 0.03f), columns = reals(n, 4, 0.01f, 0.2f);
  const OnDevice<int> device_a(std::vector<int>(a.begin(), a.end())),
      device_b(std::vector<int>(b.begin(), b.end())), raw(m * n);
  const OnDevice<float> row_scale(rows), column_scale(columns);
  const OnDevice<signed char> out(m * n);
  multiply<<<dim3(n / tile, m / tile), dim3(tile, tile)>>>(
      device_a.get(), device_b.get(), row_scale.get(), column_scale.get(), out.get(), raw.get());
  finish();
  const auto got = out.fetch();
  const auto sums = raw.fetch();
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      int sum = 0;
      for (int i = 0; i < k; ++i)
        sum += byte_of(a[row * words + i / 4], i % 4) * byte_of(b[column * words + i / 4], i % 4);
      expect(sums[row * n + column] == sum, "sum of products");
      const double scaled = double(sum) * rows[row] * columns[column];
      const int value = got[row * n + column];
      expect(std::abs(value - std::clamp(scaled, -128.0, 127.0)) <= 0.5 + 1e-4, "scaled to a byte");
    }
  const auto shorts = numbers(64, 5), bytes = numbers(32, 6);
  const OnDevice<int> device_shorts(std::vector<int>(shorts.begin(), shorts.end())),
      device_bytes(std::vector<int>(bytes.begin(), bytes.end())), answers(32);
  mixed<<<1, 32>>>(device_shorts.get(), device_bytes.get(), answers.get());
  finish();
  std::vector<int> want;
  for (int i = 0; i < 32; ++i) {
    const auto half = [&](unsigned word, int at) {
      return static_cast<std::int16_t>(word >> 16 * at);
    };
    want.push_back(7 + half(shorts[2 * i + 1], 0) * byte_of(bytes[i], 2) +
                   half(shorts[2 * i + 1], 1) * byte_of(bytes[i], 3) +
                   half(shorts[2 * i], 0) * byte_of(bytes[i], 0) +
                   half(shorts[2 * i], 1) * byte_of(bytes[i], 1));
  }
  expect_equal(answers.fetch(), want, "two of 16 bits with two of 8");
  return passed();
}
