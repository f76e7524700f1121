// Small tools for tests of the cases' references: a target by id, a tensor with given values, the
// reference's answer.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "lab/case/registry.hpp"

namespace aisp::reference_support {

inline const lab::Target& target_named(const std::string& id) {
  for (const auto& target : lab::all_targets())
    if (target.id() == id) return target;
  throw std::runtime_error("no target " + id);
}

inline lab::HostTensor tensor_of(const lab::Tensor& what, const std::vector<double>& values) {
  lab::HostTensor tensor{what, std::vector<std::byte>(static_cast<std::size_t>(what.bytes()))};
  for (std::int64_t i = 0; i < what.count(); ++i)
    lab::write_element(what.dtype, tensor.data.data(), i, values.at(static_cast<std::size_t>(i)));
  return tensor;
}

inline lab::Inputs random_inputs(const lab::Problem& problem, std::uint64_t seed) {
  lab::Inputs inputs;
  for (std::uint32_t stream = 0; const auto& what : problem.inputs)
    inputs.push_back(lab::random_tensor(what, seed, stream++));
  return inputs;
}

// The reference's only output.
inline std::vector<double> answer(const lab::Problem& problem, const lab::Inputs& inputs) {
  std::vector<std::vector<double>> expected(
      1, std::vector<double>(static_cast<std::size_t>(problem.outputs.at(0).tensor.count())));
  problem.reference(inputs, expected);
  return expected[0];
}

}  // namespace aisp::reference_support
