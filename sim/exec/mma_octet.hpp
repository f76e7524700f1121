// Eight columns of a matrix product at once: accumulators taken apart, and sums converted to the
// result's format, for the aligned sums of mma_arithmetic.cpp.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "base/number/format.hpp"

namespace sim {

inline constexpr int columns_at_once = 8;
inline constexpr int least_exponent =
    -512;  // of a sum without terms; no power of two is out of range

// Four sums of two halves each: f32 codes, truncated to f32's or to 13 fraction bits, or rounded to
// odd so that a second rounding to f16 is exact. `rare` gets the lanes below f32's normal numbers.
struct Quad {
  __m128 value;
  int rare;
};
template <bool to_f16>
[[gnu::always_inline]] inline Quad convert(__m128i low, __m128i high, __m128i exponent,
                                           int dropped) {
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
[[gnu::always_inline]] inline Octet load_accumulators(const std::uint32_t* c, int bits) {
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

inline __m256i align_down(__m256i value, __m256i shift) {
  return _mm256_sign_epi32(_mm256_srlv_epi32(_mm256_abs_epi32(value), shift), value);
}

inline __m256i drop_negative_zero(__m256i halves) {
  return _mm256_andnot_si256(_mm256_cmpeq_epi32(halves, _mm256_set1_epi32(0x8000)), halves);
}

// The sums of a group, in two parts each with `bits` fraction bits below `largest`, as codes. False
// when one of them is below f32's normal numbers: nothing is stored then.
template <bool to_f16>
[[gnu::always_inline]] inline bool store_sums(const __m256i (&sums)[2], __m256i largest, int bits,
                                              std::uint32_t* c) {
  const __m256i exponent = _mm256_sub_epi32(largest, _mm256_set1_epi32(bits));
  const int dropped = 52 - (to_f16 ? 23 : std::min(bits, 23));
  const Quad low = convert<to_f16>(_mm256_castsi256_si128(sums[0]), _mm256_castsi256_si128(sums[1]),
                                   _mm256_castsi256_si128(exponent), dropped);
  const Quad high =
      convert<to_f16>(_mm256_extracti128_si256(sums[0], 1), _mm256_extracti128_si256(sums[1], 1),
                      _mm256_extracti128_si256(exponent, 1), dropped);
  if ((low.rare | high.rare) != 0) return false;
  const __m256 value = _mm256_set_m128(high.value, low.value);
  const __m256i code = to_f16 ? drop_negative_zero(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(value, 0)))
                              : _mm256_castps_si256(value);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(c), code);
  return true;
}

}  // namespace sim
