// axpy: z = a x + y on every element of two arrays. The function needs 12 bytes and 2 operations
// per element, so its time is the time to move the bytes.
#include <cstdint>
#include <vector>

#include "axpy.hpp"
#include "base/refuse.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>();
  const auto y = inputs.at(1).as<float>();
  auto& z = expected.at(0);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = double{mine::axpy_factor} * x[i] + y[i];
}

// |x|, |y| <= 1 and a = 1.5, so |a x| <= 1.5 and |z| <= 2.5. A rung may round the product (by
// 2^-24, half an ulp of 1.5) and the sum (by at most 2^-24 of its size); fused it rounds once.
constexpr lab::Tolerance tolerance{.relative = 0x1p-24, .absolute = 0x1p-24};

lab::Problem problem(const lab::Size& size) {
  const std::int64_t count = size.dims.at(0);
  if (count < 1)
    base::refuse(base::Exit::usage, "axpy: N must be at least 1: got ", count,
                 "; use for example 268435456");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::f32, {count}, {-1.0, 1.0}},
                    {"y", lab::Dtype::f32, {count}, {-1.0, 1.0}}};
  problem.outputs = {{{"z", lab::Dtype::f32, {count}, {}}, tolerance}};
  problem.flops = 2.0 * static_cast<double>(count);
  problem.bytes = 12.0 * static_cast<double>(count);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "mine";
  target.name = "axpy";
  target.idea = "move 16 bytes at a time where every byte moves once";
  // Where the simulator shows the idea: the same bytes by fewer instructions.
  target.shows_in = lab::Count::instructions;
  target.axes = {"N"};
  target.full = {{"", {std::int64_t{1} << 28}}};
  // Ragged and many blocks; fewer elements than one vector has.
  target.quick = {{"", {100003}}, {"", {3}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
