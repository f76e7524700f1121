// A tile program: a name and a lambda. Traced, planned, written as CUDA C++ and compiled for the
// tensors of a call; the interpreter computes the same in float64.
//
//   const jit::Program softmax("softmax", [](Input<2> x, Output<2> y) { … });
//   softmax(stream, jit::Tensor(x, {rows, columns}), jit::Tensor(y, {rows, columns}));
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <source_location>
#include <span>

#include "jit/ir/print.hpp"
#include "jit/program_options.hpp"
#include "jit/run/tensor.hpp"
#include "jit/trace/source_text.hpp"
#include "jit/tune.hpp"
#include "jit/variant.hpp"

namespace aisp::jit {

struct ProgramState;

// Copies share what is compiled. May be called from several threads.
class Program {
 public:
  template <class Lambda>
  Program(std::string name, Lambda lambda, ProgramOptions options = {},
          std::source_location at = std::source_location::current())
      : Program(
            name,
            [name, lambda = std::move(lambda), at](const Signature& signature) {
              return trace(name, lambda, signature, place_of(at));
            },
            std::move(options), 0) {}

  const std::string& name() const;

  // Compiles for these types and widths where that was not done yet, and launches. Refuses tensors
  // that do not fit, and a stream under capture while a compile is due.
  template <std::convertible_to<Tensor>... Tensors>
  void operator()(cudaStream_t stream, const Tensors&... tensors) const {
    const std::array<Tensor, sizeof...(Tensors)> all{Tensor(tensors)...};
    launch(stream, all);
  }
  void launch(cudaStream_t stream, std::span<const Tensor> tensors) const;

  // Compiles and loads, so that no call has to.
  template <std::convertible_to<Tensor>... Tensors>
  void prepare(const Tensors&... tensors) const {
    const std::array<Tensor, sizeof...(Tensors)> all{Tensor(tensors)...};
    prepare_for(all);
  }
  void prepare_for(std::span<const Tensor> tensors) const;

  // The same program with these choices; the others stay the rule's.
  Program with(Choices choices) const;
  // So many variants for one set of choices; more are refused.
  const Program& limit(int most) const;
  int variants() const;  // so many are compiled

  // Times other choices, those of the lambda and of its schedule, and takes what is faster beyond
  // doubt for calls like this one from now on. Kept in a file for this device and driver: what was
  // tried is not tried again. Outputs are written many times.
  template <std::convertible_to<Tensor>... Tensors>
  TuneResult tune(Timer& timer, const TuneOptions& options, const Tensors&... tensors) const {
    const std::array<Tensor, sizeof...(Tensors)> all{Tensor(tensors)...};
    return tune_for(timer, options, all);
  }
  TuneResult tune_for(Timer& timer, const TuneOptions& options,
                      std::span<const Tensor> tensors) const;

  // Everything about the variant of a call with these tensors; compiles it where that is due, and
  // launches nothing.
  template <std::convertible_to<Tensor>... Tensors>
  Inspection inspect(const Tensors&... tensors) const {
    const std::array<Tensor, sizeof...(Tensors)> all{Tensor(tensors)...};
    return inspect_for(all);
  }
  Inspection inspect_for(std::span<const Tensor> tensors) const;
  // The same for tensors that are described and not there; needs no device where `architecture` is
  // given.
  Inspection inspect(const Signature& signature, const std::string& architecture = {}) const;

  Signature signature(std::span<const Tensor> tensors) const;
  Variant variant(const Signature& signature) const;
  std::string ir(const Signature& signature) const { return print(traced(signature).function); }
  std::string text(const Signature& signature) const {
    return module_text(variant(signature).emitted);
  }
  // The reference: tensors first, then arrays, in the order in which the lambda reads them.
  void reference(const Signature& signature, std::vector<HostTensor>& tensors) const {
    interpret(traced(signature).function, tensors);
  }

 private:
  using Tracing = std::function<Traced(const Signature&)>;
  Program(std::string name, Tracing trace, ProgramOptions options, int choices);
  Traced traced(const Signature& signature) const;
  Signature with_choices(Signature signature) const;

  std::shared_ptr<ProgramState> state_;
  std::uint32_t choices_ = 0;  // number of the set in `state_`
};

}  // namespace aisp::jit
