// distributed_streams: data-parallel training of many one-weight models. Every rank has the same
// weights and samples of its own; the gradient of a weight is the sum over the samples of all
// ranks. A rank computes its share bucket by bucket, from the last layer to the first, and an
// all-reduce gives every rank the sum.
#include <algorithm>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/distributed_streams/shape.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// The sum over samples of x (w x - y) is w times the sum of x x, less the sum of x y: what the
// device adds up for every weight is found here from two numbers for each bucket.
void reference(const ch11::TrainingShape& shape, const lab::Inputs& inputs,
               std::vector<std::vector<double>>& expected) {
  const auto weights = inputs.at(0).as<float>();
  const auto samples = inputs.at(1).as<float>();
  auto& sums = expected.at(0);
  struct Moments {
    double xx = 0, xy = 0;
  };
  std::vector<Moments> moments(static_cast<std::size_t>(shape.buckets));
  for (int rank = 0; rank < shape.ranks; ++rank)
    for (std::int64_t bucket = 0; bucket < shape.buckets; ++bucket)
      for (std::int64_t t = 0; t < shape.samples; ++t) {
        const auto at = static_cast<std::size_t>(rank * shape.sample_floats() +
                                                 2 * (bucket * shape.samples + t));
        const double x = samples[at], y = samples[at + 1];
        moments[static_cast<std::size_t>(bucket)].xx += x * x;
        moments[static_cast<std::size_t>(bucket)].xy += x * y;
      }
  base::parallel_ranges(shape.gradients(), [&](std::int64_t i, std::int64_t last) {
    for (; i < last; ++i) {
      const Moments& of = moments[static_cast<std::size_t>(i / shape.elements)];
      const double sum = weights[static_cast<std::size_t>(i)] * of.xx - of.xy;
      for (int rank = 0; rank < shape.ranks; ++rank)
        sums[static_cast<std::size_t>(rank * shape.gradients() + i)] = sum;
    }
  });
}

// A term is at most 2. Each of a rank's T terms is rounded once and goes through up to T sums, and
// the sums of R ranks through R - 1 more: (T + R) roundings of at most 2 T R.
lab::Tolerance tolerance(const ch11::TrainingShape& shape) {
  const auto samples = static_cast<double>(shape.samples), ranks = static_cast<double>(shape.ranks);
  return {.relative = 0.0, .absolute = 0x1p-24 * (samples + ranks) * 2 * samples * ranks};
}

lab::Problem problem(const lab::Size& size) {
  const ch11::TrainingShape shape(size);
  constexpr std::int64_t most = std::int64_t{1} << 40;  // no product of two extents overflows
  constexpr int most_ranks = 64;
  const std::int64_t ranks = size.dims.at(3);
  if (shape.buckets < 1 || shape.elements < 1 || shape.samples < 1 || shape.elements > most ||
      shape.buckets > most / shape.elements || shape.samples > most / shape.buckets || ranks < 1 ||
      ranks > most_ranks)
    base::refuse(
        base::Exit::usage,
        "distributed_streams takes buckets, floats of a bucket, samples and ranks, each at "
        "least 1, at most ",
        most_ranks, " ranks and ", most, " floats: got ", size.label(),
        "; use for example 64x4194304x256x2");
  const auto gradients = static_cast<double>(shape.gradients());
  // Ranks that are processes have a device each, which does one rank's share.
  const double on_device = size.variant == "peer" ? static_cast<double>(ranks) : 1.0;
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"weights", lab::Dtype::f32, {shape.buckets, shape.elements}},
                    {"samples", lab::Dtype::f32, {ranks, shape.buckets, shape.samples, 2}}};
  problem.outputs = {{{"gradients", lab::Dtype::f32, {ranks, shape.buckets, shape.elements}, {}},
                      tolerance(shape)}};
  problem.flops = 4.0 * gradients * static_cast<double>(shape.samples) * on_device;
  problem.bytes = 4.0 * gradients * (1.0 + on_device);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = [shape](const lab::Inputs& inputs,
                              std::vector<std::vector<double>>& expected) {
    reference(shape, inputs, expected);
  };
  return problem;
}

lab::Target target() {
  constexpr std::int64_t bucket = std::int64_t{1} << 22;  // 16 MiB of gradients
  lab::Target target;
  target.chapter = "ch11";
  target.name = "distributed_streams";
  target.idea = "gradients are summed over ranks while the next ones are computed";
  target.shows_nowhere = "ranks that share one device overlap in any case";
  target.aliases = {{"distributed_streams_peer", "peer"},
                    {"distributed_streams_nccl", "nccl"},
                    {"distributed_streams_staged", "staged"}};
  target.axes = {"buckets", "elements", "samples", "ranks"};
  target.variants = {"peer", "nccl", "staged"};
  // Staged ranks share the card and take turns on it: fewer gradients say as much.
  target.full = {{"peer", {64, bucket, 256, 2}},
                 {"nccl", {64, bucket, 256, 1}},
                 {"staged", {8, bucket, 256, 2}}};
  // Buckets that divide by nothing; more chunks than one lap of the ring has; a rank alone.
  target.quick = {{"peer", {9, 2003, 7, 3}},
                  {"peer", {2, 4099, 520, 2}},
                  {"peer", {3, 517, 4, 1}},
                  {"nccl", {3, 517, 4, 1}},
                  {"staged", {3, 517, 4, 3}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
