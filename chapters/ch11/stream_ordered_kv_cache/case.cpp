// stream_ordered_kv_cache: decoding into a paged cache of keys and values. At every step each layer
// appends a key and a value of every sequence to its page and lets the step's query attend to all
// that the sequence has there. The outputs are the attention's and every page of the cache.
#include <cmath>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/stream_ordered_kv_cache/cache.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

using namespace ch11;

constexpr double score_deviation = 2.0;
// A score is a sum of head_size products over sqrt(head_size): with keys uniform in [-1, 1] its
// deviation is a third of the range of q.
constexpr double query_range = 3.0 * score_deviation;

// The first element of a row of q, k, v or o.
std::int64_t row_at(const CacheShape& shape, std::int64_t step, std::int64_t layer,
                    std::int64_t sequence) {
  return ((step * shape.layers + layer) * shape.sequences + sequence) * shape.row();
}

// One head of one sequence in one layer, all steps: keys and values as doubles, then each query.
void attend(const CacheShape& shape, const lab::Inputs& inputs, std::int64_t layer,
            std::int64_t sequence, std::int64_t head, std::vector<double>& o) {
  const std::int64_t joins = CacheShape::joins_at(sequence);
  std::vector<double> keys, values, weights;
  for (std::int64_t step = joins; step < shape.steps; ++step) {
    const std::int64_t row = row_at(shape, step, layer, sequence) + head * head_size;
    for (std::int64_t i = 0; i < head_size; ++i) {
      keys.push_back(inputs[1][row + i]);
      values.push_back(inputs[2][row + i]);
    }
    const auto tokens = static_cast<std::size_t>(step + 1 - joins);
    weights.assign(tokens, 0.0);
    double largest = -INFINITY, total = 0;
    for (std::size_t token = 0; token < tokens; ++token) {
      for (std::size_t i = 0; i < head_size; ++i)
        weights[token] +=
            inputs[0][row + static_cast<std::int64_t>(i)] * keys[token * head_size + i];
      weights[token] /= std::sqrt(static_cast<double>(head_size));
      largest = std::max(largest, weights[token]);
    }
    for (double& weight : weights) total += weight = std::exp(weight - largest);
    for (std::size_t token = 0; token < tokens; ++token)
      for (std::size_t i = 0; i < head_size; ++i)
        o[static_cast<std::size_t>(row) + i] +=
            weights[token] / total * values[token * head_size + i];
  }
}

// Where element `at` of a page comes from: zeros behind the last token.
double cached(const CacheShape& shape, const lab::Inputs& inputs, std::int64_t sequence,
              std::int64_t page, std::int64_t at) {
  const std::int64_t in_row = at % shape.row(), token = at / shape.row() % page_tokens;
  const std::int64_t kind = at / shape.row() / page_tokens % 2;
  const std::int64_t layer = at / shape.row() / page_tokens / 2;
  const std::int64_t step = CacheShape::joins_at(sequence) + page * page_tokens + token;
  if (step >= shape.steps) return 0.0;
  return inputs[kind == 0 ? 1 : 2][row_at(shape, step, layer, sequence) + in_row];
}

void reference(const CacheShape& shape, const lab::Inputs& inputs,
               std::vector<std::vector<double>>& expected) {
  std::fill(expected[1].begin(), expected[1].end(), 0.0);
  base::parallel_ranges(
      shape.layers * shape.sequences * shape.heads,
      [&](std::int64_t i, std::int64_t last) {
        for (; i < last; ++i)
          attend(shape, inputs, i / shape.heads / shape.sequences,
                 i / shape.heads % shape.sequences, i % shape.heads, expected[1]);
      },
      1);
  base::parallel_ranges(
      shape.table_entries(),
      [&](std::int64_t i, std::int64_t last) {
        for (; i < last; ++i)
          for (std::int64_t at = 0; at < shape.page_elements(); ++at)
            expected[0][static_cast<std::size_t>(i * shape.page_elements() + at)] = cached(
                shape, inputs, i / shape.pages_per_sequence(), i % shape.pages_per_sequence(), at);
      },
      1);
}

// Values are within [-1, 1], the weights add up to 1 and are f32 as all sums are; an error e of all
// weights moves the mean of the values by 2 e at most. A score is off by its sum and by three
// roundings of a number that is 14 deviations at most where the weight counts; exp2 is good to
// 2^-22 and comes in four times (the weight, its correction, twice when warps meet). Every token
// adds four roundings to the sums of weights and values.
lab::Tolerance tolerance_of(const CacheShape& shape) {
  const double of_score = lab::accumulation(lab::Dtype::f32, head_size, score_deviation).absolute /
                              std::sqrt(static_cast<double>(head_size)) +
                          3 * 0x1p-24 * 14 * score_deviation;
  lab::Tolerance tolerance = lab::rounding(lab::Dtype::bf16);
  tolerance.absolute +=
      (1.0 + tolerance.relative) *
      (2 * (of_score + 4 * 0x1p-22) + 4 * 0x1p-24 * static_cast<double>(shape.steps + 8));
  return tolerance;
}

void refuse_bad_shape(const CacheShape& shape) {
  constexpr std::int64_t most = 1024, most_steps = 1 << 16;
  for (const auto extent : {shape.layers, shape.sequences, shape.heads})
    if (extent < 1 || extent > most)
      base::refuse(base::Exit::usage, "stream_ordered_kv_cache takes 1 to ", most,
                   " layers, sequences and heads: got ", shape.layers, ", ", shape.sequences,
                   " and ", shape.heads, "; use for example 32x64x48x2");
  if (shape.steps < 1 || shape.steps > most_steps)
    base::refuse(base::Exit::usage, "stream_ordered_kv_cache takes 1 to ", most_steps,
                 " steps: got ", shape.steps, "; use for example 32x64x48x2");
}

lab::Problem problem(const lab::Size& size) {
  const CacheShape shape(size);
  refuse_bad_shape(shape);
  const std::vector<std::int64_t> rows{shape.steps, shape.layers, shape.sequences, shape.heads,
                                       head_size};
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"q", lab::Dtype::bf16, rows, {-query_range, query_range}},
                    {"k", lab::Dtype::bf16, rows, {-1.0, 1.0}},
                    {"v", lab::Dtype::bf16, rows, {-1.0, 1.0}}};
  problem.outputs = {{{"pages",
                       lab::Dtype::bf16,
                       {shape.sequences, shape.pages_per_sequence(), shape.layers, 2, page_tokens,
                        shape.heads, head_size},
                       {}},
                      {}},
                     {{"o", lab::Dtype::bf16, rows, {}}, tolerance_of(shape)}};
  double pairs = 0;
  for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence)
    for (std::int64_t step = 0; step < shape.steps; ++step)
      pairs += static_cast<double>(CacheShape::tokens_at(sequence, step));
  problem.flops = 4.0 * pairs * static_cast<double>(shape.layers * shape.row());
  problem.bytes = lab::bytes_once(problem);
  problem.reference = [shape](const lab::Inputs& inputs,
                              std::vector<std::vector<double>>& expected) {
    reference(shape, inputs, expected);
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "stream_ordered_kv_cache";
  target.idea = "a paged KV cache ordered by events and a stream-ordered pool, not by waiting";
  target.same_bytes = true;
  target.shows_in = lab::Count::overlap;
  target.axes = {"layers", "sequences", "steps", "heads"};
  target.variants = {""};
  target.full = {{"", {32, 64, 48, 8}}};
  // Sequences that come to a second page, two groups of layers; sequences that never join.
  target.quick = {{"", {5, 3, 18, 1}}, {"", {2, 18, 4, 2}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
