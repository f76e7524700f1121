#include "jit/attention/dependence.hpp"

namespace aisp::jit {

static unsigned of_given(Given given) {
  switch (given) {
    case Given::score:
      return depends::score;
    case Given::sequence:
      return depends::sequence;
    case Given::head:
      return depends::head;
    case Given::query:
      return depends::query | depends::lengths;
    case Given::query_row:
      return depends::query | depends::sequence;
    case Given::key:
      return depends::key;
    case Given::key_row:
      return depends::key | depends::sequence;
    case Given::queries:
    case Given::keys:
      return depends::lengths;
    default:
      return 0;
  }
}

std::vector<unsigned> dependences(const Function& function) {
  std::vector<unsigned> of(function.values.size(), 0);
  for (int at = 0; at < given_count; ++at)
    of[static_cast<std::size_t>(function.body.arguments[static_cast<std::size_t>(at)])] =
        of_given(static_cast<Given>(at));
  for (const Operation& one : function.body.body) {
    unsigned all = one.code == Opcode::gather ? depends::memory : 0;
    for (const Id id : one.operands) all |= of[static_cast<std::size_t>(id)];
    for (const Id id : one.results) of[static_cast<std::size_t>(id)] = all;
  }
  return of;
}

}  // namespace aisp::jit
