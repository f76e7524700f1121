#include "lab/judge/gemm_problem.hpp"

#include <map>

#include "base/refuse.hpp"
#include "lab/case/references.hpp"

namespace lab {
namespace {

void refuse_bad_extents(const std::string& target, const Size& size, Dtype in) {
  constexpr std::int64_t most = 1 << 19;
  const auto m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  const std::int64_t multiple = 16 / bytes_of(in);
  const auto padded = [&](std::int64_t extent) {
    return (extent + multiple - 1) / multiple * multiple;
  };
  if (n % multiple != 0 || k % multiple != 0)
    base::refuse(base::Exit::usage, target, " in ", name_of(in), " needs N and K divisible by ",
                 multiple, " (16-byte rows): got ", m, 'x', n, 'x', k, "; pad to ", m, 'x',
                 padded(n), 'x', padded(k));
  if (m > most || n > most || k > most)
    base::refuse(base::Exit::usage, target, " takes extents up to ", most, ": got ", m, 'x', n, 'x',
                 k, "; split the product");
}

}  // namespace

GemmTypes gemm_types(const std::string& name) {
  static const std::map<std::string, GemmTypes> types{
      {"bf16", {Dtype::bf16, Dtype::bf16, Unit::matrix_bf16, matrix_f32}},
      {"fp16", {Dtype::f16, Dtype::f16, Unit::matrix_bf16, matrix_f32}},
      {"fp32", {Dtype::f32, Dtype::f32, Unit::fma_f32, fma_f32}},
      {"tf32", {Dtype::f32, Dtype::f32, Unit::matrix_tf32, matrix_f32}},
      {"fp8", {Dtype::e4m3, Dtype::bf16, Unit::matrix_fp8, matrix_fp8}},
  };
  const auto found = types.find(name);
  if (found == types.end())
    base::refuse(base::Exit::usage, "no matrix product in '", name,
                 "'; it is one of bf16, fp16, fp32, tf32, fp8");
  return found->second;
}

Problem gemm_problem(const std::string& target, const Size& size, const GemmTypes& types, GemmB b) {
  refuse_bad_extents(target, size, types.in);
  const auto m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  constexpr double product_rms = 1.0 / 3;  // of two numbers uniform in [-1, 1]
  auto tolerance = accumulation(types.out, k, product_rms, types.accumulator);
  if (types.unit == Unit::matrix_tf32) tolerance = with_cut_tf32_factors(tolerance, k);
  const bool b_is_nk = b == GemmB::nk;
  Problem problem;
  problem.size = size;
  problem.inputs = {
      {.name = "a", .dtype = types.in, .shape = {m, k}},
      {.name = "b", .dtype = types.in, .shape = b_is_nk ? std::vector{n, k} : std::vector{k, n}}};
  problem.outputs = {
      {.tensor = {.name = "c", .dtype = types.out, .shape = {m, n}}, .tolerance = tolerance}};
  problem.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  problem.bytes = static_cast<double>(problem.inputs[0].bytes() + problem.inputs[1].bytes() +
                                      problem.outputs[0].tensor.bytes());
  problem.unit = types.unit;
  problem.reference = [m, n, k, b_is_nk](const Inputs& inputs,
                                         std::vector<std::vector<double>>& expected) {
    gemm_reference(inputs[0], inputs[1], b_is_nk, m, n, k, expected[0]);
  };
  return problem;
}

}  // namespace lab
