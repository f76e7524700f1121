#include "lab/judge/attention_problem.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/judge/attention_reference.hpp"
#include "lab/judge/gemm_problem.hpp"
#include "lab/judge/tolerance.hpp"

namespace aisp::lab {
namespace {

constexpr double score_deviation = 2.0;

// Keys and values are uniform in [-1, 1], an rms of 1 / sqrt(3). A score is a sum of D products
// over sqrt(D): its deviation is the rms of one product, so q has an rms of 2 sqrt(3) and a range
// of 6.
constexpr double key_range = 1.0, query_range = 3.0 * score_deviation / key_range;

void refuse_bad_shape(const std::string& target, const AttentionShape& shape) {
  const std::vector<std::int64_t> sizes{64, 96, 128, 256};
  if (std::find(sizes.begin(), sizes.end(), shape.head_size) == sizes.end())
    base::refuse(base::Exit::usage, target, " takes heads of 64, 96, 128 or 256 elements: got ",
                 shape.head_size);
  for (const auto& [what, extent] : {std::pair{"sequences", shape.batch},
                                     {"query heads", shape.heads},
                                     {"heads of keys", shape.kv_heads},
                                     {"queries", shape.queries},
                                     {"keys", shape.keys}})
    if (extent < 1)
      base::refuse(base::Exit::usage, target, " needs at least one of everything: got ", extent,
                   ' ', what);
  if (shape.heads % shape.kv_heads != 0)
    base::refuse(base::Exit::usage, target, " shares each head of keys between equally many query ",
                 "heads: ", shape.heads, " do not divide by ", shape.kv_heads, "; use ",
                 shape.kv_heads * (shape.heads / shape.kv_heads + 1), " query heads");
  constexpr std::int64_t most_rows = 1 << 19, most_heads = 65535;
  if (std::max(shape.queries, shape.keys) > most_rows)
    base::refuse(base::Exit::usage, target, " takes sequences of up to ", most_rows, " rows: got ",
                 std::max(shape.queries, shape.keys));
  if (shape.batch * shape.heads > most_heads)
    base::refuse(base::Exit::usage, target, " takes up to ", most_heads,
                 " heads of all sequences together: got ", shape.batch, " x ", shape.heads,
                 "; split the batch");
}

// What the fused kernels state about their arithmetic: scores and outputs are f32 sums of the
// matrix unit, the weights p = exp(score - largest so far) <= 1 are f32, are added up as such, and
// are rounded to the tensor's type for the second product; the output is rounded once. With
// w = p / sum of p, so that the sum of w |v| is at most 1 (values are within [-1, 1]):
//
// * A weight is rounded to within u = 2^-8 of itself (bf16; f16: 2^-11). The signs are random and
//   most errors cancel, but a query that sees few keys, or one key above all others, has few to
//   cancel: the certain bound u * sum of w |v| <= u is taken. Weights that are divided by their sum
//   first have the same.
// * A score is off by the bound of its sum, and the exponent by four roundings (the scale's, the
//   product's, that of the difference, the largest's) of a number that is 14 standard deviations at
//   most where the weight counts; exp2 is good to 2 ulp, 2^-22. A relative error e of the weights
//   moves the mean of the values by at most e * sum of w |v - o| <= 2 e.
// * The sum of the weights has terms of one sign.
// * A partial sum of w v is at most 1, and each addition of the matrix unit loses at most 2^-23 of
//   it. Both sums are multiplied by a correction once per block of keys, 32 at the least: the
//   factor is the same for both and cancels, its roundings do not.
Tolerance tolerance_of(const AttentionShape& shape, Dtype dtype) {
  const auto keys = static_cast<double>(shape.keys);
  const double of_weight = std::ldexp(1.0, -fraction_bits(dtype) - 1);
  const double of_score =
      accumulation(Dtype::f32, shape.head_size, score_deviation, matrix_f32).absolute /
      std::sqrt(static_cast<double>(shape.head_size));
  const double of_exponent = 4 * 0x1p-24 * 14 * score_deviation;
  const double of_exp2 = 0x1p-22;
  const double of_weights_sum = one_sign_accumulation(Dtype::f32, shape.keys).relative;
  const double of_products = keys / matrix_f32.step * matrix_f32.epsilon;
  const double of_corrections = 2 * keys / 32 * 0x1p-24;
  Tolerance tolerance = rounding(dtype);
  tolerance.absolute +=
      (1.0 + tolerance.relative) * (of_weight + 2 * (of_score + of_exponent + of_exp2) +
                                    of_weights_sum + of_products + of_corrections);
  return tolerance;
}

}  // namespace

Problem attention_problem(const std::string& target, const Size& size, const AttentionShape& shape,
                          Dtype dtype) {
  refuse_bad_shape(target, shape);
  const auto tensor = [&](const char* name, std::int64_t heads, std::int64_t rows, double range) {
    return Tensor{.name = name,
                  .dtype = dtype,
                  .shape = {shape.batch, heads, rows, shape.head_size},
                  .values = {-range, range}};
  };
  Problem problem;
  problem.size = size;
  problem.inputs = {tensor("q", shape.heads, shape.queries, query_range),
                    tensor("k", shape.kv_heads, shape.keys, key_range),
                    tensor("v", shape.kv_heads, shape.keys, 1.0)};
  problem.outputs = {{.tensor = tensor("o", shape.heads, shape.queries, 1.0),
                      .tolerance = tolerance_of(shape, dtype)}};
  problem.flops =
      4.0 * shape.pairs() * static_cast<double>(shape.head_size * shape.batch * shape.heads);
  problem.bytes = bytes_once(problem);
  problem.unit = Unit::matrix_bf16;
  problem.reference = [shape](const Inputs& inputs, std::vector<std::vector<double>>& expected) {
    attention_reference(shape, inputs[0], inputs[1], inputs[2], expected[0]);
  };
  return problem;
}

}  // namespace aisp::lab
