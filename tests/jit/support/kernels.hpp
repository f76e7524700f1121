// Emitted kernels compiled by nvcc to PTX, launched through the CUDA runtime and compared, element
// by element, with the range of what a right kernel computes.
#pragma once

#include <string>
#include <vector>

#include "jit/program.hpp"
#include "tests/jit/support/memory.hpp"

namespace aisp::jit::testing {

struct Trial {
  std::string what;
  Variant variant;
  Signature signature;
  std::vector<HostTensor> tensors;  // arrays too; outputs as they are before
  std::vector<Lying> lying;         // one per tensor
};

// Facts of tensors that lie so; the element types and extents are given.
TensorFacts facts(Element element, std::vector<std::int64_t> extents, Lying lying = {});

// One trial with random inputs.
Trial trial(const Program& program, const Signature& signature, std::vector<Lying> lying, int seed,
            std::vector<HostTensor> arrays = {});

// Compiles all kernels as one module and runs each; what is wrong, one line each.
std::vector<std::string> run_all(std::vector<Trial> trials);

}  // namespace aisp::jit::testing
