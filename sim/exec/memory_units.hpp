// Moving what one lane accesses as one unit, so that no other thread sees half of a vector, and
// turning units of 32 lanes into registers and back.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sim/exec/memory_access.hpp"

namespace sim {

// What holds a value of T in a register of one lane.
template <class T>
using Slot = std::conditional_t<sizeof(T) <= 4, std::uint32_t, T>;

template <class M, int n>
struct alignas(sizeof(M) * n) Unit {
  M part[n];
};

template <class U>
[[gnu::always_inline]] inline U fetch(const std::byte* at) {
  U unit;
  if constexpr (sizeof(U) == 16) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    std::memcpy(&unit, &bits, 16);
  } else {
    std::memcpy(&unit, at, sizeof(U));
  }
  return unit;
}

template <class U>
[[gnu::always_inline]] inline void put(std::byte* at, const U& unit) {
  if constexpr (sizeof(U) == 16) {
    __m128i bits;
    std::memcpy(&bits, &unit, 16);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), bits);
  } else {
    std::memcpy(at, &unit, sizeof(U));
  }
}

// Rows of four words at at[0..3] <-> columns: word i of lane j at column[i][j].
[[gnu::always_inline]] inline void transpose(__m128& a, __m128& b, __m128& c, __m128& d) {
  _MM_TRANSPOSE4_PS(a, b, c, d);
}

inline void fetch_quads(std::byte* const* at, std::uint32_t* const* column) {
  const auto row = [&](int lane) {
    return _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at[lane])));
  };
  for (int lane = 0; lane < lanes; lane += 4) {
    __m128 a = row(lane), b = row(lane + 1), c = row(lane + 2), d = row(lane + 3);
    transpose(a, b, c, d);
    _mm_storeu_ps(reinterpret_cast<float*>(column[0] + lane), a);
    _mm_storeu_ps(reinterpret_cast<float*>(column[1] + lane), b);
    _mm_storeu_ps(reinterpret_cast<float*>(column[2] + lane), c);
    _mm_storeu_ps(reinterpret_cast<float*>(column[3] + lane), d);
  }
}

inline void put_quads(std::byte* const* at, const std::uint32_t* const* column) {
  const auto words = [&](int i, int lane) {
    return _mm_loadu_ps(reinterpret_cast<const float*>(column[i] + lane));
  };
  const auto store = [&](int lane, __m128 row) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at[lane]), _mm_castps_si128(row));
  };
  for (int lane = 0; lane < lanes; lane += 4) {
    __m128 a = words(0, lane), b = words(1, lane), c = words(2, lane), d = words(3, lane);
    transpose(a, b, c, d);
    store(lane, a);
    store(lane + 1, b);
    store(lane + 2, c);
    store(lane + 3, d);
  }
}

}  // namespace sim
