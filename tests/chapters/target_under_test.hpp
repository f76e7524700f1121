// A target by its id, inputs for one of its problems, and what its reference says.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "lab/case/registry.hpp"

namespace aisp::tests {

inline const lab::Target& target(const std::string& id) {
  for (const auto& target : lab::all_targets())
    if (target.id() == id) return target;
  throw std::out_of_range("no target " + id);
}

inline lab::Inputs random_inputs(const lab::Problem& problem, std::uint64_t seed) {
  lab::Inputs inputs;
  for (std::uint32_t i = 0; i < problem.inputs.size(); ++i)
    inputs.push_back(lab::random_tensor(problem.inputs[i], seed, i));
  return inputs;
}

inline std::vector<std::vector<double>> expected_of(const lab::Problem& problem,
                                                    const lab::Inputs& inputs) {
  std::vector<std::vector<double>> expected;
  for (const auto& output : problem.outputs)
    expected.emplace_back(static_cast<std::size_t>(output.tensor.count()), -1e300);
  problem.reference(inputs, expected);
  return expected;
}

}  // namespace aisp::tests
