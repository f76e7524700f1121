// C (M, N) = A (M, K) times the transpose of B (N, K), all row-major, in the types people run:
// both operands contiguous along K, which is the one layout that every type of the library takes.
#include <cmath>
#include <map>

#include "base/refuse.hpp"
#include "lab/case/references.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/tolerance.hpp"

namespace {

struct Flavour {
  lab::Dtype in, out;
  lab::Unit unit;
  lab::Accumulator accumulator;
};

// The units are those of the optimized rung. There is no fp16 roof of its own: the matrix unit runs
// it at the rate of bf16.
const std::map<std::string, Flavour> flavours{
    {"bf16", {lab::Dtype::bf16, lab::Dtype::bf16, lab::Unit::matrix_bf16, lab::matrix_f32}},
    {"fp16", {lab::Dtype::f16, lab::Dtype::f16, lab::Unit::matrix_bf16, lab::matrix_f32}},
    {"fp32", {lab::Dtype::f32, lab::Dtype::f32, lab::Unit::fma_f32, lab::fma_f32}},
    {"tf32", {lab::Dtype::f32, lab::Dtype::f32, lab::Unit::matrix_tf32, lab::matrix_f32}},
    {"fp8", {lab::Dtype::e4m3, lab::Dtype::bf16, lab::Unit::matrix_fp8, lab::matrix_fp8}},
};

// The matrix unit cuts each tf32 factor after 10 fraction bits, on average by 2^-11: relative to
// the sum that is 2 * 2^-11, and what varies (2^-10 / sqrt(12) per factor) walks to sqrt(2 k) / 3
// times that. Twice the first and seven standard deviations of the second are allowed.
lab::Tolerance cut_factors(lab::Tolerance tolerance, std::int64_t k) {
  tolerance.relative += 0x1p-9;
  tolerance.absolute += 7 * std::sqrt(2.0 * static_cast<double>(k)) / 3 * 0x1p-10 / std::sqrt(12.0);
  return tolerance;
}

lab::Problem problem(const lab::Size& size) {
  const auto& flavour = flavours.at(size.variant);
  const auto m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  const std::int64_t multiple = 16 / lab::bytes_of(flavour.in), most = 1 << 19;
  const auto padded = [&](std::int64_t extent) {
    return (extent + multiple - 1) / multiple * multiple;
  };
  if (n % multiple != 0 || k % multiple != 0)
    base::refuse(base::Exit::usage, "cublaslt_gemm in ", size.variant,
                 " needs N and K divisible by ", multiple, " (16-byte rows): got ", m, 'x', n, 'x',
                 k, "; pad to ", m, 'x', padded(n), 'x', padded(k));
  if (m > most || n > most || k > most)
    base::refuse(base::Exit::usage, "cublaslt_gemm takes extents up to ", most, ": got ", m, 'x', n,
                 'x', k, "; split the product");
  auto tolerance = lab::accumulation(flavour.out, k, 1.0 / 3, flavour.accumulator);
  if (flavour.unit == lab::Unit::matrix_tf32) tolerance = cut_factors(tolerance, k);
  lab::Problem made;
  made.size = size;
  made.inputs = {{.name = "a", .dtype = flavour.in, .shape = {m, k}},
                 {.name = "b", .dtype = flavour.in, .shape = {n, k}}};
  made.outputs = {
      {.tensor = {.name = "c", .dtype = flavour.out, .shape = {m, n}}, .tolerance = tolerance}};
  made.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  made.bytes = static_cast<double>(made.inputs[0].bytes() + made.inputs[1].bytes() +
                                   made.outputs[0].tensor.bytes());
  made.unit = flavour.unit;
  made.reference = [m, n, k](const lab::Inputs& inputs,
                             std::vector<std::vector<double>>& expected) {
    lab::gemm_reference(inputs[0], inputs[1], true, m, n, k, expected[0]);
  };
  return made;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "cublaslt_gemm";
  target.idea = "the vendor library with a search over its algorithms as yardstick";
  target.aliases = {{"cublaslt_gemm_fp16", "fp16"}, {"cublaslt_gemm_fp8", "fp8"}};
  target.axes = {"M", "N", "K"};
  target.variants = {"bf16", "fp16", "fp32", "tf32", "fp8"};
  for (const auto& variant : target.variants) {
    target.full.push_back({variant, {4096, 4096, 8192}});
    target.quick.push_back({variant, {150, 144, 80}});
  }
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
