#include "jit/emit/emit.hpp"

#include <set>

#include "base/refuse.hpp"
#include "jit/emit/schedules.hpp"

namespace aisp::jit {

std::string kernel_name(const Function& function, const Signature& signature, const Plan& plan) {
  std::string name = function.name;
  if (plan.schedule == Schedule::rows) name += base::say("_w", plan.shape.back());
  std::string before;
  for (const TensorFacts& facts : signature.tensors) {
    const std::string element(name_of(facts.element));
    if (element != before) name += "_" + element;
    before = element;
  }
  for (const auto& [choice, value] : signature.choices) name += base::say("_", choice, value);
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

Emitted emit(const Function& function, const Signature& signature, const Plan& plan) {
  const std::string name = kernel_name(function, signature, plan);
  return plan.schedule == Schedule::rows ? emitting::emit_rows(function, signature, plan, name)
                                         : emitting::emit_plain(function, plan, name);
}

}  // namespace aisp::jit
