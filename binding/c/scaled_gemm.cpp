#include <optional>

#include "binding/c/call.hpp"
#include "binding/c/plans.hpp"
#include "binding/c/tensor.hpp"
#include "tile/device/gemm/block_scaled.hpp"
#include "tile/device/launch/plan_memory.hpp"

namespace aisp::binding {
namespace {

using base::Exit;
using base::refuse;
using tile::Element;
using tile::device::BlockScaledProblem;
using tile::device::factor_block;
using tile::device::Factors;
using tile::device::Plan;

constexpr const char* scaled_gemm_name = "scaled_gemm";

std::int64_t blocks_of(std::int64_t extent) { return (extent + factor_block - 1) / factor_block; }

bool is_one(const Tensor& scales) { return scales.count() == 1; }
bool has(const Tensor& scales, std::int64_t rows, std::int64_t columns) {
  return scales.rank() == 2 && scales.extent(0) == rows && scales.extent(1) == columns;
}

const float* numbers(const Tensor& scales) {
  return static_cast<const float*>(scales.holds({Element::f32}).data());
}

Factors factors_of_a(const Tensor& scales, const Tensor& a) {
  const std::int64_t m = a.extent(0), blocks = blocks_of(a.extent(1));
  const float* const data = numbers(scales);
  if (is_one(scales)) return {data};
  if (has(scales, m, 1)) return {data, scales.stride(0), 0};
  if (has(scales, m, blocks)) return {data, scales.stride(0), scales.stride(1)};
  refuse(Exit::usage, scaled_gemm_name, ": ", scales.text(), " fits ", a.text(),
         " as () or (1, 1), (", m, ", 1) or (", m, ", ", blocks, ")");
}

// One for every column is applied to the sum, the others to parts of it.
void take_factors_of_b(const Tensor& scales, const Tensor& b, BlockScaledProblem& problem,
                       const float* one) {
  const std::int64_t n = b.extent(1), k_blocks = blocks_of(b.extent(0)), n_blocks = blocks_of(n);
  const float* const data = numbers(scales);
  if (is_one(scales)) {
    problem.b = {data};
  } else if (has(scales, k_blocks, n_blocks)) {
    problem.b = {data, n_blocks > 1 ? scales.stride(1) : 0, scales.stride(0)};
  } else if (has(scales, 1, n)) {
    if (scales.stride(1) != 1)
      refuse(Exit::usage, scaled_gemm_name, ": ", scales.text(),
             " must be without gaps; make it contiguous");
    problem.b = {one};
    problem.column_factors = data;
  } else {
    refuse(Exit::usage, scaled_gemm_name, ": ", scales.text(), " fits ", b.text(),
           " as () or (1, 1), (1, ", n, ") or (", k_blocks, ", ", n_blocks, ")");
  }
}

// The number 1 in the current device's memory.
const float* one_on_device() {
  static auto* const guard = new std::mutex;
  static auto* const ones = new std::vector<const float*>;
  int device = 0;
  tile::device::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(*guard);
  const auto at = static_cast<std::size_t>(device);
  if (ones->size() <= at) ones->resize(at + 1);
  if ((*ones)[at] == nullptr) {
    constexpr float one = 1;
    tile::device::PlanMemory memory;
    const void* const copy = memory.copy_of(&one, sizeof one);
    static_cast<void>(new tile::device::OwnedMemory(memory.take()));  // for good
    (*ones)[at] = static_cast<const float*>(copy);
  }
  return (*ones)[at];
}

// Looks at the arguments and plans.
Plan planned(const aisp_scaled_gemm_arguments& given) {
  const Tensor a(scaled_gemm_name, "a", given.a, {2}), b(scaled_gemm_name, "b", given.b, {2}),
      d(scaled_gemm_name, "d", given.d, {2});
  const Tensor a_scales(scaled_gemm_name, "a_scales", given.a_scales, {0, 1, 2});
  const Tensor b_scales(scaled_gemm_name, "b_scales", given.b_scales, {0, 1, 2});
  const std::int64_t m = a.extent(0), k = a.extent(1), n = b.extent(1);
  a.holds({Element::e4m3});
  b.has({k, n}).holds({Element::e4m3});
  d.has({m, n}).holds({Element::bf16});
  std::optional<Tensor> bias;
  if (given.bias != nullptr) {
    bias.emplace(scaled_gemm_name, "bias", given.bias, std::initializer_list<int>{1});
    bias->has({n}).holds({d.element()}).without_gaps();
  }
  admit_device(scaled_gemm_name, device_of(scaled_gemm_name, {&a, &b, &d, &a_scales, &b_scales,
                                                              bias ? &*bias : nullptr}));
  if (d.count() == 0) return {{"nothing", {}}, {}};
  admit_result(scaled_gemm_name, d, {&a, &b, &a_scales, &b_scales, bias ? &*bias : nullptr});
  BlockScaledProblem problem{.product = {.m = m, .n = n, .k = k}};
  problem.product.a = a.matrix();
  problem.product.b = b.matrix(true);
  problem.product.d = d.matrix();
  problem.a = factors_of_a(a_scales, a);
  take_factors_of_b(b_scales, b, problem, one_on_device());
  problem.bias = bias ? bias->data() : nullptr;
  return tile::device::plan_gemm_block_scaled(problem);
}

void scaled_gemm(const aisp_scaled_gemm_arguments& given, cudaStream_t stream) {
  static auto* const plans =
      new tile::device::PlanCache<Plan>(tile::device::WorkspaceSharing::by_shape);
  CallKey key;
  key.tensors({given.a, given.b, given.a_scales, given.b_scales, given.bias, given.d});
  run_planned(scaled_gemm_name, *plans, key, given.d, stream,
              [&](const tile::device::Allocate&) { return planned(given); });
}

}  // namespace
}  // namespace aisp::binding

aisp_status aisp_scaled_gemm(const aisp_scaled_gemm_arguments* arguments, aisp_stream stream) {
  using namespace aisp::binding;
  return call(
      [&] { scaled_gemm(taken(scaled_gemm_name, arguments), static_cast<cudaStream_t>(stream)); });
}
