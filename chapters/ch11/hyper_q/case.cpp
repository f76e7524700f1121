// hyper_q: chains of small kernels over streams, and the streams over the hardware's queues. How
// many of those there are is said to a process before it opens the device, so every size runs in a
// process that is started for it.
#include "base/refuse.hpp"
#include "chapters/ch11/hyper_q/chains.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

// All draws of a link at once: `steps` times factor and summand are one factor and one summand.
struct Draws {
  explicit Draws(std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i) {
      factor *= ch11::draw_factor;
      summand = summand * ch11::draw_factor + ch11::draw_summand;
    }
  }
  std::uint32_t operator()(std::uint32_t first) const { return first * factor + summand; }
  std::uint32_t factor = 1, summand = 0;
};

void follow_chains(const ch11::ChainShape& shape, const lab::Inputs& inputs,
                   std::vector<std::vector<double>>& expected) {
  const Draws last(shape.steps);
  const auto start = inputs.at(0).as<float>(), factors = inputs.at(1).as<float>();
  for (std::int64_t chain = 0; chain < shape.chains; ++chain)
    for (int lane = 0; lane < ch11::chain_lanes; ++lane) {
      const auto at = static_cast<std::size_t>(chain * ch11::chain_lanes + lane);
      double value = start[at];
      for (std::int64_t link = 0; link < shape.links; ++link)
        value = factors[static_cast<std::size_t>(chain * shape.links + link)] * value +
                ch11::fraction_of(last(ch11::first_draw(shape.links, chain, link, lane)));
      expected.at(0)[at] = value;
    }
}

void refuse_outside(const char* what, std::int64_t got, std::int64_t most) {
  if (got < 1 || got > most)
    base::refuse(base::Exit::usage, "hyper_q takes 1 to ", most, ' ', what, ": got ", got,
                 "; use for example 32x16x65536x32x8");
}

// A value is below 1 + links and is rounded once in each link, by 2^-24 of it at most; factors are
// at most 1, so that errors add up and do not grow.
lab::Tolerance tolerance_of(std::int64_t links) {
  return {.relative = 0, .absolute = static_cast<double>(links * (links + 1)) * 0x1p-24};
}

lab::Problem problem(const lab::Size& size) {
  const ch11::ChainShape shape(size);
  refuse_outside("chains", shape.chains, 4096);
  refuse_outside("links of a chain", shape.links, 1024);
  refuse_outside("steps in a link", shape.steps, 1 << 24);
  refuse_outside("streams", shape.streams, 128);
  refuse_outside("connections", shape.connections, 32);
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {
      {.name = "start", .dtype = lab::Dtype::f32, .shape = {shape.chains, ch11::chain_lanes}},
      {.name = "factors",
       .dtype = lab::Dtype::f32,
       .shape = {shape.chains, shape.links},
       .values = {0.5, 1.0}}};
  problem.outputs = {{.tensor = {.name = "values",
                                 .dtype = lab::Dtype::f32,
                                 .shape = {shape.chains, ch11::chain_lanes}},
                      .tolerance = tolerance_of(shape.links)}};
  problem.bytes = lab::bytes_once(problem);
  problem.reference = [shape](const lab::Inputs& inputs,
                              std::vector<std::vector<double>>& expected) {
    follow_chains(shape, inputs, expected);
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "hyper_q";
  target.idea = "streams share the hardware's queues: where kernels wait for others' chains";
  target.shows_in = lab::Count::overlap;
  target.axes = {"chains", "links", "steps", "streams", "connections"};
  target.variants = {""};
  target.full = {
      {"", {32, 16, 65536, 32, 1}}, {"", {32, 16, 65536, 32, 8}}, {"", {32, 16, 65536, 32, 32}}};
  // More chains than streams and more streams than connections; a stream and a connection each.
  target.quick = {{"", {7, 5, 300, 4, 2}}, {"", {3, 4, 200, 3, 3}}};
  target.environment = [](const lab::Size& size) -> lab::Environment {
    return {{"CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(ch11::ChainShape(size).connections)}};
  };
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
