// What tests of whole programs share: a store of their own, tensors of fresh random numbers, and
// the comparison with what is right.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "jit/cache/upkeep.hpp"
#include "jit/program.hpp"
#include "tests/jit/support/bounds.hpp"
#include "tests/jit/support/memory.hpp"
#include "tests/support/files.hpp"

namespace aisp::jit::testing {

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() : store({.folder = files.path() / "kernels"}) {
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  }
  ~ProgramTest() override {
    cudaStreamDestroy(stream);
    cudaGetLastError();
  }
  template <class Lambda>
  Program program(const std::string& name, const Lambda& lambda,
                  std::source_location at = std::source_location::current()) {
    return Program(name, lambda,
                   {.store = &store,
                    .say = [this](const std::string& line) { said.push_back(line); },
                    .tuned = tuned_file()},
                   at);
  }
  std::filesystem::path tuned_file() const { return files.path() / "tuned" / "programs.txt"; }
  int kept_files() const { return static_cast<int>(kept_entries(files.path() / "kernels").size()); }

  // A tensor of fresh random numbers, and one that holds NaN (or the least integer) all over.
  Memory input(Element element, std::vector<std::int64_t> extents, Lying lying = {}) {
    host.push_back(random_tensor(element, std::move(extents), random()));
    return Memory(element, host.back(), lying);
  }
  Memory output(Element element, const std::vector<std::int64_t>& extents, Lying lying = {}) {
    HostTensor poisoned{extents, {}};
    std::int64_t size = 1;
    for (const std::int64_t extent : extents) size *= extent;
    poisoned.values.assign(static_cast<std::size_t>(size), is_integer(element) ? -128 : NAN);
    host.push_back(poisoned);
    return Memory(element, poisoned, lying);
  }

  // Calls it and compares the last tensor with what a right kernel leaves there.
  void expect_right(const Program& program, const std::vector<const Memory*>& memories,
                    const std::vector<HostTensor>& arrays = {}) {
    std::vector<Tensor> tensors;
    for (const Memory* one : memories) tensors.push_back(one->tensor());
    program.launch(stream, tensors);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::vector<HostTensor> given(host.end() - static_cast<std::ptrdiff_t>(memories.size()),
                                  host.end());
    given.insert(given.end(), arrays.begin(), arrays.end());
    Signature signature = program.signature(tensors);  // and what was tuned
    for (const Decision& one : program.inspect_for(tensors).decisions)
      signature.choices[one.name] = one.value;
    const std::vector<RangeTensor> right = bounds(program.variant(signature), given);
    EXPECT_EQ(first_outside(memories.back()->values(), right[memories.size() - 1]), "")
        << program.name();
    program.reference(signature, given);
    EXPECT_EQ(first_outside(given[memories.size() - 1].values, right[memories.size() - 1]), "")
        << "the reference of " << program.name();
    EXPECT_EQ(memories.back()->written_outside(), "");
  }

  std::random_device random;
  lab::TemporaryFolder files;
  Store store;
  cudaStream_t stream{};
  std::vector<HostTensor> host;
  std::vector<std::string> said;
};

}  // namespace aisp::jit::testing
