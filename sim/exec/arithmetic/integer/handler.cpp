#include "sim/exec/arithmetic/integer/handler.hpp"

namespace aisp::sim {

Type last_type(const Binding& binding) {
  const auto& modifiers = binding.instruction().modifiers;
  for (auto at = modifiers.rbegin(); at != modifiers.rend(); ++at) {
    if (const auto type = parse_type(*at)) return *type;
  }
  return Type::none;
}

void bind_operands(Binding& b, Type result, std::initializer_list<Type> sources) {
  const int count = 1 + static_cast<int>(sources.size());
  b.expect_operands(count, count);
  b.op.dst = b.write(0, result);
  Ref* const refs[] = {&b.op.a, &b.op.b, &b.op.c, &b.op.d};
  int index = 0;
  for (const Type type : sources) {
    *refs[index] = b.read(index + 1, type);
    ++index;
  }
}

}  // namespace aisp::sim
