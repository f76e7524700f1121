// What the programs share that check matrix products on a device: operands in any element, major
// and padding, and every element of the result against float64.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/number/format.hpp"
#include "tile/atom/element.hpp"

namespace aisp::gemm_test {

using tile::Element;
using tile::Major;

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Size {
  int m = 1, n = 1, k = 1, batch = 1;
};

// The same numbers on every machine, in [-1, 1).
inline double unit_value(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u ^ seed * 0xd1342543de82ef95u;
  x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 29) * 0x94d049bb133111ebu;
  return static_cast<double>(static_cast<std::int64_t>(x ^ x >> 32)) * 0x1p-63;
}

template <Element element>
constexpr base::Format format_of() {
  switch (element) {
    case Element::bf16:
      return base::bf16;
    case Element::f16:
      return base::f16;
    case Element::e4m3:
      return base::e4m3;
    case Element::e5m2:
      return base::e5m2;
    default:
      return base::f32;
  }
}
template <Element element>
std::uint32_t encode_float(double value) {
  return base::encode<format_of<element>()>(value);
}
template <Element element>
double decode_float(std::uint32_t code) {
  return base::decode<format_of<element>()>(code);
}

// tf32 numbers are f32 numbers whose low 13 bits the matrix unit would drop: they are zero here.
inline std::uint32_t encode(Element element, double value) {
  switch (element) {
    case Element::bf16:
      return encode_float<Element::bf16>(value);
    case Element::f16:
      return encode_float<Element::f16>(value);
    case Element::e4m3:
      return encode_float<Element::e4m3>(value);
    case Element::e5m2:
      return encode_float<Element::e5m2>(value);
    case Element::s8:
      return static_cast<std::uint8_t>(static_cast<int>(std::floor(value * 128)));
    case Element::tf32:
      return encode_float<Element::f32>(value) & ~0x1fffu;
    default:
      return encode_float<Element::f32>(value);
  }
}

inline double decode(Element element, std::uint32_t code) {
  switch (element) {
    case Element::bf16:
      return decode_float<Element::bf16>(code);
    case Element::f16:
      return decode_float<Element::f16>(code);
    case Element::e4m3:
      return decode_float<Element::e4m3>(code);
    case Element::e5m2:
      return decode_float<Element::e5m2>(code);
    case Element::s8:
      return static_cast<std::int8_t>(code);
    case Element::s32:
      return static_cast<std::int32_t>(code);
    default:
      return decode_float<Element::f32>(code);
  }
}

// Half an ulp of the element, relative; integers are exact.
inline double rounding_of(Element element) {
  switch (element) {
    case Element::bf16:
      return 0x1p-8;
    case Element::f16:
      return 0x1p-11;
    case Element::e4m3:
      return 0x1p-4;
    case Element::e5m2:
      return 0x1p-3;
    case Element::s32:
      return 0;
    default:
      return 0x1p-24;
  }
}
// Half of the smallest number, absolute, where numbers of the test come that close to 0.
inline double smallest_of(Element element) { return element == Element::e4m3 ? 0x1p-10 : 0; }

// A batch of rows x columns with any strides, in elements; poisoned where no element is.
class Matrix {
 public:
  Matrix(Element element, int batch, int rows, int columns, std::int64_t row_stride,
         std::int64_t column_stride, std::int64_t batch_stride, int first = 0)
      : element(element),
        rows(rows),
        columns(columns),
        row_stride(row_stride),
        column_stride(column_stride),
        batch_stride(batch_stride),
        first_(first) {
    const std::int64_t last = (batch - 1) * batch_stride + (rows - 1) * row_stride +
                              (columns - 1) * column_stride + first;
    bytes_.assign(static_cast<std::size_t>(last + 1) * bytes_of(element), 0xff);
  }
  // Lines of `line` elements, the contiguous index being that of `major`.
  static Matrix of_lines(Element element, Major major, int batch, int rows, int columns, int line) {
    const bool by_rows = major == Major::k;
    const std::int64_t lines = by_rows ? rows : columns;
    return {element, batch, rows, columns, by_rows ? line : 1, by_rows ? 1 : line, lines * line};
  }
  ~Matrix() { cudaFree(device_); }
  Matrix(const Matrix&) = delete;

  // Numbers in [-1, 1), in [0, 1) without signs.
  void fill(std::uint64_t seed, int batch, bool signs = true) {
    std::uint64_t count = 0;
    for (int b = 0; b < batch; ++b)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          const double value = unit_value(count++, seed);
          set(b, row, column, signs ? value : std::abs(value));
        }
  }
  void set(int batch, int row, int column, double value) {
    write(index(batch, row, column), encode(element, value));
  }
  double at(int batch, int row, int column) const {
    return decode(element, read(index(batch, row, column)));
  }
  // Bytes that no element of the matrix owns still hold the poison.
  bool gaps_untouched(int batch) const {
    std::vector<bool> owned(bytes_.size() / bytes_of(element));
    for (int b = 0; b < batch; ++b)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) owned[index(b, row, column)] = true;
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (!owned[i / bytes_of(element)] && bytes_[i] != 0xff) return false;
    return true;
  }

  void upload() {
    if (!device_) require(cudaMalloc(&device_, bytes_.size()), "cudaMalloc");
    require(cudaMemcpy(device_, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice), "upload");
  }
  void download() {
    require(cudaMemcpy(bytes_.data(), device_, bytes_.size(), cudaMemcpyDeviceToHost), "download");
  }
  void* data() const { return static_cast<char*>(device_) + first_ * bytes_of(element); }

  Element element;
  int rows, columns;
  std::int64_t row_stride, column_stride, batch_stride;

 private:
  std::size_t index(int batch, int row, int column) const {
    return static_cast<std::size_t>(batch * batch_stride + row * row_stride +
                                    column * column_stride + first_);
  }
  std::uint32_t read(std::size_t at) const {
    std::uint32_t code = 0;
    std::memcpy(&code, &bytes_[at * bytes_of(element)], bytes_of(element));
    return code;
  }
  void write(std::size_t at, std::uint32_t code) {
    std::memcpy(&bytes_[at * bytes_of(element)], &code, bytes_of(element));
  }

  int first_;
  std::vector<unsigned char> bytes_;
  void* device_ = nullptr;
};

// One element of A B^T in float64, and how far a matrix unit may be from it.
struct DotProduct {
  double value = 0, error = 0;
};
using Numbers = const std::vector<double>&;

// A matrix unit aligns some products and the sum so far and cuts them: each product costs at most
// 2^-23 of the sum of magnitudes, as does an f32 add.
inline DotProduct dot_product(Numbers a, Numbers b) {
  double value = 0, magnitude = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    value += a[k] * b[k];
    magnitude += std::abs(a[k] * b[k]);
  }
  return {value, magnitude * (static_cast<double>(a.size()) + 4) * 0x1p-23};
}

// Hopper's products of 8-bit floats keep 13 bits below the largest of 32 products (in two halves)
// and the sum so far; each term may lose one unit there. After `collected` products the sum is
// added to another in f32; a multiple of 32, or at least the number of products.
inline DotProduct fp8_dot_product(Numbers a, Numbers b, std::size_t collected) {
  DotProduct all, part;
  for (std::size_t k = 0; k < a.size(); k += 32) {
    double largest = std::abs(part.value) + part.error;
    for (std::size_t i = k; i < k + 32 && i < a.size(); ++i) {
      largest = std::max(largest, std::abs(a[i] * b[i]));
      part.value += a[i] * b[i];
    }
    part.error += 34 * 0x1p-13 * std::max(largest, std::abs(part.value));
    if ((k + 32) % collected != 0 && k + 32 < a.size()) continue;
    all = {all.value + part.value, all.error + part.error};
    all.error += (std::abs(all.value) + all.error) * 0x1p-23;
    part = {};
  }
  return all;
}

inline std::vector<std::vector<double>> rows_of(const Matrix& matrix, int batch) {
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(matrix.rows));
  for (int row = 0; row < matrix.rows; ++row)
    for (int column = 0; column < matrix.columns; ++column)
      rows[static_cast<std::size_t>(row)].push_back(matrix.at(batch, row, column));
  return rows;
}

// Every element of D: dot(row of A, row of B) -> DotProduct goes through then(product, batch, row,
// column) -> DotProduct. D may differ by that error and its own rounding. Nothing else is written.
template <class Dot, class Then>
void check_each(const char* what, const Matrix& a, const Matrix& b, const Matrix& d, int batches,
                Dot dot, Then then) {
  for (int batch = 0; batch < batches; ++batch) {
    const auto a_rows = rows_of(a, batch), b_rows = rows_of(b, batch);
    for (int row = 0; row < d.rows; ++row)
      for (int column = 0; column < d.columns; ++column) {
        const auto [want, error] = then(
            dot(a_rows[static_cast<std::size_t>(row)], b_rows[static_cast<std::size_t>(column)]),
            batch, row, column);
        const double allowed =
            error + (std::abs(want) + error) * rounding_of(d.element) + smallest_of(d.element);
        const double got = d.at(batch, row, column);
        if (std::abs(got - want) <= allowed) continue;
        std::fprintf(stderr, "%s %dx%dx%d: element (%d, %d) of batch %d is %g, not %g within %g\n",
                     what, d.rows, d.columns, a.columns, row, column, batch, got, want, allowed);
        std::exit(1);
      }
  }
  if (d.gaps_untouched(batches)) return;
  std::fprintf(stderr, "%s: wrote between the rows of D\n", what);
  std::exit(1);
}

// D = alpha A B^T + beta C. The sums of s8 are exact.
inline void check(const char* what, Size size, const Matrix& a, const Matrix& b, const Matrix& d,
                  double alpha = 1, double beta = 0, const Matrix* c = nullptr) {
  const bool exact = a.element == Element::s8 && b.element == Element::s8;
  check_each(what, a, b, d, size.batch, dot_product,
             [&](DotProduct sum, int batch, int row, int column) {
               DotProduct all{alpha * sum.value, exact ? 0 : std::abs(alpha) * sum.error};
               if (c == nullptr) return all;
               const double add = beta * c->at(batch, row, column);
               all.error += 0x1p-23 * (std::abs(add) + std::abs(all.value));
               all.value += add;
               return all;
             });
}

constexpr int ceil_div(int value, int divisor) { return (value + divisor - 1) / divisor; }

// Lines are padded to 16 bytes and 16 more, so that a stride is not an extent.
inline int padded_line(int length, Element element) {
  const int unit = 16 / bytes_of(element);
  return (ceil_div(length, unit) + 1) * unit;
}

}  // namespace aisp::gemm_test
