// Binding of multimem.ld_reduce, st and red.
#include "sim/exec/memory/multimem.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/memory/memory.hpp"

namespace aisp::sim {
namespace {

using Kind = MemoryModifier;

bool is_of_bytes(Type type) {
  const std::string_view name = name_of(type);
  return name.starts_with("e4m3") || name.starts_with("e5m2");
}

// Vectors are of floats up to 32 bits, and 32, 64 or 128 bits long.
void check_shape(const Binding& b, const MemoryModifiers& m) {
  const int bits = bits_of(m.type) * m.vector();
  const bool whole = is_integer(m.type) || is_bits(m.type) || m.type == Type::f64;
  if (whole && m.vector() > 1) b.refuse("no vector of this type");
  if (bits != 32 && bits != 64 && bits != 128)
    b.refuse(base::say(bits, " bits: a multimem access has 32, 64 or 128"));
}

MemoryModifiers take_modifiers(Binding& b, Kinds also) {
  const MemoryModifiers m =
      memory_modifiers(b, kinds(Kind::order, Kind::scope, Kind::space, Kind::vector) | also);
  if (m.space != ptx::Space::none && m.space != ptx::Space::global)
    b.refuse("multicast addresses are of global memory");
  if (m.order() == MemoryOrder::volatile_ || m.order() == MemoryOrder::acq_rel)
    b.refuse("no such memory order here");
  check_access(b, m);
  check_shape(b, m);
  if (is_of_bytes(m.type)) b.require(sm_100a, base::say('.', name_of(m.type)));
  return m;
}

void set_address(Binding& b, const MemoryModifiers& m, int index, MemoryOrder order, Scope scope) {
  AddressForm form = bind_address(b, b.operand(index), m.space, false);
  form.order = order;
  form.scope = scope;
  form.count = static_cast<std::uint16_t>(m.vector());
  form.polls = order == MemoryOrder::relaxed || order == MemoryOrder::acquire;
  set_form(b.op, form);
}

void set_run(Binding& b, Handler run) {
  if (run == nullptr) b.refuse("no such operation on this type");
  b.op.run = run;
}

// One float may also be written as a vector of one, except for multimem.red.
bool may_have_braces(const MemoryModifiers& m) {
  return m.vector() > 1 || !(is_integer(m.type) || is_bits(m.type));
}

template <class Bind>
void bind_registers(Binding& b, const ptx::Operand& operand, const MemoryModifiers& m,
                    bool has_braces, Bind&& bind) {
  if (!has_braces) return b.list(bind(operand));
  const std::vector<ptx::Operand>& parts = b.parts(operand);
  if (parts.size() != static_cast<std::size_t>(m.vector()))
    b.refuse(base::say("the operand must be a vector of ", m.vector()));
  for (const ptx::Operand& part : parts) b.list(bind(part));
}
void bind_sources(Binding& b, int index, const MemoryModifiers& m, bool has_braces) {
  bind_registers(b, b.operand(index), m, has_braces,
                 [&](const ptx::Operand& part) { return b.read(part, m.type); });
}

}  // namespace

void bind_multimem_ld_reduce(Binding& b) {
  const MemoryModifiers m = take_modifiers(b, kinds(Kind::operation, Kind::wider));
  if (m.order() == MemoryOrder::release) b.refuse("a load does not release");
  set_run(b, multimem_ld_reduce(m.operation(), m.type, m.given.get(Kind::wider, Type::none)));
  b.expect_operands(2, 2);
  set_address(b, m, 1, m.order(), m.scope());
  const std::vector<ptx::Operand>& results = b.parts(b.operand(0));
  const auto is_discarded = [](const ptx::Operand& part) {
    return part.kind == ptx::Operand::Kind::sink;
  };
  if (std::all_of(results.begin(), results.end(), is_discarded))
    b.refuse("at least one element of the result goes to a register");
  bind_registers(b, b.operand(0), m, may_have_braces(m),
                 [&](const ptx::Operand& part) { return b.write(part, m.type); });
}

void bind_multimem_st(Binding& b) {
  const MemoryModifiers m = take_modifiers(b, 0);
  if (m.order() == MemoryOrder::acquire) b.refuse("a store does not acquire");
  set_run(b, multimem_st(m.type));
  b.expect_operands(2, 2);
  set_address(b, m, 0, m.order(), m.scope());
  bind_sources(b, 1, m, may_have_braces(m));
}

void bind_multimem_red(Binding& b) {
  const MemoryModifiers m = take_modifiers(b, kinds(Kind::operation));
  if (m.order() == MemoryOrder::acquire) b.refuse("red does not acquire");
  if (m.given.has(Kind::order) && m.order() == MemoryOrder::weak) b.refuse("red is not weak");
  const bool packed = m.type == Type::f16x2 || m.type == Type::bf16x2;
  if (packed && m.vector() == 1 && m.operation() != AtomicOp::add) b.refuse("only as a vector");
  set_run(b, multimem_red(m.operation(), m.type));
  b.expect_operands(2, 2);
  set_address(b, m, 0, m.given.has(Kind::order) ? m.order() : MemoryOrder::relaxed,
              m.given.has(Kind::scope) ? m.scope() : Scope::sys);
  bind_sources(b, 1, m, m.vector() > 1);
}

}  // namespace aisp::sim
