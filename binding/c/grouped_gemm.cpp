#include <span>
#include <vector>

#include "binding/c/call.hpp"
#include "binding/c/plans.hpp"
#include "binding/c/tensor.hpp"
#include "tile/device/gemm/grouped.hpp"

namespace aisp::binding {
namespace {

using base::Exit;
using base::refuse;
using tile::Element;
using tile::device::Allocate;
using tile::device::GemmProblem;
using tile::device::Plan;

constexpr const char* grouped_gemm_name = "grouped_gemm";

// Rows of one matrix that begin so many rows after its first.
tile::device::Matrix from_row(tile::device::Matrix matrix, std::int64_t row) {
  matrix.data =
      static_cast<const char*>(matrix.data) + row * matrix.stride * bytes_of(matrix.element);
  return matrix;
}

void admit_rows(const aisp_grouped_gemm_arguments& given, const Tensor& a, const Tensor& b) {
  if (given.groups != b.extent(0))
    refuse(Exit::usage, grouped_gemm_name, ": ", given.groups, " numbers of rows for the ",
           b.extent(0), " matrices of ", b.text());
  if (given.rows == nullptr && given.groups > 0)
    refuse(Exit::usage, grouped_gemm_name, ": the numbers of rows of ", given.groups,
           " groups are a null pointer");
  std::int64_t left = a.extent(0);  // a sum may be larger than an int64_t
  for (const std::int64_t one : std::span(given.rows, static_cast<std::size_t>(given.groups))) {
    if (one < 0) refuse(Exit::usage, grouped_gemm_name, ": a group has ", one, " rows");
    if (one > left)
      refuse(Exit::usage, grouped_gemm_name, ": the groups have more than the ", a.extent(0),
             " rows of ", a.text());
    left -= one;
  }
  if (left != 0)
    refuse(Exit::usage, grouped_gemm_name, ": the groups have ", a.extent(0) - left, " rows, ",
           a.text(), " has ", a.extent(0));
}

// Looks at the arguments and plans.
Plan planned(const aisp_grouped_gemm_arguments& given, const Allocate& allocate) {
  const Tensor a(grouped_gemm_name, "a", given.a, {2}), b(grouped_gemm_name, "b", given.b, {3}),
      d(grouped_gemm_name, "d", given.d, {2});
  const std::int64_t k = a.extent(1), n = b.extent(2);
  a.holds({Element::bf16, Element::f16, Element::e4m3});
  b.has({b.extent(0), k, n}).holds({a.element()});
  d.has({a.extent(0), n}).holds({a.element() == Element::e4m3 ? Element::bf16 : a.element()});
  admit_rows(given, a, b);
  refuse_zero_alpha(grouped_gemm_name, given.alpha);
  admit_device(grouped_gemm_name, device_of(grouped_gemm_name, {&a, &b, &d}));
  if (d.count() == 0) return {{"nothing", {}}, {}};
  admit_result(grouped_gemm_name, d, {&a, &b});
  const auto whole_a = a.matrix(), whole_b = b.matrix(true), whole_d = d.matrix();
  for (const auto& [tensor, matrix] : {std::pair{&a, &whole_a}, std::pair{&d, &whole_d}})
    if (matrix->major != tile::Major::k)
      refuse(Exit::usage, grouped_gemm_name, ": rows of ", tensor->text(), " must be contiguous");
  if (whole_b.major != tile::Major::k)
    refuse(Exit::usage, grouped_gemm_name, ": ", b.text(),
           " must be contiguous along k, its second index; give (groups, n, k) transposed");
  std::vector<GemmProblem> problems;
  std::int64_t row = 0;
  for (std::int64_t group = 0; group < given.groups; ++group) {
    GemmProblem one{.m = given.rows[group], .n = n, .k = k, .alpha = given.alpha};
    one.a = from_row(whole_a, row);
    one.d = from_row(whole_d, row);
    one.b = whole_b;
    one.b.data = static_cast<const char*>(whole_b.data) +
                 group * whole_b.batch_stride * bytes_of(whole_b.element);
    one.b.batch_stride = 0;
    row += one.m;
    problems.push_back(one);
  }
  return tile::device::plan_gemm_grouped(problems, allocate);
}

void grouped_gemm(const aisp_grouped_gemm_arguments& given, cudaStream_t stream) {
  // The workspace holds tables of addresses.
  static auto* const plans =
      new tile::device::PlanCache<Plan>(tile::device::WorkspaceSharing::none);
  CallKey key;
  key.tensors({given.a, given.b, given.d}).numbers(given.groups, given.alpha);
  // Else there may be fewer numbers than `groups` says.
  key.is_whole_if(key.whole() && given.b != nullptr && given.b->ndim == 3 &&
                  given.groups == given.b->shape[0] && given.groups >= 0);
  if (key.whole()) key.list(given.rows, given.groups);
  run_planned(grouped_gemm_name, *plans, key, given.d, stream,
              [&](const Allocate& allocate) { return planned(given, allocate); });
}

}  // namespace
}  // namespace aisp::binding

aisp_status aisp_grouped_gemm(const aisp_grouped_gemm_arguments* arguments, aisp_stream stream) {
  using namespace aisp::binding;
  return call([&] {
    grouped_gemm(taken(grouped_gemm_name, arguments), static_cast<cudaStream_t>(stream));
  });
}
