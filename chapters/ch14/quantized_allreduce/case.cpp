// quantized_allreduce: every rank has an array of floats, and all ranks get the sum of all arrays,
// element by element. The arrays of the ranks are of different size, so that a scale that belongs
// to another rank shows.
#include <cmath>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch14/quantized_allreduce/shape.hpp"
#include "comm/quantized/error_bound.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// Of rank r's numbers.
double largest(int rank) { return std::ldexp(1.0, rank % 4); }

double largest_sum(int ranks) {
  double sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += largest(rank);
  return sum;
}

// Writes each(i) for every element i of an array, the same for every rank.
template <class Each>
void for_every_rank(const ch14::SumShape& shape, std::vector<double>& out, const Each& each) {
  base::parallel_ranges(shape.count, [&](std::int64_t i, std::int64_t last) {
    for (; i < last; ++i) {
      const double value = each(static_cast<std::size_t>(i));
      for (int rank = 0; rank < shape.ranks; ++rank)
        out[static_cast<std::size_t>(rank * shape.count + i)] = value;
    }
  });
}

std::vector<const float*> arrays(const lab::Inputs& inputs) {
  std::vector<const float*> all;
  for (const auto& input : inputs) all.push_back(input.as<float>().data());
  return all;
}

void reference(const ch14::SumShape& shape, const lab::Inputs& inputs,
               std::vector<std::vector<double>>& expected) {
  for_every_rank(shape, expected.at(0), [x = arrays(inputs)](std::size_t i) {
    double sum = 0;
    for (const float* array : x) sum += array[i];
    return sum;
  });
}

// In f32: R - 1 sums, none larger than all numbers together.
lab::Tolerance tolerance(const ch14::SumShape& shape) {
  return {.relative = 0.0, .absolute = 0x1p-24 * shape.ranks * largest_sum(shape.ranks)};
}

// In bf16: a number is rounded to it once and goes through R - 1 sums at most, each rounded to f32
// and then to bf16. With u the largest relative error of both, R roundings make of a number at
// most (1 + u)^R of it, or so much less; numbers below bf16's normal ones are off by 2^-134 at
// each.
void bf16_error(const ch14::SumShape& shape, const lab::Inputs& inputs,
                std::vector<double>& allowed) {
  constexpr double u = 0x1p-8 + 0x1p-24;  // half a unit in the last of 8 places, and of 24
  const double grown = std::pow(1 + u, shape.ranks) - 1, least = shape.ranks * 0x1p-134;
  for_every_rank(shape, allowed, [grown, least, x = arrays(inputs)](std::size_t i) {
    double size = 0;
    for (const float* array : x) size += std::abs(array[i]);
    return grown * size + least;
  });
}

// From the scales that the inputs' blocks get: comm/quantized/error_bound.hpp derives it.
void codes_error(const ch14::SumShape& shape, const lab::Inputs& inputs,
                 std::vector<double>& allowed) {
  std::vector<double> bound(static_cast<std::size_t>(shape.count));
  comm::quantized_error(shape.codes, arrays(inputs), bound);
  for_every_rank(shape, allowed, [&](std::size_t i) { return bound[i]; });
}

lab::Problem problem(const lab::Size& size) {
  constexpr std::int64_t most = std::int64_t{1} << 36, most_ranks = 64;
  const std::int64_t count = size.dims.at(0), ranks = size.dims.at(1);
  if (count < 1 || count > most || ranks < 1 || ranks > most_ranks)
    base::refuse(base::Exit::usage, "quantized_allreduce takes 1 to ", most,
                 " floats of a rank and 1 to ", most_ranks, " ranks: got ", size.label(),
                 "; use for example 16777216x4");
  const ch14::SumShape shape(size);
  lab::Problem problem;
  problem.size = size;
  for (int rank = 0; rank < shape.ranks; ++rank)
    problem.inputs.push_back(
        {base::say("of_rank_", rank), lab::Dtype::f32, {count}, {-largest(rank), largest(rank)}});
  problem.outputs = {
      {.tensor = {"sums", lab::Dtype::f32, {ranks, count}, {}},
       .tolerance = tolerance(shape),
       .narrower = {
           {ch14::bf16_numbers,
            [shape](const lab::Inputs& inputs, std::vector<double>& allowed) {
              bf16_error(shape, inputs, allowed);
            }},
           {ch14::block_codes, [shape](const lab::Inputs& inputs, std::vector<double>& allowed) {
              codes_error(shape, inputs, allowed);
            }}}}};
  problem.flops = static_cast<double>(count * (ranks - 1));
  problem.bytes = 8.0 * static_cast<double>(count * ranks);
  problem.reference = [shape](const lab::Inputs& inputs,
                              std::vector<std::vector<double>>& expected) {
    reference(shape, inputs, expected);
  };
  return problem;
}

lab::Target target() {
  constexpr std::int64_t full = std::int64_t{1} << 24;  // 64 MiB
  lab::Target target;
  target.chapter = "ch14";
  target.name = "quantized_allreduce";
  target.idea =
      "gradients summed over ranks as int8 or fp8 with a scale per block: fewer bytes on the wire";
  target.shows_nowhere = "bytes between ranks, which no count has; a figure of the row has them";
  target.aliases = {{"nccl_quantization", ""},
                    {"quantized_allreduce_int8", "int8"},
                    {"quantized_allreduce_e4m3", "e4m3"}};
  target.axes = {"floats", "ranks"};
  target.variants = {"int8", "e4m3"};
  target.full = {{"int8", {full, 4}}, {"e4m3", {full, 4}}};
  // More chunks than are under way; blocks that are not whole; ranks without a segment; one alone.
  target.quick = {{"int8", {5003, 3}}, {"e4m3", {2048, 4}}, {"int8", {130, 5}}, {"e4m3", {300, 1}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
