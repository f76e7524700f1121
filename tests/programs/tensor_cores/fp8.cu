// Eight-bit floats: rows quantised with their own scale by saturating conversions, a product by
// mma.sync on e4m3 and e5m2, and every code of both formats back in f32.
#include <cuda_fp8.h>

#include <algorithm>
#include <cstdint>

#include "check.hpp"

namespace {

constexpr int m = 16, n = 8, k = 64;

// One warp a row: the largest magnitude decides the scale.
template <class Byte>
__global__ void quantise(const float* in, Byte* out, float* scales, float most) {
  const int lane = threadIdx.x;
  const float* row = in + blockIdx.x * k;
  float largest = 0;
  for (int i = lane; i < k; i += 32) largest = fmaxf(largest, fabsf(row[i]));
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
  const float scale = largest / most;
  for (int i = lane; i < k; i += 32) out[blockIdx.x * k + i] = Byte(row[i] / scale);
  if (lane == 0) scales[blockIdx.x] = scale;
}

template <bool wide_range>
__global__ void multiply(const std::uint32_t* a, const std::uint32_t* b, float* d) {
  const int lane = threadIdx.x, group = lane / 4, quad = lane % 4;
  float sums[4] = {};
  for (int step = 0; step < k / 4; step += 8) {  // words of four
    const std::uint32_t a0 = a[group * (k / 4) + step + quad],
                        a1 = a[(group + 8) * (k / 4) + step + quad],
                        a2 = a[group * (k / 4) + step + quad + 4],
                        a3 = a[(group + 8) * (k / 4) + step + quad + 4],
                        b0 = b[group * (k / 4) + step + quad],
                        b1 = b[group * (k / 4) + step + quad + 4];
    if constexpr (wide_range)
      asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    else
      asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
  for (int i = 0; i < 4; ++i) d[(group + i / 2 * 8) * n + quad * 2 + i % 2] = sums[i];
}

template <class Byte>
__global__ void decode(float* out) {
  Byte byte;
  byte.__x = static_cast<unsigned char>(threadIdx.x);
  out[threadIdx.x] = float(byte);
}

// What a code means, by its fields.
double meaning(unsigned code, int exponent_bits, int fraction_bits, bool has_infinity) {
  const int exponent = static_cast<int>(code >> fraction_bits & ((1u << exponent_bits) - 1));
  const int fraction = static_cast<int>(code & ((1u << fraction_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1, most = (1 << exponent_bits) - 1;
  const double sign = code & 0x80 ? -1 : 1;
  if (exponent == most && has_infinity) return fraction ? NAN : sign * INFINITY;
  if (exponent == most && fraction == (1 << fraction_bits) - 1) return NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

template <class Byte>
void check_codes(int exponent_bits, int fraction_bits, bool has_infinity, const char* what) {
  const OnDevice<float> out(256);
  decode<Byte><<<1, 256>>>(out.get());
  finish();
  const auto got = out.fetch();
  for (unsigned code = 0; code < 256; ++code) {
    const double want = meaning(code, exponent_bits, fraction_bits, has_infinity);
    expect(std::isnan(want) ? std::isnan(got[code]) : got[code] == want, what);
  }
}

template <class Right>
void check_product(const char* what, float most, int exponent_bits, int fraction_bits,
                   bool wide_range) {
  const auto a = reals(m * k, 1, -3, 3), b = reals(n * k, 2, -200, 200);
  const OnDevice<float> device_a(a), device_b(b), scale_a(m), scale_b(n), d(m * n);
  const OnDevice<__nv_fp8_e4m3> left(m * k);
  const OnDevice<Right> right(n * k);
  quantise<<<m, 32>>>(device_a.get(), left.get(), scale_a.get(), 448.0f);
  quantise<<<n, 32>>>(device_b.get(), right.get(), scale_b.get(), most);
  const auto* left_words = reinterpret_cast<const std::uint32_t*>(left.get());
  const auto* right_words = reinterpret_cast<const std::uint32_t*>(right.get());
  if (wide_range)
    multiply<true><<<1, 32>>>(left_words, right_words, d.get());
  else
    multiply<false><<<1, 32>>>(left_words, right_words, d.get());
  finish();
  const auto codes_a = left.fetch();
  const auto codes_b = right.fetch();
  const auto scales = scale_a.fetch();
  std::vector<double> want(m * n), values_a, values_b;
  for (const auto code : codes_a) values_a.push_back(meaning(code.__x, 4, 3, false));
  for (const auto code : codes_b)
    values_b.push_back(meaning(code.__x, exponent_bits, fraction_bits, wide_range));
  for (int i = 0; i < m * k; ++i)  // half a unit of three bits, or of the smallest number
    expect(std::abs(values_a[i] * scales[i / k] - a[i]) <=
               std::max(std::abs(a[i]) * 0x1p-4, 0x1p-10 * scales[i / k]) * 1.0001,
           "rounded to the nearest");
  double magnitude = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double size = 0;
      for (int i = 0; i < k; ++i) {
        const double product = values_a[row * k + i] * values_b[column * k + i];
        want[row * n + column] += product;
        size += std::abs(product);
      }
      magnitude = std::max(magnitude, size);
    }
  expect_close(d.fetch(), want, magnitude * 0x1p-12, what);  // fourteen bits are kept in a step
}

}  // namespace

int main() {
  check_codes<__nv_fp8_e4m3>(4, 3, false, "codes of e4m3");
  check_codes<__nv_fp8_e5m2>(5, 2, true, "codes of e5m2");
  check_product<__nv_fp8_e4m3>("e4m3 with e4m3", 448, 4, 3, false);
  check_product<__nv_fp8_e5m2>("e4m3 with e5m2", 57344, 5, 2, true);
  return passed();
}
