#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/exec/matrix/product/general.hpp"
#include "sim/exec/matrix/product/narrow.hpp"
#include "sim/exec/matrix/product/operands.hpp"
#include "sim/exec/matrix/product/product.hpp"

namespace aisp::sim {
namespace {

struct FloatWork {
  alignas(64) float a[max_matrix_a + vector_columns], b[max_matrix_b];
  alignas(64) std::int32_t a_exponents[max_matrix_a + vector_columns];
  alignas(64) std::int32_t b_exponents[max_matrix_b / 2];
  int a_largest[max_matrix_rows], b_largest[256 / panel_columns];  // exponents of rows and panels
};
// Not inlined: in a shared library each use of such a variable's address may become a call.
[[gnu::noinline]] FloatWork& thread_work() {
  thread_local FloatWork work;
  return work;
}

int largest_lane(Ints x) {
  int largest = x[0];
  for (int i = 1; i < vector_columns; ++i) largest = std::max(largest, x[i]);
  return largest;
}

template <class Decode>
void decode_a(const MatrixProduct& p, FloatWork& work, Decode decode) {
  for (int row = 0; row < p.m; ++row) {
    Ints largest = Ints{} + zero_exponent;
    for (int i = 0; i < p.products; i += vector_columns) {
      const int at = row * p.products + i;
      Ints codes{};
      if (i + vector_columns <= p.products)
        codes = base::load<Ints>(p.a + at);
      else
        std::memcpy(&codes, p.a + at, static_cast<std::size_t>(p.products - i) * sizeof *p.a);
      const Decoded of = decode(codes);
      // Beyond a row's end these are zeros, which the next row overwrites.
      base::store(work.a + at, of.value);
      base::store(work.a_exponents + at, in_pairs(of.exponent, of.exponent));
      largest = base::larger(largest, of.exponent);
    }
    work.a_largest[row] = largest_lane(largest);
  }
}

template <class Decode>
void decode_b(const MatrixProduct& p, FloatWork& work, Decode decode) {
  for (int column = 0; column < p.n; column += panel_columns) {
    const bool both = column + panel_columns <= p.n;
    Ints largest = Ints{} + zero_exponent;
    float* values = work.b + column * p.k;
    std::int32_t* exponents = work.b_exponents + column / 2 * p.k;
    for (int row = 0; row < p.k; ++row) {
      const std::uint32_t* codes = p.b + row * p.n + column;
      const Decoded first = decode(base::load<Ints>(codes));
      const Decoded second = decode(both ? base::load<Ints>(codes + vector_columns) : Ints{});
      base::store(values + row * panel_columns, first.value);
      base::store(values + row * panel_columns + vector_columns, second.value);
      base::store(exponents + row * vector_columns, in_pairs(first.exponent, second.exponent));
      largest = base::larger(largest, base::larger(first.exponent, second.exponent));
    }
    work.b_largest[column / panel_columns] = largest_lane(largest);
  }
}

template <bool to_f16, bool scaled, bool sparse>
struct FloatSums {
  const MatrixProduct& p;
  const FloatRule rule;
  const FloatWork& work;

  // The columns of a panel that has so many vectors of them.
  template <int vectors>
  [[gnu::noinline]] void panel(int column) const {
    const float* b = work.b + column * p.k;
    const std::int32_t* b_exponents = work.b_exponents + column / 2 * p.k;
    const int largest_row = largest_product - work.b_largest[column / panel_columns];
    ColumnScales scales[vectors];
    for (int row = 0; row < p.m; ++row) {
      if (scaled) {
        for (int at = 0; at < vectors; ++at) {
          scales[at].accumulator = p.c_scale;
          if (p.row_scales != nullptr)
            scales[at].product = base::load<Ints>(p.column_scales + column + at * vector_columns) +
                                 p.row_scales[row];
        }
      }
      const bool special = work.a_largest[row] == special_exponent ||
                           work.b_largest[column / panel_columns] == special_exponent;
      // Infinity times zero is NaN, which has no place among integers: what a conversion makes of
      // it differs between processors.
      const bool narrow = !special && work.a_largest[row] <= largest_row;
      std::uint32_t* c = p.c + row * p.n + column;
      for (int first = 0; first < p.products; first += rule.terms) {
        const int a_at = row * p.products + first, b_row = sparse ? 0 : first;
        const Group group{work.a + a_at,
                          work.a_exponents + a_at,
                          b + b_row * panel_columns,
                          b_exponents + b_row * vector_columns,
                          sparse ? p.index + a_at : nullptr,
                          std::min(rule.terms, p.products - first),
                          rule.bits};
        int left = (1 << vectors) - 1;
        if (narrow) [[likely]]
          left = narrow_sum<vectors, to_f16, scaled, sparse>(group, scales, c);
        for (int at = 0; at < vectors; ++at)
          if ((left >> at & 1) != 0) [[unlikely]]
            general(group, at * vector_columns, scales[at], special, c);
      }
    }
  }

  [[gnu::noinline]] void general(const Group& group, int first, const ColumnScales& scales,
                                 bool special, std::uint32_t* c) const {
    const auto sum = special ? general_sum<to_f16, true> : general_sum<to_f16, false>;
    for (int i = 0; i < quads; ++i)
      sum(group, first + 4 * i, quad_of<Ints4>(scales.product, i), scales.accumulator,
          c + first + 4 * i);
  }

  void all() const {
    int column = 0;
    for (; column + panel_columns <= p.n; column += panel_columns) panel<2>(column);
    if (column < p.n) panel<1>(column);
  }
};

template <bool to_f16, bool scaled>
void multiply_to(const MatrixProduct& p, FloatRule rule, const FloatWork& work) {
  if (p.index != nullptr)
    FloatSums<to_f16, scaled, true>{p, rule, work}.all();
  else
    FloatSums<to_f16, scaled, false>{p, rule, work}.all();
}

}  // namespace

void multiply_floats(const MatrixProduct& p, Type a_type, Type b_type, Type result,
                     FloatRule rule) {
  FloatWork& work = thread_work();
  with_decoder(a_type, [&](auto decode) { decode_a(p, work, decode); });
  with_decoder(b_type, [&](auto decode) { decode_b(p, work, decode); });
  const bool scaled = p.row_scales != nullptr || p.c_scale != 0;
  if (result == Type::f16)
    scaled ? multiply_to<true, true>(p, rule, work) : multiply_to<true, false>(p, rule, work);
  else
    scaled ? multiply_to<false, true>(p, rule, work) : multiply_to<false, false>(p, rule, work);
}

}  // namespace aisp::sim
