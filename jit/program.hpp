// A tile program: a name and a lambda. Traced, planned and written as CUDA C++ for the tensors of a
// call; the interpreter computes the same in float64.
#pragma once

#include <functional>

#include "jit/emit/emit.hpp"
#include "jit/ir/interpret.hpp"
#include "jit/ir/print.hpp"
#include "jit/pass/simplify.hpp"
#include "jit/trace/trace.hpp"

namespace aisp::jit {

// Everything that a launch needs to know of one compiled variant.
struct Variant {
  Function function;  // simplified
  Plan plan;
  Emitted emitted;
  std::vector<const void*> arrays;  // device memory behind the array parameters

  // Blocks to launch for tensors of these extents, arrays included.
  std::int64_t blocks(const std::vector<std::vector<std::int64_t>>& extents) const {
    std::int64_t count = 1;
    for (const std::int64_t along : grid(function, extents)) count *= along;
    return count;
  }
};

class Program {
 public:
  template <class Lambda>
  Program(std::string name, Lambda lambda)
      : name_(std::move(name)),
        trace_([name = name_, lambda = std::move(lambda)](const Signature& signature) {
          return trace(name, lambda, signature);
        }) {}

  const std::string& name() const { return name_; }

  Variant variant(const Signature& signature) const {
    Traced traced = trace_(signature);
    Function function = simplify(traced.function);
    verify(function);
    Plan plan = make_plan(function, signature);
    Emitted emitted = emit(function, signature, plan);
    return {std::move(function), std::move(plan), std::move(emitted), std::move(traced.arrays)};
  }
  std::string ir(const Signature& signature) const { return print(trace_(signature).function); }
  std::string text(const Signature& signature) const {
    return module_text(variant(signature).emitted);
  }
  // The reference: tensors first, then arrays, in the order in which the lambda reads them.
  void reference(const Signature& signature, std::vector<HostTensor>& tensors) const {
    interpret(trace_(signature).function, tensors);
  }

 private:
  std::string name_;
  std::function<Traced(const Signature&)> trace_;
};

}  // namespace aisp::jit
