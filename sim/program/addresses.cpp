// Binding's addresses, special registers that change, and vectors.
#include "base/refuse.hpp"
#include "sim/program/binding.hpp"
#include "sim/program/function_context.hpp"
#include "sim/program/special.hpp"

namespace aisp::sim {

BoundAddress Binding::variable(std::string_view name, std::int64_t offset, bool wide) {
  const Symbol* symbol = function_.find(name);
  if (symbol == nullptr) refuse(base::say("'", name, "' is not declared"));
  BoundAddress at;
  at.wide = wide;
  at.offset = offset;
  if (symbol->kind == Symbol::Kind::function) {
    at.base = constant_ref(function_.function_address(*symbol), Type::u64);
    at.wide = true;
    return at;
  }
  if (symbol->kind != Symbol::Kind::variable)
    refuse(base::say("'", name, "' is not a register or variable"));
  at.space = symbol->space;
  switch (symbol->space) {
    case ptx::Space::shared:
      if (symbol->is_dynamic)
        function_.use_dynamic_shared(*symbol);
      else
        at.offset += function_.shared_offset(*symbol);
      at.base = special(static_cast<int>(symbol->is_dynamic ? Special::dynamic_shared_base
                                                            : Special::own_shared_base),
                        wide);
      break;
    case ptx::Space::global:
    case ptx::Space::constant:
      at.base = constant_ref(symbol->offset, Type::u64);
      at.wide = true;
      break;
    default:
      at.in_frame = symbol->in_frame;
      at.offset += static_cast<std::int64_t>(symbol->offset);
  }
  return at;
}

BoundAddress Binding::address(const ptx::Operand& operand) {
  mark(operand);
  if (operand.kind != ptx::Operand::Kind::address) refuse("an address in brackets is expected");
  const ptx::Address& written = operand.address;
  BoundAddress at;
  at.offset = written.offset;
  if (written.base.empty()) {
    at.base = constant_ref(0, Type::u64);
    at.wide = true;
    return at;
  }
  FoundRegister found;
  if (!function_.scopes().find_register(written.base, found))
    return variable(written.base, written.offset, false);
  const bool fit = is_bits(found.type) || is_integer(found.type);
  if (!fit || found.elements != 1 || bits_of(found.type) > 64)
    refuse(base::say(written.base, " of type .", name_of(found.type), " cannot hold an address"));
  at.base = function_.touch_read(found.number);
  at.wide = bits_of(found.type) == 64;
  return at;
}

bool Binding::is_variable(const ptx::Operand& operand) const {
  if (operand.kind != ptx::Operand::Kind::name || is_register(operand)) return false;
  const Symbol* symbol = function_.find(operand.name);
  return symbol != nullptr &&
         (symbol->kind == Symbol::Kind::variable || symbol->kind == Symbol::Kind::function);
}

BoundAddress Binding::address_of(const ptx::Operand& operand, Type type) {
  mark(operand);
  if (!is_variable(operand)) refuse("the name of a variable or function is expected");
  const bool wide = bits_of(type) == 64;
  if (is_float(type) || (!wide && bits_of(type) != 32))
    refuse(base::say("an address cannot be a .", name_of(type)));
  const BoundAddress at = variable(operand.name, operand.offset, wide);
  const bool needs_wide = at.base != no_ref ? at.wide : !at.in_frame;
  if (needs_wide && !wide)
    refuse(base::say("the address of '", operand.name, "' does not fit into .", name_of(type)));
  return at;
}

bool Binding::is_volatile_special(const ptx::Operand& operand) const {
  return operand.kind == ptx::Operand::Kind::name && !is_register(operand) &&
         find_special(operand.name).kind == SpecialName::Kind::changing;
}

std::string_view Binding::volatile_special(const ptx::Operand& operand) {
  mark(operand);
  if (!is_volatile_special(operand)) refuse("a special register that changes is expected");
  return operand.name;
}

const std::vector<ptx::Operand>& Binding::parts(const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::vector || operand.kind == ptx::Operand::Kind::pair)
    return operand.parts;
  mark(operand);
  std::size_t count = 1;
  FoundRegister found;
  if (operand.kind == ptx::Operand::Kind::name) {
    if (function_.scopes().find_register(operand.name, found))
      count = found.elements;
    else if (is_special_vector(operand.name))
      count = 4;
  }
  std::vector<ptx::Operand> made(count, operand);
  if (count > 1)
    for (std::size_t at = 0; at < count; ++at)
      made[at].name = function_.keep_name(std::string(operand.name) + '.' + "xyzw"[at]);
  return function_.keep_parts(std::move(made));
}

}  // namespace aisp::sim
