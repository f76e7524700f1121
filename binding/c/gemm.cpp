#include <optional>

#include "binding/c/call.hpp"
#include "binding/c/plans.hpp"
#include "binding/c/tensor.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::binding {
namespace {

using base::Exit;
using base::refuse;
using tile::Element;
using tile::device::Allocate;
using tile::device::GemmProblem;
using tile::device::Matrix;
using tile::device::Plan;
using tile::device::PlanCache;
using tile::device::WorkspaceSharing;

constexpr const char* gemm_name = "gemm";

// The batch that the operands and D agree on; a matrix without one serves all.
std::int64_t batch_of(const Tensor& a, const Tensor& b, const Tensor& d) {
  const std::int64_t batch = d.rank() == 3 ? d.extent(0) : 1;
  for (const Tensor* one : {&a, &b})
    if (one->rank() == 3 && (d.rank() != 3 || one->extent(0) != batch))
      refuse(Exit::usage, gemm_name, ": ", one->text(), " has a batch of ", one->extent(0), ", ",
             d.text(), d.rank() == 3 ? " another" : " has none");
  return batch;
}

// What the library calls tf32 is f32 in memory.
Matrix operand(Matrix matrix, const Tensor& tensor, bool allow_tf32) {
  if (matrix.element != Element::f32) return matrix;
  if (!allow_tf32)
    refuse(Exit::usage, gemm_name, ": ", tensor.text(),
           " would be multiplied as tf32, with 10 bits behind the point; allow_tf32 says that this "
           "is meant");
  matrix.element = Element::tf32;
  return matrix;
}

// Looks at the arguments and plans.
Plan planned(const aisp_gemm_arguments& given, const Allocate& allocate) {
  const Tensor a(gemm_name, "a", given.a, {2, 3}), b(gemm_name, "b", given.b, {2, 3}),
      d(gemm_name, "d", given.d, {2, 3});
  const std::int64_t m = a.extent(-2), k = a.extent(-1), n = b.extent(-1);
  if (b.extent(-2) != k)
    refuse(Exit::usage, gemm_name, ": ", a.text(), " has rows of ", k, ", ", b.text(),
           " columns of ", b.extent(-2), "; they must be equal");
  const std::int64_t batch = batch_of(a, b, d);
  d.rank() == 3 ? d.has({batch, m, n}) : d.has({m, n});
  std::optional<Tensor> c, bias;
  if (given.beta != 0) {
    c.emplace(gemm_name, "c", given.c, std::initializer_list<int>{d.rank()});
    d.rank() == 3 ? c->has({batch, m, n}) : c->has({m, n});
  }
  if (given.bias != nullptr) {
    bias.emplace(gemm_name, "bias", given.bias, std::initializer_list<int>{1});
    bias->has({n}).holds({d.element()}).without_gaps();
  }
  refuse_zero_alpha(gemm_name, given.alpha);
  if (given.activation < AISP_NONE || given.activation > AISP_SILU)
    refuse(Exit::usage, gemm_name, ": there is no activation ", given.activation,
           "; 0 is none, 1 relu, 2 gelu, 3 silu");
  admit_device(gemm_name,
               device_of(gemm_name, {&a, &b, &d, c ? &*c : nullptr, bias ? &*bias : nullptr}));
  if (d.count() == 0) return {{"nothing", {}}, {}};
  const Tensor* const vector = bias ? &*bias : nullptr;
  const bool in_place = c && is_same(*c, d);  // each element of c is read before it is written
  admit_result(gemm_name, d, {&a, &b, vector, c && !in_place ? &*c : nullptr});
  GemmProblem problem{.m = m, .n = n, .k = k, .batch = batch};
  problem.a = operand(a.matrix(), a, given.allow_tf32 != 0);
  problem.b = operand(b.matrix(true), b, given.allow_tf32 != 0);
  problem.d = d.matrix();
  problem.alpha = given.alpha, problem.beta = given.beta;
  if (c) problem.c = c->matrix();
  if (bias) problem.bias.data = bias->data();
  problem.activation = static_cast<tile::Activation>(given.activation);
  return tile::device::plan_gemm(problem, allocate);
}

void gemm(const aisp_gemm_arguments& given, cudaStream_t stream) {
  static auto* const plans = new PlanCache<Plan>(WorkspaceSharing::by_shape);
  CallKey key;
  key.tensors({given.a, given.b, given.beta != 0 ? given.c : nullptr, given.bias, given.d})
      .numbers(given.alpha, given.beta, given.activation, given.allow_tf32);
  run_planned(gemm_name, *plans, key, given.d, stream,
              [&](const Allocate& allocate) { return planned(given, allocate); });
}

static_assert(static_cast<int>(tile::Activation::relu) == AISP_RELU &&
              static_cast<int>(tile::Activation::gelu) == AISP_GELU &&
              static_cast<int>(tile::Activation::silu) == AISP_SILU);

}  // namespace
}  // namespace aisp::binding

aisp_status aisp_gemm(const aisp_gemm_arguments* arguments, aisp_stream stream) {
  using namespace aisp::binding;
  return call([&] { gemm(taken(gemm_name, arguments), static_cast<cudaStream_t>(stream)); });
}
