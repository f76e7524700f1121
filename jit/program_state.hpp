// What the copies of a program share: its lambda, its variants, and which of them a call takes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "jit/program_options.hpp"
#include "jit/run/ready.hpp"
#include "jit/variant.hpp"

namespace aisp::jit {

// A variant with all that was made for it.
struct Built {
  Variant variant;
  std::string architecture;
  Compiled compiled;
  std::unique_ptr<Ready> ready;
};

// What a call looks through: never changed, replaced when a variant is added.
using Table = std::vector<const Built*>;

struct ProgramState {
  std::string name;
  std::function<Traced(const Signature&)> trace;
  ProgramOptions options;
  std::atomic<int> limit;

  std::mutex guard;  // of all below but the atomic ones
  std::vector<Choices> choices{{}};
  std::vector<std::unique_ptr<const Built>> built;
  std::vector<std::unique_ptr<const Table>> tables;  // a call may still look at an old one
  std::atomic<const Table*> table = nullptr;
  mutable std::atomic<const Built*> recent = nullptr;

  CallFacts facts(std::span<const Tensor> tensors, std::uint32_t choice) const {
    CallFacts made = call_facts(tensors);
    made.choices = choice;
    made.architecture = options.architecture.empty() ? device_capability() : 0;
    return made;
  }
  const Table& variants() const;
  const Built* ready(const CallFacts& facts) const;  // null where a compile is due
  // Launches the variant of the call before, where that takes this one too: most calls are alike,
  // and many the same.
  bool launched_as_before(cudaStream_t stream, std::span<const Tensor> tensors,
                          std::uint32_t choice) const {
    const Built* last = recent.load(std::memory_order_acquire);
    if (last == nullptr) return false;
    const std::uint32_t capability = options.architecture.empty() ? device_capability() : 0;
    if (last->ready->repeat(stream, tensors, capability, choice)) return true;
    if (!last->ready->guard().takes(tensors, capability, choice)) return false;
    last->ready->launch(stream, tensors);
    return true;
  }
  void say(const std::string& line) const;
  std::string architecture() const;
  Compiled compile(const Variant& variant, const std::string& target) const;
  Signature signature(std::span<const Tensor> tensors, std::uint32_t choice);
  Variant variant_for(const Signature& called) const;
  // Compiles where that is due and no other thread did.
  const Built& build(std::span<const Tensor> tensors, const CallFacts& facts);
  std::string what_changed(std::span<const Tensor> tensors, const CallFacts& facts) const;
  [[noreturn]] void refuse_more(const std::string& changed, const CallFacts& facts) const;
  int count_of(std::uint32_t choice) const;
  // All but the lock and the table.
  std::unique_ptr<Built> make(Variant variant, Compiled compiled, const CallFacts& facts) const;
  // In place of a variant for the same facts, where there is one; under the lock.
  const Built& add(std::unique_ptr<const Built> made, const CallFacts& facts);
};

std::vector<std::string> names_of(const Variant& variant);
Guard guard_of(const Variant& variant, const CallFacts& facts);

}  // namespace aisp::jit
