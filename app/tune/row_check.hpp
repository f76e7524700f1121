// Checks a product by rows: the float64 reference of a whole large product takes minutes, that of
// one row in 61 a second, and every tile of 64 rows has one of them, each at another height.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/device/device.hpp"
#include "lab/judge/judge.hpp"

namespace aisp::app {

class RowCheck {
 public:
  // `inputs` are those of lab::gemm_problem with B as (n, k).
  RowCheck(const lab::Problem& problem, const lab::Inputs& inputs);

  // Compares the checked rows of the output, in device memory.
  lab::Judgement judge(lab::Device& device, const void* output) const;

  const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  const lab::Output& output_;
  std::vector<std::int64_t> rows_;
  std::vector<double> expected_;  // (rows, n)
};

}  // namespace aisp::app
