// Products of e2m1 with block scales that are numbers of their own.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/host/vector.hpp"
#include "base/number/format.hpp"
#include "sim/exec/matrix/product/general.hpp"
#include "sim/exec/matrix/product/narrow.hpp"
#include "sim/exec/matrix/product/operands.hpp"
#include "sim/exec/matrix/product/product.hpp"

namespace aisp::sim {
namespace {

constexpr int block = 16, most_blocks = 4, most_columns = 256;
constexpr int zero_term_exponent = -126;  // of a term that is zero

// A product has two fractional bits, a significand of a scale three.
constexpr int term_fraction_bits = 2 + 3 + 3;

// Numbers in halves, which are whole: of two columns in the halves of a word, as exponents are in
// narrow.hpp. A dot product of 16 is at most 16 * 12 * 12 and fits one half.
struct BlockWork {
  alignas(64) std::int32_t b[max_block_matrix_b / 2];
  alignas(64) std::int32_t a[block * most_blocks];  // of one row, in both halves
  alignas(64) float significands[most_blocks * most_columns];
  alignas(64) std::int32_t exponents[most_blocks * most_columns];
};
[[gnu::noinline]] BlockWork& thread_block_work() {
  thread_local BlockWork work;
  return work;
}

[[gnu::always_inline]] inline Ints halves(Ints codes) {
  return __builtin_convertvector(decode<e2m1_numbers>(codes & 15).value * 2.0f, Ints);
}

// 2^exponent for exponents from -126 on.
[[gnu::always_inline]] inline Floats power(Ints exponent) {
  return std::bit_cast<Floats>((exponent + 127) << 23);
}

[[gnu::always_inline]] inline Doubles4 doubles_of(Floats4 x) {
  return __builtin_convertvector(x, Doubles4);
}

// Terms of a sum, each `value` times two to the power of `places`, truncated to an integer. Values
// are integers below 2^24, so places to the left lose nothing, and what is left of places to the
// right fits 32 bits: both steps are exact. The sum is, too, in double.
struct BlockSums {
  Doubles4 of[quads] = {};

  [[gnu::always_inline]] void add(Floats value, Ints places) {
    const Ints right = base::larger(base::smaller(places, Ints{}), Ints{} - 126);
    const Ints whole = __builtin_convertvector(value * power(right), Ints);
    const Floats left = power(base::larger(places, Ints{}));
    for (int i = 0; i < quads; ++i)
      of[i] += base::to_doubles(quad_of<Ints4>(whole, i)) * doubles_of(quad_of<Floats4>(left, i));
  }
};

// The sums of four columns, their last place worth 2^exponent.
[[gnu::always_inline]] inline void store_sums(Doubles4 sums, Ints4 exponent, int bits,
                                              std::uint32_t* c) {
  const auto code = base::load<Ints4>(c);
  const Doubles4 start = doubles_of(std::bit_cast<Floats4>(code));
  const Longs4 is_special = base::to_longs((code & 0x7f800000) == 0x7f800000);
  const auto special = std::bit_cast<Doubles4>(std::bit_cast<Longs4>(start) & is_special);
  const Doubles4 value = sums * powers_of_two(exponent);
  if (store_doubles<false>(value, special, bits, c)) return;
  for (int i = 0; i < 4; ++i) c[i] = finish(is_special[i] != 0 ? start[i] : value[i], false, bits);
}

// One vector of columns. `dots` are those of the blocks, in halves squared.
[[gnu::always_inline]] inline void sum_blocks(const Ints* dots, const BlockScale* a,
                                              const float* b_significands,
                                              const std::int32_t* b_exponents, int stride,
                                              int blocks, int bits, std::uint32_t* c) {
  const Ints code = base::load<Ints>(c), field = code >> 23 & 255;
  const Ints significand = (code & 0x7fffff) | ((field != 0) & 0x800000);
  const Ints own =
      significand == 0 ? Ints{} + zero_term_exponent : base::larger(field, Ints{} + 1) - 127;
  Floats terms[most_blocks];
  Ints exponents[most_blocks], largest = own;
  for (int at = 0; at < blocks; ++at) {
    terms[at] =
        __builtin_convertvector(dots[at], Floats) *
        (base::load<Floats>(b_significands + at * stride) * static_cast<float>(a[at].significand));
    const Ints sum = base::load<Ints>(b_exponents + at * stride) + a[at].exponent;
    exponents[at] = terms[at] == 0 ? Ints{} + zero_term_exponent : sum;
    largest = base::larger(largest, exponents[at]);
  }
  BlockSums sums;
  const Ints sign = code >> 31;
  sums.add(__builtin_convertvector((significand ^ sign) - sign, Floats),
           own - largest + (bits - 23));
  for (int at = 0; at < blocks; ++at)
    sums.add(terms[at], exponents[at] - largest + (bits - term_fraction_bits));
  const Ints last = largest - bits;
  for (int i = 0; i < quads; ++i) store_sums(sums.of[i], quad_of<Ints4>(last, i), bits, c + 4 * i);
}

void take_b(const MatrixProduct& p, const BlockScale* scales, BlockWork& work) {
  for (int column = 0; column < p.n; column += panel_columns) {
    const bool both = column + panel_columns <= p.n;
    std::int32_t* to = work.b + column / 2 * p.k;
    for (int row = 0; row < p.k; ++row) {
      const std::uint32_t* codes = p.b + row * p.n + column;
      const Ints high = both ? base::load<Ints>(codes + vector_columns) : Ints{};
      base::store(to + row * vector_columns,
                  in_pairs(halves(base::load<Ints>(codes)), halves(high)));
    }
  }
  for (int i = 0; i < p.products / block * p.n; ++i) {
    work.significands[i] = static_cast<float>(scales[i].significand);
    work.exponents[i] = scales[i].exponent;
  }
}

template <bool sparse>
void multiply_rows(const MatrixProduct& p, const BlockScale* a, int bits, BlockWork& work) {
  const int blocks = p.products / block;
  for (int row = 0; row < p.m; ++row) {
    const std::uint32_t* codes = p.a + row * p.products;
    const std::uint8_t* b_rows = sparse ? p.index + row * p.products : nullptr;
    for (int i = 0; i < p.products; i += vector_columns) {
      const Ints values = halves(base::load<Ints>(codes + i));
      base::store(work.a + i, in_pairs(values, values));
    }
    for (int column = 0; column < p.n; column += panel_columns) {
      const std::int32_t* b_values = work.b + column / 2 * p.k;
      Ints first[most_blocks], second[most_blocks];
      for (int at = 0; at < blocks; ++at) {
        Shorts dot{};
#pragma GCC unroll 16
        for (int i = at * block; i < (at + 1) * block; ++i)
          dot += base::load<Shorts>(b_values + (sparse ? b_rows[i] : i) * vector_columns) *
                 std::bit_cast<Shorts>(Ints{} + work.a[i]);
        first[at] = std::bit_cast<Ints>(dot) << 16 >> 16;
        second[at] = std::bit_cast<Ints>(dot) >> 16;
      }
      std::uint32_t* c = p.c + row * p.n + column;
      for (int part = 0; part < 2 && column + part * vector_columns < p.n; ++part) {
        const int at = column + part * vector_columns;
        sum_blocks(part == 0 ? first : second, a + row * blocks, work.significands + at,
                   work.exponents + at, p.n, blocks, bits, c + part * vector_columns);
      }
    }
  }
}

}  // namespace

void multiply_blocks(const MatrixProduct& p, const BlockScale* a, const BlockScale* b, int bits) {
  BlockWork& work = thread_block_work();
  take_b(p, b, work);
  if (p.index != nullptr)
    multiply_rows<true>(p, a, bits, work);
  else
    multiply_rows<false>(p, a, bits, work);
}

}  // namespace aisp::sim
