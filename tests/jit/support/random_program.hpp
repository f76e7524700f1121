// Programs by a seed: types, ragged extents, alignments, broadcasting, reductions, masks, arrays,
// loops and products. What turns a rounding into another number (comparisons, argmax, conversions)
// looks at inputs as often as at what was computed.
#pragma once

#include <random>

#include "tests/jit/support/kernels.hpp"

namespace aisp::jit::testing {

class RandomProgram {
 public:
  explicit RandomProgram(int seed) : random_(static_cast<unsigned>(seed)) {}

  Tile elementwise(std::vector<Tile> pool, const std::vector<Tile>& exact, int steps, bool across) {
    for (int step = 0; step < steps; ++step) {
      const Tile a = of(pool), b = of(pool), e = below(2) == 0 ? of(pool) : of(exact);
      switch (below(across ? 15 : 12)) {
        case 0:
          pool.push_back(a + b);
          break;
        case 1:
          pool.push_back(a - 0.75 * b);
          break;
        case 2:
          pool.push_back(tanh(a * b));
          break;
        case 3:
          pool.push_back(a / (abs(b) + 1.0));
          break;
        case 4:
          pool.push_back(max(a, b));
          break;
        case 5:
          pool.push_back(min(a, 0.5));
          break;
        case 6:
          pool.push_back(sigmoid(a));
          break;
        case 7:
          pool.push_back(sqrt(abs(a) + 0.5));
          break;
        case 8:
          pool.push_back(where(e > 0.25 && !(e > 0.75), a, -b));
          break;
        case 9:
          pool.push_back(exp(min(a, 2.0)) * rsqrt(abs(b) + 0.5));
          break;
        case 10:
          pool.push_back(erf(a) + log(abs(b) + 0.5));
          break;
        case 11:
          pool.push_back(to(e, bf16) * 0.5 + exp2(min(a, 1.0)));
          break;
        case 12:
          pool.push_back(a - max(b, last(b)));
          break;
        case 13:
          pool.push_back(a + sum(tanh(b), last(b)) / static_cast<double>(b.extents().back()));
          break;
        default:
          pool.push_back(a + where(any(e > 0.9, last(e)), min(b, last(b)),
                                   to(argmax(e, last(e)), f32) * 0.01));
      }
    }
    return pool.back();
  }

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  Element element() {
    constexpr Element all[] = {f32, f16, bf16, e4m3, e5m2, s8};
    return all[below(6)];
  }

 private:
  Tile of(const std::vector<Tile>& pool) {
    return pool[static_cast<std::size_t>(below(static_cast<int>(pool.size())))];
  }
  static Axis last(const Tile&) { return axis(-1); }
  std::mt19937 random_;
};

Trial random_trial(int seed);

// Constants and inputs are NaN, infinities, zeros of both signs, subnormal and huge numbers as
// often as ordinary ones.
Trial special_trial(int seed);

}  // namespace aisp::jit::testing
