// A problem with its inputs and its reference, and the judgement of values somebody else computed.
#pragma once

#include <vector>

#include "lab/judge/judge.hpp"

namespace aisp::lab {

struct JudgedProblem {
  Problem problem;
  Inputs inputs{};
  std::vector<std::vector<double>> expected{};

  explicit JudgedProblem(Problem made, std::uint64_t seed = 3) : problem(std::move(made)) {
    for (std::uint32_t i = 0; i < problem.inputs.size(); ++i)
      inputs.push_back(random_tensor(problem.inputs[i], seed, i));
    for (const auto& output : problem.outputs)
      expected.emplace_back(static_cast<std::size_t>(output.tensor.count()), -1e300);
    problem.reference(inputs, expected);
  }

  // `values` are rounded to the output's type first, as a kernel would.
  Judgement judgement(std::size_t output, const std::vector<double>& values) const {
    return judgement(output, values, problem.outputs.at(output).tolerance);
  }
  Judgement judgement(std::size_t output, const std::vector<double>& values,
                      const Tolerance& tolerance) const {
    const Tensor& tensor = problem.outputs.at(output).tensor;
    std::vector<std::byte> got(static_cast<std::size_t>(tensor.bytes()));
    for (std::size_t i = 0; i < values.size(); ++i)
      write_element(tensor.dtype, got.data(), static_cast<std::int64_t>(i), values[i]);
    return judge(tensor, got, expected.at(output), tolerance);
  }
};

}  // namespace aisp::lab
