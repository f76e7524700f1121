#include "sim/exec/mma_arithmetic.hpp"

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/exec/mma_operands.hpp"

namespace sim {
namespace {

constexpr int columns_at_once = 8;
constexpr int least_exponent = -512;  // of a sum without terms; no power of two is out of range

struct FloatWork {
  alignas(32) std::uint32_t a[max_matrix_a];
  alignas(32) std::uint32_t b[max_matrix_b];
  bool a_special[32], b_special[256 / columns_at_once];
};
// Not inlined: in a shared library each use of such a variable's address may become a call.
[[gnu::noinline]] FloatWork& thread_work() {
  thread_local FloatWork work;
  return work;
}

double scaled(double value, int exponent) { return value * base::power_of_two(exponent); }

// The result of a sum of which `value` is exact in double.
std::uint32_t finish(double value, Type result, int bits) {
  if (std::isnan(value)) return result == Type::f16 ? 0x7fffu : 0x7fffffffu;
  if (result == Type::f16) {
    const std::uint32_t code = base::encode<base::f16>(value);
    return code == base::f16.sign_code() ? 0 : code;
  }
  const std::uint32_t sign = value < 0 ? 0x80000000u : 0u;
  const double magnitude = std::abs(value);
  if (magnitude >= base::power_of_two(128)) return sign | base::f32.infinity_code();
  const int fraction_bits = std::min(bits, 23);
  const double unit = base::ulp(base::f32, magnitude) * base::power_of_two(23 - fraction_bits);
  const double truncated = std::trunc(magnitude / unit) * unit;
  return truncated == 0 ? 0 : sign | std::bit_cast<std::uint32_t>(static_cast<float>(truncated));
}

struct Accumulator {  // significand with 23 fraction bits, signed
  std::int32_t significand = 0;
  int exponent = least_exponent;
  double special = 0;  // NaN or infinity
};

Accumulator take_apart_accumulator(std::uint32_t code, Type type) {
  const double value =
      type == Type::f16 ? base::decode<base::f16>(code) : base::decode<base::f32>(code);
  if (!std::isfinite(value)) return {0, least_exponent, value};
  const int lowest = type == Type::f16 ? base::f16.min_exponent() : base::f32.min_exponent();
  if (value == 0) return {};
  const int exponent = std::max(std::ilogb(value), lowest);
  return {static_cast<std::int32_t>(scaled(value, 23 - exponent)), exponent, 0};
}

// One group of one element, one term at a time: for special values.
std::uint32_t slow_sum(const std::uint32_t* a, const std::uint32_t* b, int stride,
                       const std::uint8_t* index, int first, int terms, std::uint32_t c,
                       Type result, int bits) {
  const Accumulator accumulator = take_apart_accumulator(c, result);
  int largest = accumulator.exponent;
  double special = accumulator.special;
  const auto b_of = [&](int i) { return b[(index != nullptr ? index[i] : first + i) * stride]; };
  for (int i = 0; i < terms; ++i) {
    const std::uint32_t x = a[i], y = b_of(i);
    const bool x_special = exponent_of(x) == special_exponent;
    const bool y_special = exponent_of(y) == special_exponent;
    if (x_special || y_special) {
      const int sign = significand_of(x) * significand_of(y);  // 0: a NaN, or inf * 0
      special += sign == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : std::copysign(std::numeric_limits<double>::infinity(), sign);
    } else {
      largest = std::max(largest, exponent_of(x) + exponent_of(y));
    }
  }
  if (special != 0) return finish(special, result, bits);
  std::int64_t sum = static_cast<std::int64_t>(
      scaled(accumulator.significand, bits - 23 + accumulator.exponent - largest));
  for (int i = 0; i < terms; ++i) {
    const std::uint32_t x = a[i], y = b_of(i);
    const int down = std::min(largest - exponent_of(x) - exponent_of(y), 63);
    const std::int64_t product = std::int64_t{significand_of(x)} * significand_of(y);
    sum += product < 0 ? -(-product >> down) : product >> down;
  }
  return finish(scaled(static_cast<double>(sum), largest - bits), result, bits);
}

// Four sums of two halves each: f32 codes, truncated to f32's or to 13 fraction bits, or rounded to
// odd so that a second rounding to f16 is exact. `rare` gets the lanes below f32's normal numbers.
struct Quad {
  __m128 value;
  int rare;
};
template <bool to_f16>
Quad convert(__m128i low, __m128i high, __m128i exponent, int dropped) {
  const __m256d sum = _mm256_add_pd(_mm256_cvtepi32_pd(low), _mm256_cvtepi32_pd(high));
  const __m256i field = _mm256_slli_epi64(
      _mm256_add_epi64(_mm256_cvtepi32_epi64(exponent), _mm256_set1_epi64x(1023)), 52);
  const __m256d value = _mm256_mul_pd(sum, _mm256_castsi256_pd(field));
  const __m256i keep = _mm256_set1_epi64x(static_cast<long long>(~std::uint64_t{0} << dropped));
  __m256i bits = _mm256_castpd_si256(value);
  const __m256i rest = _mm256_andnot_si256(keep, bits);
  bits = _mm256_and_si256(bits, keep);
  if (to_f16) {
    const __m256i exact = _mm256_cmpeq_epi64(rest, _mm256_setzero_si256());
    bits = _mm256_or_si256(
        bits, _mm256_andnot_si256(exact, _mm256_set1_epi64x(std::int64_t{1} << dropped)));
  }
  const __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), value);
  const __m256d small =
      _mm256_and_pd(_mm256_cmp_pd(magnitude, _mm256_set1_pd(base::power_of_two(-126)), _CMP_LT_OQ),
                    _mm256_cmp_pd(magnitude, _mm256_setzero_pd(), _CMP_GT_OQ));
  return {_mm256_cvtpd_ps(_mm256_castsi256_pd(bits)), _mm256_movemask_pd(small)};
}

// The accumulators of eight columns: signed significands with `bits` fraction bits, and exponents.
struct Octet {
  __m256i significand, exponent, special;
};
template <bool is_f16>
Octet load_accumulators(const std::uint32_t* c, int bits) {
  __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(c));
  if (is_f16) {
    const __m256i packed = _mm256_packus_epi32(code, code);
    const __m128i halves =
        _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, _MM_SHUFFLE(3, 1, 2, 0)));
    code = _mm256_castps_si256(_mm256_cvtph_ps(halves));
  }
  const __m256i field = _mm256_and_si256(_mm256_srli_epi32(code, 23), _mm256_set1_epi32(255));
  const __m256i fraction = _mm256_and_si256(code, _mm256_set1_epi32(0x7fffff));
  const __m256i is_low = _mm256_cmpeq_epi32(field, _mm256_setzero_si256());
  __m256i significand =
      _mm256_or_si256(fraction, _mm256_andnot_si256(is_low, _mm256_set1_epi32(0x800000)));
  __m256i exponent =
      _mm256_sub_epi32(_mm256_max_epi32(field, _mm256_set1_epi32(1)), _mm256_set1_epi32(127));
  if (is_f16) {  // subnormal halves are not normalised
    const __m256i least = _mm256_set1_epi32(base::f16.min_exponent());
    const __m256i raised = _mm256_max_epi32(exponent, least);
    significand = _mm256_srlv_epi32(significand, _mm256_sub_epi32(raised, exponent));
    exponent = raised;
  }
  const __m256i is_zero = _mm256_cmpeq_epi32(significand, _mm256_setzero_si256());
  exponent = _mm256_blendv_epi8(exponent, _mm256_set1_epi32(least_exponent), is_zero);
  significand = bits >= 23 ? _mm256_slli_epi32(significand, bits - 23)
                           : _mm256_srli_epi32(significand, 23 - bits);
  const __m256i sign = _mm256_srai_epi32(code, 31);
  significand = _mm256_sub_epi32(_mm256_xor_si256(significand, sign), sign);
  return {significand, exponent, _mm256_cmpeq_epi32(field, _mm256_set1_epi32(255))};
}

__m256i align_down(__m256i value, __m256i shift) {
  return _mm256_sign_epi32(_mm256_srlv_epi32(_mm256_abs_epi32(value), shift), value);
}

__m256i drop_negative_zero(__m256i halves) {
  return _mm256_andnot_si256(_mm256_cmpeq_epi32(halves, _mm256_set1_epi32(0x8000)), halves);
}

// One group for eight columns, no special values. Returns the mask of columns left to slow_sum.
template <bool to_f16>
int fast_sum(const std::uint32_t* a, const std::uint32_t* b, int stride, const std::uint8_t* index,
             int first, int terms, int bits, std::uint32_t* c) {
  const Octet accumulator = load_accumulators<to_f16>(c, bits);
  if (!_mm256_testz_si256(accumulator.special, accumulator.special)) return 0xff;
  const auto b_of = [&](int i) {
    return _mm256_load_si256(
        reinterpret_cast<const __m256i*>(b + (index != nullptr ? index[i] : first + i) * stride));
  };
  __m256i largest = accumulator.exponent;
  for (int i = 0; i < terms; ++i)
    largest = _mm256_max_epi32(largest, _mm256_add_epi32(_mm256_srai_epi32(b_of(i), 16),
                                                         _mm256_set1_epi32(exponent_of(a[i]))));
  // Two sums: sixteen products of 27 bits and their sign may need 32 bits and one more.
  __m256i sums[2] = {
      align_down(accumulator.significand, _mm256_sub_epi32(largest, accumulator.exponent)),
      _mm256_setzero_si256()};
  for (int i = 0; i < terms; ++i) {
    const __m256i y = b_of(i);
    const __m256i product = _mm256_madd_epi16(y, _mm256_set1_epi32(a[i] & 0xffff));
    const __m256i down = _mm256_sub_epi32(
        _mm256_sub_epi32(largest, _mm256_set1_epi32(exponent_of(a[i]))), _mm256_srai_epi32(y, 16));
    sums[i % 2] = _mm256_add_epi32(sums[i % 2], align_down(product, down));
  }
  const __m256i exponent = _mm256_sub_epi32(largest, _mm256_set1_epi32(bits));
  const int dropped = 52 - (to_f16 ? 23 : std::min(bits, 23));
  const Quad low = convert<to_f16>(_mm256_castsi256_si128(sums[0]), _mm256_castsi256_si128(sums[1]),
                                   _mm256_castsi256_si128(exponent), dropped);
  const Quad high =
      convert<to_f16>(_mm256_extracti128_si256(sums[0], 1), _mm256_extracti128_si256(sums[1], 1),
                      _mm256_extracti128_si256(exponent, 1), dropped);
  const int rare = low.rare | high.rare << 4;
  if (rare != 0) return 0xff;
  const __m256 value = _mm256_set_m128(high.value, low.value);
  const __m256i code = to_f16 ? drop_negative_zero(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(value, 0)))
                              : _mm256_castps_si256(value);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(c), code);
  return 0;
}

int fraction_bits_of(Type type) {
  switch (type) {
    case Type::bf16:
      return base::bf16.fraction_bits;
    case Type::e4m3:
      return base::e4m3.fraction_bits;
    case Type::e5m2:
      return base::e5m2.fraction_bits;
    default:
      return base::f16.fraction_bits;  // f16 and tf32
  }
}

void take_apart_as(Type type, const std::uint32_t* codes, int count, int shift,
                   std::uint32_t* operands) {
  switch (type) {
    case Type::bf16:
      return take_apart_all<base::bf16>(codes, count, 0, shift, operands);
    case Type::tf32:
      return take_apart_all<base::tf32>(codes, count, 13, shift, operands);
    case Type::e4m3:
      return take_apart_all<base::e4m3>(codes, count, 0, shift, operands);
    case Type::e5m2:
      return take_apart_all<base::e5m2>(codes, count, 0, shift, operands);
    default:
      return take_apart_all<base::f16>(codes, count, 0, shift, operands);
  }
}

bool any_special(const std::uint32_t* operands, int rows, int columns, int stride) {
  bool found = false;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      found |= exponent_of(operands[row * stride + column]) == special_exponent;
  return found;
}

}  // namespace

void multiply_floats(const MatrixProduct& p, Type a_type, Type b_type, Type result,
                     FloatRule rule) {
  FloatWork& work = thread_work();
  // Products get their `bits` fraction bits from significands scaled up to at most 15 bits.
  const int scale = rule.bits - fraction_bits_of(a_type) - fraction_bits_of(b_type);
  const int b_scale = std::min(scale, 14 - fraction_bits_of(b_type));
  take_apart_as(a_type, p.a, p.m * p.products, scale - b_scale, work.a);
  take_apart_as(b_type, p.b, p.k * p.n, b_scale, work.b);
  for (int row = 0; row < p.m; ++row)
    work.a_special[row] = any_special(work.a + row * p.products, 1, p.products, 0);
  for (int column = 0; column < p.n; column += columns_at_once)
    work.b_special[column / columns_at_once] =
        any_special(work.b + column, p.k, columns_at_once, p.n);

  const auto fast = result == Type::f16 ? fast_sum<true> : fast_sum<false>;
  for (int column = 0; column < p.n; column += columns_at_once) {
    for (int row = 0; row < p.m; ++row) {
      std::uint32_t* c = p.c + row * p.n + column;
      const bool special = work.a_special[row] || work.b_special[column / columns_at_once];
      for (int first = 0; first < p.products; first += rule.terms) {
        const int terms = std::min(rule.terms, p.products - first);
        const std::uint32_t* a = work.a + row * p.products + first;
        const std::uint8_t* index =
            p.index != nullptr ? p.index + row * p.products + first : nullptr;
        const std::uint32_t* b = work.b + column;
        if (!special && fast(a, b, p.n, index, first, terms, rule.bits, c) == 0) continue;
        for (int i = 0; i < columns_at_once; ++i)
          c[i] = slow_sum(a, b + i, p.n, index, first, terms, c[i], result, rule.bits);
      }
    }
  }
}

}  // namespace sim
