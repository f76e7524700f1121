#include "jit/variant.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/ir/print.hpp"
#include "jit/pass/arrange.hpp"
#include "jit/pass/simplify.hpp"

namespace aisp::jit {

static void refuse_unknown_choices(const Variant& variant, const Signature& signature) {
  std::vector<std::string> known;
  for (const Choice& choice : variant.choices) known.push_back(choice.name);
  for (const Decision& decision : variant.plan.decisions) known.push_back(decision.name);
  for (const auto& [name, value] : signature.choices)
    if (std::find(known.begin(), known.end(), name) == known.end())
      base::refuse(base::Exit::usage, program_prefix(variant.function), "no choice is called ",
                   name, "; there is ", base::join(known, ", "));
}

Variant make_variant(Traced traced, const Signature& signature) {
  Variant made;
  made.passes.push_back({"trace", print(traced.function)});
  made.function = arrange(simplify(traced.function));
  verify(made.function);
  made.passes.push_back({"simplify", print(made.function)});
  made.traced = std::move(traced.function);
  made.arrays = std::move(traced.arrays);
  made.whole_axes = std::move(traced.whole_axes);
  made.choices = std::move(traced.choices);
  made.plan = make_plan(made.function, signature);
  refuse_unknown_choices(made, signature);
  made.emitted = emit(made.function, signature, made.plan);
  return made;
}

}  // namespace aisp::jit
