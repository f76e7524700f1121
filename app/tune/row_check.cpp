#include "app/tune/row_check.hpp"

#include <cstring>

#include "base/refuse.hpp"
#include "lab/case/references.hpp"

namespace aisp::app {
namespace {

constexpr std::int64_t all_rows_up_to = std::int64_t{1} << 26;  // products of the whole
constexpr std::int64_t prime_step = 61;

std::vector<std::int64_t> rows_to_check(const lab::Size& size) {
  const std::int64_t m = size.dims.at(0);
  const std::int64_t step =
      size.dims.at(1) * size.dims.at(2) <= all_rows_up_to / m ? 1 : prime_step;
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < m; row += step) rows.push_back(row);
  if (rows.back() != m - 1) rows.push_back(m - 1);
  return rows;
}

// The rows of a matrix as a matrix of its own.
std::vector<std::byte> gathered(const std::vector<std::byte>& from,
                                const std::vector<std::int64_t>& rows, std::int64_t row_bytes) {
  std::vector<std::byte> to(rows.size() * static_cast<std::size_t>(row_bytes));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(to.data() + i * static_cast<std::size_t>(row_bytes),
                from.data() + rows[i] * row_bytes, static_cast<std::size_t>(row_bytes));
  return to;
}

}  // namespace

RowCheck::RowCheck(const lab::Problem& problem, const lab::Inputs& inputs)
    : output_(problem.outputs.at(0)), rows_(rows_to_check(problem.size)) {
  const auto count = static_cast<std::int64_t>(rows_.size());
  const std::int64_t n = problem.size.dims.at(1), k = problem.size.dims.at(2);
  lab::HostTensor a{inputs[0].what, {}};
  a.what.shape = {count, k};
  a.data = gathered(inputs[0].data, rows_, k * lab::bytes_of(a.what.dtype));
  expected_.resize(static_cast<std::size_t>(count * n));
  lab::gemm_reference(a, inputs[1], true, count, n, k, expected_);
}

lab::Judgement RowCheck::judge(lab::Device& device, const void* output) const {
  std::vector<std::byte> whole(static_cast<std::size_t>(output_.tensor.bytes()));
  device.download(whole.data(), output, whole.size());
  lab::Tensor checked = output_.tensor;
  const std::int64_t n = checked.shape.at(1);
  checked.shape = {static_cast<std::int64_t>(rows_.size()), n};
  const auto got = gathered(whole, rows_, n * lab::bytes_of(checked.dtype));
  lab::Judgement judgement = lab::judge(checked, got, expected_, output_.tolerance);
  const bool sampled = output_.tensor.shape.at(0) != checked.shape.at(0);
  if (sampled && !judgement.right)
    judgement.report += base::say("; row i of these is row ", prime_step, " i of the result");
  return judgement;
}

}  // namespace aisp::app
