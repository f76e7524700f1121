#include "jit/trace/trace.hpp"

#include <set>

#include "base/text.hpp"

namespace aisp::jit::detail {

void refuse_other_count(const Tracer& tracer, const std::vector<std::string>& kinds) {
  const std::size_t given = tracer.signature().tensors.size();
  if (given == kinds.size()) return;
  base::refuse(base::Exit::usage, program_prefix(tracer.function()), "called with ", given,
               given == 1 ? " tensor" : " tensors", ", the lambda takes ", kinds.size(), ": ",
               base::join(kinds, ", "));
}

void refuse_unstored(const Function& function) {
  std::set<std::int64_t> written;
  std::map<Id, std::int64_t> owners;
  for_each(function.body, [&](const Operation& one) {
    if (one.code == Opcode::view) owners[one.results[0]] = one.attributes.integers[0];
    if (one.code == Opcode::store || one.code == Opcode::reduce_store)
      written.insert(owners.at(one.operands[1]));
  });
  for (std::size_t at = 0; at < function.parameters.size(); ++at)
    if (function.parameters[at].role == Parameter::Role::output &&
        !written.contains(static_cast<std::int64_t>(at)))
      base::refuse(base::Exit::usage, program_prefix(function), function.parameters[at].name,
                   " (tensor ", at,
                   ") is an Output and nothing is stored to it; store to it in the lambda, or take "
                   "it out of its parameters");
}

}  // namespace aisp::jit::detail
