// What the elements of a floating-point register are: their words, how many there are, and the
// loops over them. Pairs (f16x2, f32x2) are simply twice as many elements in the same memory.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "sim/machine/warp.hpp"

namespace aisp::sim {

// `words` elements of type Word lie in the 32 lanes, each Lane wide. A scalar half shares its lane
// with an upper half that is zero and has to stay so: `kept` is what of a lane is written.
template <class WordType, class LaneType, int fraction, LaneType kept_bits = LaneType(-1)>
struct Elements {
  using Word = WordType;
  using Lane = LaneType;
  static constexpr int count = lanes * static_cast<int>(sizeof(Lane) / sizeof(Word));
  static constexpr Lane kept = kept_bits;
  static constexpr int bits = 8 * sizeof(Word);
  static constexpr Word sign = Word(Word{1} << (bits - 1));
  static constexpr Word smallest_normal = Word(Word{1} << fraction);
  static constexpr Word infinity = Word(sign - smallest_normal);
  static constexpr Word nan = Word(sign - 1);  // what f32 and the halves answer for every NaN
  static constexpr Word one = Word((infinity >> 1) & ~Word(smallest_normal - 1));
};

using F32 = Elements<std::uint32_t, std::uint32_t, 23>;
using F32x2 = Elements<std::uint32_t, std::uint64_t, 23>;
using F64 = Elements<std::uint64_t, std::uint64_t, 52>;
using F16 = Elements<std::uint16_t, std::uint32_t, 10, 0xffffu>;
using F16x2 = Elements<std::uint16_t, std::uint32_t, 10>;
using BF16 = Elements<std::uint16_t, std::uint32_t, 7, 0xffffu>;
using BF16x2 = Elements<std::uint16_t, std::uint32_t, 7>;
static_assert(F32::one == 0x3f800000u && F64::one == 0x3ff0000000000000u);
static_assert(F16::one == 0x3c00u && BF16::one == 0x3f80u && BF16::infinity == 0x7f80u);

// Results of all lanes; the active ones reach the register when it goes out of scope.
template <class E>
class Results {
  using Word = typename E::Word;
  // Elements were written as Word.
  using Lane [[gnu::may_alias]] = typename E::Lane;

 public:
  Results(Warp& warp, Ref ref, Mask mask)
      : to_(warp.write<Word>(ref)), words_(mask == all_lanes ? to_ : buffer_), mask_(mask) {}
  ~Results() {
    if (words_ == to_ && E::kept == static_cast<typename E::Lane>(-1)) return;
    const Lane* from = reinterpret_cast<const Lane*>(words_);
    Lane* to = reinterpret_cast<Lane*>(to_);
#pragma GCC ivdep
    for (int lane = 0; lane < lanes; ++lane) {
      const Lane chosen = Lane{0} - (mask_ >> lane & 1);
      to[lane] = (from[lane] & E::kept & chosen) | (to[lane] & ~chosen);
    }
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  Word* data() { return words_; }

 private:
  Word* to_;
  Word* words_;
  Mask mask_;
  alignas(64) Word buffer_[E::count];
};

// d = f(a), f(a, b), f(a, b, c) on words; f must be harmless on inactive lanes.
template <class E, class F>
[[gnu::always_inline]] inline void each_word(Warp& warp, const Op& op, Mask mask, F f) {
  using Word = typename E::Word;
  Results<E> results(warp, op.dst, mask);
  Word* d = results.data();
  const Word* a = warp.read<Word>(op.a);
  if constexpr (std::is_invocable_v<F, Word>) {
#pragma GCC ivdep
    for (int i = 0; i < E::count; ++i) d[i] = f(a[i]);
  } else if constexpr (std::is_invocable_v<F, Word, Word>) {
    const Word* b = warp.read<Word>(op.b);
#pragma GCC ivdep
    for (int i = 0; i < E::count; ++i) d[i] = f(a[i], b[i]);
  } else {
    const Word* b = warp.read<Word>(op.b);
    const Word* c = warp.read<Word>(op.c);
#pragma GCC ivdep
    for (int i = 0; i < E::count; ++i) d[i] = f(a[i], b[i], c[i]);
  }
}

}  // namespace aisp::sim
