#include "lab/judge/gemm_problem.hpp"

#include <algorithm>
#include <map>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/references.hpp"

namespace aisp::lab {
namespace {

// Inputs are uniform in [-largest, largest]; -128 is left out to keep the mean at zero.
double largest_input(Dtype dtype) { return dtype == Dtype::i8 ? 127.0 : 1.0; }

}  // namespace

Uniform product_values(Dtype dtype) { return {-largest_input(dtype), largest_input(dtype)}; }

void refuse_i32_overflow(const std::string& target, std::int64_t k) {
  constexpr std::int64_t most = 2147483647 / (127 * 127);
  if (k > most)
    base::refuse(base::Exit::usage, target, " in i8 takes K up to ", most,
                 ", where i32 holds every sum: got ", k, "; split the product along K");
}

Tolerance product_tolerance(const GemmTypes& types, Dtype b, std::int64_t k) {
  if (types.out == Dtype::i32) return {};
  // Of the product of two uniform numbers.
  const double product_rms = largest_input(types.in) * largest_input(b) / 3;
  const auto tolerance = accumulation(types.out, k, product_rms, types.accumulator);
  return types.unit == Unit::matrix_tf32 ? with_cut_tf32_factors(tolerance, k) : tolerance;
}

GemmTypes gemm_types(const std::string& name) {
  static const std::map<std::string, GemmTypes> types{
      {"bf16", {Dtype::bf16, Dtype::bf16, Unit::matrix_bf16, matrix_f32}},
      {"fp16", {Dtype::f16, Dtype::f16, Unit::matrix_bf16, matrix_f32}},
      {"fp32", {Dtype::f32, Dtype::f32, Unit::fma_f32, fma_f32}},
      {"tf32", {Dtype::f32, Dtype::f32, Unit::matrix_tf32, matrix_f32}},
      {"fp8", {Dtype::e4m3, Dtype::bf16, Unit::matrix_fp8, matrix_fp8}},
      {"fp8_e5m2", {Dtype::e5m2, Dtype::bf16, Unit::matrix_fp8, matrix_fp8}},
      {"int8", {Dtype::i8, Dtype::i32, Unit::matrix_fp8, {}}},
      {"bf16_int8", {Dtype::bf16, Dtype::bf16, Unit::matrix_bf16, matrix_f32, Dtype::i8}},
      {"bf16_fp8", {Dtype::bf16, Dtype::bf16, Unit::matrix_bf16, matrix_f32, Dtype::e4m3}},
  };
  const auto found = types.find(name);
  if (found == types.end()) {
    std::vector<std::string> names;
    for (const auto& [each, unused] : types) names.push_back(each);
    base::refuse(base::Exit::usage, "no matrix product in '", name, "'; it is one of ",
                 base::join(names, ", "));
  }
  return found->second;
}

void refuse_bad_extents(const std::string& target, std::int64_t m, std::int64_t n, std::int64_t k,
                        Dtype in) {
  constexpr std::int64_t most = 1 << 19;
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

double bytes_once(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const auto& input : problem.inputs) bytes += input.bytes();
  for (const auto& output : problem.outputs) bytes += output.tensor.bytes();
  return static_cast<double>(bytes);
}

Problem gemm_problem(const std::string& target, const Size& size, const GemmTypes& types, GemmB b) {
  const auto m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  const Dtype b_type = types.b.value_or(types.in);
  refuse_bad_extents(target, m, n, k, bytes_of(b_type) < bytes_of(types.in) ? b_type : types.in);
  if (types.out == Dtype::i32) refuse_i32_overflow(target, k);
  const bool b_is_nk = b == GemmB::nk;
  Problem problem;
  problem.size = size;
  problem.inputs = {
      {.name = "a", .dtype = types.in, .shape = {m, k}, .values = product_values(types.in)},
      {.name = "b",
       .dtype = b_type,
       .shape = b_is_nk ? std::vector{n, k} : std::vector{k, n},
       .values = product_values(b_type)}};
  problem.outputs = {{.tensor = {.name = "c", .dtype = types.out, .shape = {m, n}},
                      .tolerance = product_tolerance(types, b_type, k)}};
  problem.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  problem.bytes = bytes_once(problem);
  problem.unit = types.unit;
  problem.reference = [m, n, k, b_is_nk](const Inputs& inputs,
                                         std::vector<std::vector<double>>& expected) {
    gemm_reference(inputs[0], inputs[1], b_is_nk, m, n, k, expected[0]);
  };
  return problem;
}

}  // namespace aisp::lab
