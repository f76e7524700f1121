// Matrices of narrow floats with block scales for tests: random codes and scales in memory as
// kernels read them, and their numbers in float64, read by other means than the library's.
#pragma once

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/gemm/problem.hpp"

namespace aisp::gemm_test {

using tile::Scaling;

// Exponent and fraction bits of a format whose codes all are numbers, or that we give no others.
struct Fields {
  int exponent, fraction;
};
inline Fields fields_of(Element element) {
  switch (element) {
    case Element::e2m1:
      return {2, 1};
    case Element::e2m3:
      return {2, 3};
    case Element::e3m2:
      return {3, 2};
    case Element::e5m2:
      return {5, 2};
    default:
      return {4, 3};
  }
}
inline double number_of(Fields f, unsigned code) {
  const unsigned exponent = code >> f.fraction & ((1u << f.exponent) - 1);
  const unsigned fraction = code & ((1u << f.fraction) - 1);
  const int bias = (1 << (f.exponent - 1)) - 1;
  const double value = exponent == 0 ? std::ldexp(fraction, 1 - bias - f.fraction)
                                     : std::ldexp(fraction + (1u << f.fraction),
                                                  static_cast<int>(exponent) - bias - f.fraction);
  return code >> (f.exponent + f.fraction) & 1 ? -value : value;
}
inline double scale_number(Scaling scaling, unsigned code) {
  return scaling == Scaling::nv ? number_of({4, 3}, code & 0x7F)
                                : std::ldexp(1, static_cast<int>(code) - 127);
}

class ScaledMatrix {
 public:
  ScaledMatrix(Element element, Scaling scaling, int batch, int rows, int k)
      : element(element),
        scaling(scaling),
        batch(batch),
        rows(rows),
        k(k),
        stride((k + 127) / 128 * 128 + 128),
        codes(static_cast<std::size_t>(batch) * rows * stride * tile::bits_of(element) / 8, 0xFF),
        scales(static_cast<std::size_t>(batch * extent().bytes()), 0) {}
  ~ScaledMatrix() {
    cudaFree(device_codes_);
    cudaFree(device_scales_);
  }
  ScaledMatrix(const ScaledMatrix&) = delete;

  tile::ScaleExtent extent() const { return {rows, k, scaling}; }
  // Every number of the format (of fp8 those below 2^8), scales from 2^-3 to 2^3; `exact`: few
  // bits, so that sums of products are f32 numbers.
  void fill(std::uint64_t seed, bool exact = false) {
    std::uint64_t count = 0;
    const auto draw = [&](unsigned below) {
      return static_cast<unsigned>((unit_value(count++, seed) * 0.5 + 0.5) * below) % below;
    };
    const unsigned sign = 1u << (tile::bits_of(element) - 1);
    const unsigned most = exact                      ? 4
                          : element == Element::e5m2 ? 0x5C
                          : element == Element::e4m3 ? 0x78
                                                     : sign;
    const unsigned one = scaling == Scaling::nv ? 0x38 : 127,
                   octave = scaling == Scaling::nv ? 8 : 1;
    for (int b = 0; b < batch; ++b)
      for (int row = 0; row < rows; ++row)
        for (int at = 0; at < k; ++at) set_code(b, row, at, draw(most) | (draw(2) ? sign : 0));
    for (int b = 0; b < batch; ++b)
      for (int row = 0; row < rows; ++row)
        for (int at = 0; at < count_scales(); ++at)
          scales[scale_index(b, row, at)] = static_cast<unsigned char>(
              exact ? one + octave * draw(2) : one - 3 * octave + draw(6 * octave + 1));
  }
  unsigned code(int b, int row, int at) const {
    const std::size_t first = bit_index(b, row, at);
    unsigned bits = codes[first / 8];
    if (first / 8 + 1 < codes.size()) bits |= static_cast<unsigned>(codes[first / 8 + 1]) << 8;
    return bits >> first % 8 & ((1u << tile::bits_of(element)) - 1);
  }
  unsigned scale(int b, int row, int at) const { return scales[scale_index(b, row, at)]; }
  int count_scales() const {
    return (k + tile::scaled_together(scaling) - 1) / tile::scaled_together(scaling);
  }
  double at(int b, int row, int column) const {
    return number_of(fields_of(element), code(b, row, column)) *
           scale_number(scaling, scale(b, row, column / tile::scaled_together(scaling)));
  }
  std::vector<std::vector<double>> numbers(int b) const {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < k; ++column)
        all[static_cast<std::size_t>(row)].push_back(at(b, row, column));
    return all;
  }
  // Bytes between the rows still hold the poison.
  bool gaps_untouched() const {
    for (int b = 0; b < batch; ++b)
      for (int row = 0; row < rows; ++row)
        for (std::size_t byte = (bit_index(b, row, k) + 7) / 8;
             byte < bit_index(b, row, stride) / 8; ++byte)
          if (codes[byte] != 0xFF) return false;
    return true;
  }

  void upload() {
    require(cudaMalloc(&device_codes_, codes.size()), "cudaMalloc");
    require(cudaMalloc(&device_scales_, scales.size()), "cudaMalloc");
    require(cudaMemcpy(device_codes_, codes.data(), codes.size(), cudaMemcpyHostToDevice), "codes");
    require(cudaMemcpy(device_scales_, scales.data(), scales.size(), cudaMemcpyHostToDevice),
            "scales");
  }
  void download() {
    require(cudaMemcpy(codes.data(), device_codes_, codes.size(), cudaMemcpyDeviceToHost), "codes");
    require(cudaMemcpy(scales.data(), device_scales_, scales.size(), cudaMemcpyDeviceToHost),
            "scales");
  }
  tile::device::Matrix view(float matrix_scale = 1) const {
    return {.data = device_codes_,
            .element = element,
            .stride = stride,
            .batch_stride = std::int64_t{rows} * stride,
            .scaling = scaling,
            .scales = device_scales_,
            .matrix_scale = matrix_scale};
  }

  Element element;
  Scaling scaling;
  int batch, rows, k, stride;
  std::vector<unsigned char> codes, scales;

 private:
  std::size_t bit_index(int b, int row, int at) const {
    return ((static_cast<std::size_t>(b) * rows + row) * stride + at) * tile::bits_of(element);
  }
  std::size_t scale_index(int b, int row, int at) const {
    const int groups = static_cast<int>(extent().groups());
    const std::size_t block = static_cast<std::size_t>(row / 128) * groups + at / 4;
    return static_cast<std::size_t>(b * extent().bytes()) + block * 512 + row % 32 * 16 +
           row % 128 / 32 * 4 + at % 4;
  }
  void set_code(int b, int row, int at, unsigned value) {
    const int bits = tile::bits_of(element);
    for (int bit = 0; bit < bits; ++bit) {
      const std::size_t place = bit_index(b, row, at) + bit;
      codes[place / 8] = static_cast<unsigned char>((codes[place / 8] & ~(1u << place % 8)) |
                                                    (value >> bit & 1) << place % 8);
    }
  }

  void *device_codes_ = nullptr, *device_scales_ = nullptr;
};

// D = alpha A B^T against float64 of the operands as they are. One instruction of `deep` products
// cuts them, and the sum so far, below 2^-25 (2^-35 where it takes 64) of the largest, then rounds
// toward zero.
template <class Of>
void check_scaled(const char* what, const ScaledMatrix& a, const ScaledMatrix& b, Of got_at,
                  double rounding, double alpha = 1) {
  const bool deep = a.element == Element::e2m1 && b.element == Element::e2m1;
  const int instructions = (a.k + (deep ? 63 : 31)) / (deep ? 64 : 32);
  const double unit = (deep ? 0x1p-23 : 0x1p-23 + 33 * 0x1p-25) * instructions + 0x1p-23;
  for (int batch = 0; batch < a.batch; ++batch) {
    const auto a_rows = a.numbers(batch), b_rows = b.numbers(batch);
    for (int row = 0; row < a.rows; ++row)
      for (int column = 0; column < b.rows; ++column) {
        const auto &x = a_rows[static_cast<std::size_t>(row)],
                   &y = b_rows[static_cast<std::size_t>(column)];
        double want = 0, magnitude = 0;
        for (int i = 0; i < a.k; ++i) {
          const double product =
              alpha * x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(i)];
          want += product;
          magnitude += std::abs(product);
        }
        const double got = got_at(batch, row, column);
        const double error = magnitude * unit,
                     allowed = error + (std::abs(want) + error) * rounding;
        if (std::abs(got - want) <= allowed) continue;
        std::fprintf(stderr, "%s %dx%dx%d: element (%d, %d) of batch %d is %g, not %g within %g\n",
                     what, a.rows, b.rows, a.k, row, column, batch, got, want, allowed);
        std::exit(1);
      }
  }
}

}  // namespace aisp::gemm_test
