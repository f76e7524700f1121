// A user's score and mask functions, generic lambdas, and their readings: with symbols they become
// IR, with numbers they are the float64 reference.
//
//   jit::AttentionFunctions f{
//       .score = [&](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); },
//       .mask = [&](auto at) { return at.query >= at.key; }};
#pragma once

#include <functional>
#include <optional>
#include <type_traits>

#include "jit/attention/position.hpp"
#include "jit/trace/tensors.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

// Every score stays as it is; every query sees every key.
struct SameScore {
  template <class Score, class At>
  Score operator()(const Score& score, const At&) const {
    return score;
  }
};
struct SeesAll {};

template <class Score = SameScore, class Mask = SeesAll>
struct AttentionFunctions {
  Score score{};  // (score, at) -> score: scaled before, ready for softmax afterwards
  Mask mask{};    // (at) -> condition: true where the query sees the key
};

// The functions without their types. Copies of arrays' addresses are kept, not what lambdas refer
// to: it may be copied and outlive them only as far as the lambdas themselves may.
class ScoreFunctions {
 public:
  using Position = ScorePosition<Number>;

  template <class Score, class Mask>
  ScoreFunctions(const AttentionFunctions<Score, Mask>& functions)  // NOLINT: that is what it is
      : modifies_(!std::is_same_v<Score, SameScore>),
        masks_(!std::is_same_v<Mask, SeesAll>),
        score_(score_reading(functions.score)),
        mask_(mask_reading(functions.mask)) {
    using TracedAt = ScorePosition<Tile>;
    static_assert(std::is_invocable_r_v<Tile, const Score&, Tile, TracedAt>,
                  "score takes (auto score, auto at) and gives a number made of them");
    trace([&](const Tile& score, const TracedAt& at) {
      const Tile made = functions.score(score, at);
      if constexpr (std::is_same_v<Mask, SeesAll>) {
        return Results{made, std::nullopt};
      } else {
        static_assert(std::is_invocable_r_v<Tile, const Mask&, TracedAt>,
                      "mask takes (auto at) and gives a condition made of it");
        return Results{made, functions.mask(at)};
      }
    });
  }

  // As traced: see position.hpp.
  const Function& function() const { return function_; }
  const std::vector<BoundArray>& arrays() const { return arrays_; }

  // Functions of one text that read the same arrays compute the same.
  const std::string& text() const { return text_; }

  std::string score_place() const;  // "flex.cpp:9: "
  // Whether there is such a function.
  bool modifies() const { return modifies_; }
  bool masks() const { return masks_; }

  // With HostCopies of the arrays being read.
  double score(double score, const Position& at) const { return score_(Number(score), at).value(); }
  bool sees(const Position& at) const { return mask_(at).is_true(); }

 private:
  using Results = std::pair<Tile, std::optional<Tile>>;
  using Traced = std::function<Results(const Tile&, const ScorePosition<Tile>&)>;
  void trace(const Traced& functions);

  template <class Score>
  static std::function<Number(const Number&, const Position&)> score_reading(const Score& score) {
    return [score](const Number& before, const Position& at) { return Number(score(before, at)); };
  }
  template <class Mask>
  static std::function<Number(const Position&)> mask_reading(const Mask& mask) {
    if constexpr (std::is_same_v<Mask, SeesAll>)
      return [](const Position&) { return Number(true); };
    else
      return [mask](const Position& at) { return Number(mask(at)); };
  }

  bool modifies_, masks_;
  std::function<Number(const Number&, const Position&)> score_;
  std::function<Number(const Position&)> mask_;
  Function function_;
  std::string text_;
  std::vector<BoundArray> arrays_;
};

}  // namespace aisp::jit
