// Binding's operands: names to registers, literals to constants, checked as ptxas checks them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/refuse.hpp"
#include "sim/program/binding.hpp"
#include "sim/program/function_context.hpp"
#include "sim/program/slots.hpp"
#include "sim/program/special.hpp"

namespace aisp::sim {
namespace {

// Instructions whose whole result, or the named half of d|p, may be `_`.
bool may_discard(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 4> roots{"atom", "elect", "match", "setp"};
  for (const std::string_view root : roots)
    if (instruction.root == root) return true;
  return instruction.root == "mbarrier" && !instruction.modifiers.empty() &&
         instruction.modifiers[0].starts_with("arrive");
}

bool reads_specials(const ptx::Instruction& instruction) {
  return instruction.root == "mov" || instruction.root == "cvt";
}

// What early architectures kept in 16 bits can still be read as such.
bool was_narrow(std::string_view special) {
  constexpr std::array<std::string_view, 5> stems{"%tid", "%ntid", "%ctaid", "%nctaid", "%gridid"};
  return std::find(stems.begin(), stems.end(), special.substr(0, special.find('.'))) != stems.end();
}

bool of_clusters(std::string_view special) {
  return special.starts_with("%cluster") || special.starts_with("%ncluster");
}

std::uint64_t low_bits(std::uint64_t bits, int count) {
  return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}

}  // namespace

void Binding::check_width(std::string_view name, Type declared, Type type, bool relaxed) const {
  if (!fits(declared, type, relaxed))
    refuse(base::say(name, " is declared .", name_of(declared), ", the instruction wants .",
                     name_of(type)));
}

Ref Binding::constant_ref(std::uint64_t bits, Type type) {
  if (type == Type::pred) return constant_mask(bits != 0 ? all_lanes : 0);
  return function_.module().constants.lanes_of(low_bits(bits, bits_of(type)),
                                               lane_bytes(slot_class(type)));
}

// Floating-point literals stand for values where the type is f32 or f64 and for their bits where it
// is a bN of their size; integers never stand for floating-point values.
Ref Binding::literal(const ptx::Operand& operand, Type type) {
  using Kind = ptx::Expression::Kind;
  const ptx::Expression& value = operand.value;
  if (value.kind == Kind::symbol) refuse("an address cannot stand here");
  if (value.kind == Kind::integer) {
    if (!is_integer(type) && !is_bits(type) && type != Type::pred)
      refuse(base::say("an integer constant cannot be a .", name_of(type),
                       ": write 0f3F800000 or 1.0"));
    return constant_ref(value.bits, type);
  }
  const auto single = static_cast<std::uint32_t>(value.bits);
  if (type == Type::f32)
    return constant_ref(
        value.kind == Kind::f32
            ? single
            : std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits))),
        type);
  if (type == Type::f64)
    return constant_ref(
        value.kind == Kind::f64
            ? value.bits
            : std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(single))),
        type);
  if (type != (value.kind == Kind::f32 ? Type::b32 : Type::b64))
    refuse(base::say("a floating-point constant cannot be a .", name_of(type)));
  return constant_ref(value.bits, type);
}

Ref Binding::read_name(const ptx::Operand& operand, Type type, bool relaxed, bool& wide) {
  if (operand.negated) refuse(base::say("only predicates are negated, not ", operand.name));
  if (operand.offset != 0) refuse(base::say(operand.name, " plus an offset cannot stand here"));
  FoundRegister found;
  if (function_.scopes().find_register(operand.name, found)) {
    if (found.elements != 1) refuse(base::say(operand.name, " is a vector"));
    check_width(operand.name, found.type, type, relaxed);
    wide = bits_of(found.type) == 64;
    return function_.touch_read(found.number);
  }
  const SpecialName name = find_special(operand.name);
  if (name.kind == SpecialName::Kind::none || name.kind == SpecialName::Kind::predicate)
    refuse(function_.find(operand.name) != nullptr
               ? base::say("'", operand.name, "' is not a register")
               : base::say("'", operand.name, "' is not declared"));
  if (!reads_specials(instruction_))
    refuse(base::say(operand.name, ": special registers are read by mov and cvt only"));
  if (of_clusters(operand.name)) require(sm_90, operand.name);
  if (name.kind == SpecialName::Kind::changing)
    refuse(base::say(operand.name, " is not modelled here"));
  const int bits = bits_of(type);
  const bool to_float = instruction_.root == "cvt" && is_float(register_type(this->operand(0)));
  if (bits > special_bits(name) || (bits < 32 && !was_narrow(operand.name)) || is_float(type) ||
      to_float)
    refuse(base::say(operand.name, " cannot be read as .", name_of(type)));
  wide = bits == 64;
  if (name.kind == SpecialName::Kind::zero) return constant_ref(0, type);
  return function_.touch_read(function_.special(name.what, wide));
}

bool Binding::discards(const ptx::Operand& operand) const {
  if (operand.kind != ptx::Operand::Kind::sink) return false;
  for (const ptx::Operand& whole : instruction_.operands) {
    const bool is_whole = &whole == &operand;
    const bool is_first_half =
        whole.kind == ptx::Operand::Kind::pair && &whole.parts[0] == &operand;
    if ((is_whole || is_first_half) && !may_discard(instruction_))
      refuse("the result of this instruction cannot be discarded with '_'");
  }
  return true;
}

Ref Binding::write_name(const ptx::Operand& operand, Type type, bool relaxed, bool& wide) {
  mark(operand);
  wide = bits_of(type) == 64;
  if (discards(operand)) return no_ref;
  if (operand.kind != ptx::Operand::Kind::name || operand.negated || operand.offset != 0)
    refuse("the destination is not a register");
  FoundRegister found;
  if (!function_.scopes().find_register(operand.name, found))
    refuse(function_.find(operand.name) != nullptr ||
                   find_special(operand.name).kind != SpecialName::Kind::none
               ? base::say("'", operand.name, "' is not a register that can be written")
               : base::say("'", operand.name, "' is not declared"));
  if (found.elements != 1) refuse(base::say(operand.name, " is a vector"));
  check_width(operand.name, found.type, type, relaxed);
  wide = bits_of(found.type) == 64;
  return function_.touch_write(found.number);
}

Ref Binding::read_relaxed(const ptx::Operand& operand, Type type, bool& wide) {
  mark(operand);
  wide = bits_of(type) == 64;
  if (operand.kind == ptx::Operand::Kind::value) return literal(operand, type);
  if (operand.kind != ptx::Operand::Kind::name) refuse("a register or constant is expected");
  return read_name(operand, type, true, wide);
}

Ref Binding::read(const ptx::Operand& operand, Type type) {
  mark(operand);
  bool wide = false;
  if (operand.kind == ptx::Operand::Kind::value) return literal(operand, type);
  if (operand.kind != ptx::Operand::Kind::name) refuse("a register or constant is expected");
  return read_name(operand, type, false, wide);
}

Ref Binding::write(const ptx::Operand& operand, Type type) {
  bool wide = false;
  return write_name(operand, type, false, wide);
}
Ref Binding::write_relaxed(const ptx::Operand& operand, Type type, bool& wide) {
  return write_name(operand, type, true, wide);
}
Ref Binding::read(int index, Type type) { return read(operand(index), type); }
Ref Binding::write(int index, Type type) { return write(operand(index), type); }

Ref Binding::read_write(const ptx::Operand& operand, Type type) {
  bool wide = false;
  if (operand.kind != ptx::Operand::Kind::name) refuse("an accumulator is a register");
  read_name(operand, type, false, wide);
  return write_name(operand, type, false, wide);
}

Ref Binding::read_predicate(const ptx::Operand& operand, bool& negated) {
  mark(operand);
  negated = operand.negated;
  if (operand.kind == ptx::Operand::Kind::value) return literal(operand, Type::pred);
  if (operand.kind != ptx::Operand::Kind::name) refuse("a predicate is expected");
  FoundRegister found;
  if (function_.scopes().find_register(operand.name, found)) {
    check_width(operand.name, found.type, Type::pred, false);
    return function_.touch_read(found.number);
  }
  const SpecialName name = find_special(operand.name);
  if (name.kind != SpecialName::Kind::predicate || !reads_specials(instruction_) || !meets(sm_90))
    refuse(base::say("'", operand.name, "' is not a predicate"));
  return function_.touch_read(function_.special(name.what, false));
}

Ref Binding::write_predicate(const ptx::Operand& operand) { return write(operand, Type::pred); }

bool Binding::is_constant(const ptx::Operand& operand) const {
  return operand.kind == ptx::Operand::Kind::value &&
         operand.value.kind != ptx::Expression::Kind::symbol;
}

std::int64_t Binding::constant(const ptx::Operand& operand) const {
  mark(operand);
  if (operand.kind != ptx::Operand::Kind::value ||
      operand.value.kind != ptx::Expression::Kind::integer)
    refuse("an integer constant is expected");
  return static_cast<std::int64_t>(operand.value.bits);
}

bool Binding::is_register(const ptx::Operand& operand) const {
  return register_type(operand) != Type::none;
}

Type Binding::register_type(const ptx::Operand& operand) const {
  FoundRegister found;
  const bool known = operand.kind == ptx::Operand::Kind::name &&
                     function_.scopes().find_register(operand.name, found);
  return known ? found.type : Type::none;
}

int Binding::register_bits(const ptx::Operand& operand) const {
  const Type type = register_type(operand);
  return type == Type::pred ? 0 : bits_of(type);
}

}  // namespace aisp::sim
