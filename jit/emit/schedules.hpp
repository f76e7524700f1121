// One emitter per schedule.
#pragma once

#include "jit/emit/emitted.hpp"
#include "jit/pass/plan.hpp"

namespace aisp::jit::emitting {

Emitted emit_rows(const Function& function, const Signature& signature, const Plan& plan,
                  const std::string& name);
Emitted emit_plain(const Function& function, const Plan& plan, const std::string& name);

}  // namespace aisp::jit::emitting
