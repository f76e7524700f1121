// Moving what one lane accesses as one unit, so that no other thread sees half of a vector, and
// turning units of 32 lanes into registers and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/host/vector.hpp"
#include "sim/exec/memory/access.hpp"

namespace aisp::sim {

// What holds a value of T in a register of one lane.
template <class T>
using Slot = std::conditional_t<sizeof(T) <= 4, std::uint32_t, T>;

template <class M, int n>
struct alignas(sizeof(M) * n) Unit {
  M part[n];
};

// 16 bytes go through a vector register, which every host moves at once.
template <class U>
[[gnu::always_inline]] inline U fetch(const std::byte* at) {
  U unit;
  if constexpr (sizeof(U) == 16)
    base::store(&unit, base::load<base::Ints4>(at));
  else
    std::memcpy(&unit, at, sizeof(U));
  return unit;
}

template <class U>
[[gnu::always_inline]] inline void put(std::byte* at, const U& unit) {
  if constexpr (sizeof(U) == 16)
    base::store(at, base::load<base::Ints4>(&unit));
  else
    std::memcpy(at, &unit, sizeof(U));
}

// Rows of four words at at[0..3] <-> columns: word i of lane j at column[i][j].
struct Quads {
  base::Ints4 row[4];
};
[[gnu::always_inline]] inline Quads transposed(const Quads& q) {
  const auto& [a, b, c, d] = q.row;
  const base::Ints4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const base::Ints4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const base::Ints4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const base::Ints4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return {{__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
           __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
           __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
           __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)}};
}

inline void fetch_quads(std::byte* const* at, std::uint32_t* const* column) {
  for (int lane = 0; lane < lanes; lane += 4) {
    Quads quads;
    for (int i = 0; i < 4; ++i) quads.row[i] = base::load<base::Ints4>(at[lane + i]);
    quads = transposed(quads);
    for (int i = 0; i < 4; ++i) base::store(column[i] + lane, quads.row[i]);
  }
}

inline void put_quads(std::byte* const* at, const std::uint32_t* const* column) {
  for (int lane = 0; lane < lanes; lane += 4) {
    Quads quads;
    for (int i = 0; i < 4; ++i) quads.row[i] = base::load<base::Ints4>(column[i] + lane);
    quads = transposed(quads);
    for (int i = 0; i < 4; ++i) base::store(at[lane + i], quads.row[i]);
  }
}

}  // namespace aisp::sim
