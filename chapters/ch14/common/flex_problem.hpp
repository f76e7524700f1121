// Attention with functions as a problem of the lab: q, k, v, slopes by head, and the reference.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "base/refuse.hpp"
#include "chapters/ch14/common/flex_functions.hpp"
#include "lab/judge/attention_problem.hpp"
#include "lab/judge/attention_reference.hpp"

namespace aisp::ch14 {

// Pairs that a function's mask leaves: they are what the products are needed for.
inline double pairs_seen(Flex flex, std::int64_t rows) {
  const auto s = static_cast<double>(rows);
  switch (flex) {
    case Flex::causal:
    case Flex::causal_alibi:
      return s * (s + 1) / 2;
    case Flex::window: {
      const auto window = static_cast<double>(std::min<std::int64_t>(rows, flex_window));
      return window * (window + 1) / 2 + (s - window) * window;
    }
    case Flex::prefix: {
      const auto prefix = static_cast<double>(prefix_rows(rows));
      return s * (s + 1) / 2 + prefix * (prefix - 1) / 2;
    }
    case Flex::document: {
      double pairs = 0, length = 0;
      const std::vector<int> ids = document_ids(rows);
      for (std::size_t row = 0; row < ids.size(); ++row) {
        length = row > 0 && ids[row] == ids[row - 1] ? length + 1 : 1;
        pairs += length;
      }
      return pairs;
    }
    default:
      return s * s;
  }
}

// How far off a function may leave a score. What is added for a distance is rounded twice; tanh of
// the special-function unit is off by 2^-11 of itself, and scores of a standard deviation of 2 stay
// below 14 where they count; exact tanh is off by some roundings of the cap.
inline double score_error(Flex flex, std::int64_t rows) {
  switch (flex) {
    case Flex::alibi:
    case Flex::causal_alibi:
      return largest_slope * static_cast<double>(rows) * 2 * 0x1p-24;
    case Flex::soft_cap:
      return 14 * 0x1p-11;
    case Flex::soft_cap_precise:
      return flex_cap * 8 * 0x1p-24;
    default:
      return 0;
  }
}

inline void flex_reference(const lab::AttentionShape& shape, Flex flex, const lab::Inputs& inputs,
                           std::vector<std::vector<double>>& expected) {
  const std::vector<int> documents = document_ids(shape.keys);
  const auto slopes = inputs.at(3).as<float>();
  const jit::ScoreFunctions functions = flex_functions(flex, {.slope = slopes.data(),
                                                              .heads = shape.heads,
                                                              .document = documents.data(),
                                                              .rows = shape.keys});
  const jit::HostCopies copies(functions.function().parameters, functions.arrays());
  // Each key of a row in turn, with the arrays at hand.
  const auto each_key = [&](const lab::PairRow& row, const auto& read) {
    const jit::HostCopies::Reading reading(copies);
    jit::ScorePosition<jit::Number> at{.sequence = row.batch,
                                       .head = row.head,
                                       .query = row.query,
                                       .key = row.key,
                                       .query_row = row.query,
                                       .key_row = row.key,
                                       .queries = shape.queries,
                                       .keys = shape.keys};
    for (std::int64_t i = 0; i < row.count; ++i) {
      at.key = at.key_row = row.key + i;
      read(i, at);
    }
  };
  lab::PairFunctions read;
  if (functions.masks())
    read.mask = [&](const lab::PairRow& row, bool* seen) {
      each_key(row, [&](std::int64_t i, const auto& at) { seen[i] = functions.sees(at); });
    };
  if (functions.modifies())
    read.score = [&](const lab::PairRow& row, double* scores) {
      each_key(row,
               [&](std::int64_t i, const auto& at) { scores[i] = functions.score(scores[i], at); });
    };
  lab::attention_reference(shape, inputs[0], inputs[1], inputs[2], expected[0], read);
}

// B, H, S, D; the variant is the function. Inputs q, k, v and slope (H), f32.
inline lab::Problem flex_problem(const std::string& target, const lab::Size& size) {
  const auto& dims = size.dims;
  const lab::AttentionShape shape{.batch = dims.at(0),
                                  .heads = dims.at(1),
                                  .kv_heads = dims.at(1),
                                  .queries = dims.at(2),
                                  .keys = dims.at(2),
                                  .head_size = dims.at(3)};
  lab::Problem problem = lab::attention_problem(target, size, shape, lab::Dtype::bf16);
  // The rungs that materialise the scores keep them as f32 and the weights as bf16.
  constexpr double most_gib = 64;
  const double gib = 6.0 * static_cast<double>(dims[0] * dims[1]) * static_cast<double>(dims[2]) *
                     static_cast<double>(dims[2]) / (1 << 30);
  if (gib > most_gib)
    base::refuse(base::Exit::usage, target, " stores scores and weights of ", most_gib,
                 " GiB at most: ", size.label(), " has ", gib, " GiB; use fewer heads");
  const Flex flex = flex_of(problem);
  problem.inputs.push_back({.name = "slope",
                            .dtype = lab::Dtype::f32,
                            .shape = {shape.heads},
                            .values = {0.01, largest_slope}});
  problem.outputs[0].tolerance.absolute += 2 * score_error(flex, shape.keys);
  problem.flops = 4.0 * pairs_seen(flex, shape.keys) *
                  static_cast<double>(shape.head_size * shape.batch * shape.heads);
  problem.reference = [shape, flex](const lab::Inputs& inputs,
                                    std::vector<std::vector<double>>& expected) {
    flex_reference(shape, flex, inputs, expected);
  };
  return problem;
}

}  // namespace aisp::ch14
