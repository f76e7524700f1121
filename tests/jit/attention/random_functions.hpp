// Random score and mask functions: the same seed makes the same function, whatever it is read with.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "jit/attention/functions.hpp"

namespace aisp::jit::testing {

// What a random function may read.
struct RandomArrays {
  Array<float> by_head, by_row;
  Array<int> kinds, large;             // documents; numbers that f32 does not hold
  Array<float> wild_heads, wild_rows;  // with infinities and NaN among them
};

// `Value` is a number of the function, of floats or integers alike.
template <class Value>
class RandomFunction {
 public:
  RandomFunction(unsigned seed, const RandomArrays& arrays, const ScorePosition<Value>& at)
      : random_(seed), arrays_(arrays), at_(at) {}

  Value score(const Value& s) { return real(3, &s); }
  Value condition(int depth = 3) {
    switch (depth == 0 ? 0 : pick(6)) {
      case 1: {
        const Value a = condition(depth - 1), b = condition(depth - 1);
        return a && b;
      }
      case 2: {
        const Value a = condition(depth - 1), b = condition(depth - 1);
        return a || b;
      }
      case 3:
        return !condition(depth - 1);
      default: {
        const Value a = integer(2), b = integer(2);
        switch (pick(6)) {
          case 0:
            return a < b;
          case 1:
            return a <= b;
          case 2:
            return a > b;
          case 3:
            return a >= b;
          case 4:
            return a == b;
          default:
            return a != b;
        }
      }
    }
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  double number() { return static_cast<double>(pick(64) - 32) / 8; }
  double infinite() {
    constexpr double all[] = {-INFINITY, -INFINITY, INFINITY, NAN};
    return all[pick(4)];
  }

  // Of a query alone, or of its tile: what a kernel leaves out if it may.
  Value of_query() {
    const double wild = infinite(), tame = number();
    switch (pick(6)) {
      case 0:
        return where(at_.query % (2 + pick(5)) == 1, wild, tame);
      case 1:
        return where(arrays_.kinds[at_.query] == pick(8), wild, tame);
      case 2:
        return arrays_.wild_rows[at_.query] + tame;
      case 3:
        return arrays_.wild_heads[at_.head] * at_.query;
      case 4:
        return where(at_.head == pick(6), wild, tame * at_.query);
      default:
        return tame * at_.query;
    }
  }

  Value integer(int depth) {
    if (depth == 0) {
      switch (pick(9)) {
        case 0:
          return at_.head + 0;
        case 1:
          return at_.sequence + 0;
        case 2:
        case 3:
          return at_.query + 0;
        case 4:
        case 5:
          return at_.key + 0;
        case 6:
          return arrays_.kinds[at_.key];
        case 7:
          return arrays_.kinds[at_.query];
        default:
          return at_.keys - pick(400);
      }
    }
    const Value a = integer(depth - 1);
    switch (pick(8)) {
      case 0:
        return a + integer(depth - 1);
      case 1:
        return a - integer(depth - 1);
      case 2:
        return a * (pick(7) - 3);
      case 3:
        return a / (1 + pick(70));
      case 4:
        return a % (1 + pick(70));
      case 5:
        return abs(a);
      case 6:
        return max(a, integer(depth - 1));
      default:
        return min(a, integer(depth - 1));
    }
  }

  // Numbers of moderate size; what grows is held.
  Value real(int depth, const Value* s) {
    if (depth == 0) {
      switch (pick(6)) {
        case 0:
          return arrays_.by_head[at_.head] + 0.0;
        case 1:
          return arrays_.by_row[at_.key] + 0.0;
        case 2:
          return arrays_.by_row[at_.query] + 0.0;
        case 3:
          return (at_.key - at_.query) * 0.03125;
        default:
          return *s + 0.0;
      }
    }
    const Value a = real(depth - 1, s);
    switch (pick(18)) {
      case 11:
      case 12:
        return a + of_query();
      case 13:
        return a - of_query();
      case 14:
        return a + arrays_.wild_heads[at_.head] * (at_.key - at_.query);
      case 15:
        return where(arrays_.kinds[at_.query] == arrays_.kinds[at_.key], a, infinite());
      case 16:
        return a + (arrays_.large[at_.query] - arrays_.large[at_.key]) * 0.0625;
      case 17:
        return number() * (a + at_.query);
      case 0:
      case 1:
        return a + real(depth - 1, s);
      case 2:
        return a - real(depth - 1, s);
      case 3:
        return a * number();
      case 4:
        return a / (2.0 + pick(5));
      case 5:
        return 8.0 * tanh(a / 8.0);
      case 6:
        return abs(a);
      case 7:
        return max(a, real(depth - 1, s));
      case 8: {
        const Value b = real(depth - 1, s), c = condition(1);
        return where(c, a, b);
      }
      case 9:
        return arrays_.by_head[at_.head] * a;
      default:
        return a + integer(1) * 0.0625;
    }
  }

  std::mt19937 random_;
  const RandomArrays& arrays_;
  const ScorePosition<Value>& at_;
};

inline ScoreFunctions random_functions(unsigned seed, const RandomArrays& arrays) {
  return AttentionFunctions{
      .score = [=](auto s,
                   auto at) { return RandomFunction<decltype(s)>(seed, arrays, at).score(s); },
      .mask =
          [=](auto at) {
            return RandomFunction<decltype(at.key)>(seed + 1, arrays, at).condition();
          }};
}

}  // namespace aisp::jit::testing
