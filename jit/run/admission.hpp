// What the tensors of a call must be, beyond what a variant was compiled for: there, aligned, apart
// from each other, and long enough for what is read of arrays.
#pragma once

#include <atomic>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "jit/ir/function.hpp"
#include "jit/run/overlap.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

class Admission {
 public:
  // `traced`: the function before the passes. `in_place`: inputs that an output may be (see
  // jit/emit/in_place.hpp). The functions outlive it.
  Admission(const Function& function, const Function& traced, std::vector<BoundArray> arrays,
            std::set<std::pair<int, int>> in_place);

  // Refuses by one line; what was admitted once with the same extents is quick.
  void admit(std::span<const Tensor> tensors) const;

 private:
  void admit_one(std::size_t at, const Tensor& tensor) const;
  void admit_apart(std::span<const Tensor> tensors) const;
  void refuse_overlap(std::size_t output, const std::string& other, const char* why) const;
  void admit_pair(std::span<const Tensor> tensors, std::size_t output, std::size_t other) const;
  void admit_extents(std::span<const Tensor> tensors) const;
  std::string name(std::size_t at) const;  // "x (tensor 0)"
  bool is_output(std::size_t at) const {
    return function_.parameters[at].role == Parameter::Role::output;
  }

  const Function& function_;
  const Function& traced_;
  std::vector<BoundArray> arrays_;
  std::set<std::pair<int, int>> in_place_;
  std::vector<bool> stored_;  // outputs that are not only added to
  mutable std::array<std::atomic<std::uint64_t>, 8> admitted_{};  // extents, as a hash
};

}  // namespace aisp::jit
