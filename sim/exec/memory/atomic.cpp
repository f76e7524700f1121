// atom and red. Lanes of a warp go one after the other in lane order; in global memory each is one
// atomic operation of the host, since other clusters run on other threads.
#include "base/refuse.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/memory/atomic_update.hpp"
#include "sim/exec/memory/memory.hpp"
#include "sim/exec/memory/units.hpp"
#include "sim/exec/opcodes.hpp"

namespace aisp::sim {
namespace {

using Kind = MemoryModifier;
template <class T>
T compare_and_swap(std::byte* where, T expected, T next, bool shared) {
  T* at = reinterpret_cast<T*>(where);
  if (!shared) {
    swap_if(at, expected, next);
    return expected;
  }
  const T old = *at;
  if (old == expected) *at = next;
  return old;
}

template <class Operation>
Flow run_scalar(Warp& warp, const Op& op, Mask mask) {
  using T = typename Operation::Value;
  std::byte* at[lanes];
  if (form_of<AddressForm>(op).polls) ++warp.counters->polls;
  const Mask shared = in_shared(warp, op, mask);
  locate(warp, op, mask, sizeof(T), Access::atomic, at);
  const auto* b = warp.read<Slot<T>>(op.b);
  Slot<T>* d = op.dst == no_ref ? nullptr : warp.write<Slot<T>>(op.dst);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const T old = update<Operation>(at[lane], static_cast<T>(b[lane]), (shared >> lane & 1) != 0);
    if (d != nullptr) d[lane] = old;
  }
  return wrote(warp);
}

template <class T>
Flow run_cas(Warp& warp, const Op& op, Mask mask) {
  std::byte* at[lanes];
  ++warp.counters->polls;
  const Mask shared = in_shared(warp, op, mask);
  locate(warp, op, mask, sizeof(T), Access::atomic, at);
  const auto* b = warp.read<Slot<T>>(op.b);
  const auto* c = warp.read<Slot<T>>(op.c);
  Slot<T>* d = op.dst == no_ref ? nullptr : warp.write<Slot<T>>(op.dst);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const T old = compare_and_swap(at[lane], static_cast<T>(b[lane]), static_cast<T>(c[lane]),
                                   (shared >> lane & 1) != 0);
    if (d != nullptr) d[lane] = old;
  }
  return wrote(warp);
}

// Elements one by one; the list holds the destinations, then the sources.
template <class Operation>
Flow run_vector(Warp& warp, const Op& op, Mask mask) {
  using T = typename Operation::Value;
  const int count = form_of<AddressForm>(op).count;
  std::byte* at[lanes];
  if (in_shared(warp, op, mask) != 0)
    throw Fault{FaultKind::bad_address_space, "a vector atomic needs global memory", 0,
                std::countr_zero(in_shared(warp, op, mask))};
  locate(warp, op, mask, static_cast<std::uint32_t>(sizeof(T)) * count, Access::atomic, at);
  const Ref* refs = warp.list(op);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    T b[8];
    for (int i = 0; i < count; ++i)
      b[i] = static_cast<T>(warp.read<Slot<T>>(refs[count + i])[lane]);
    for (int i = 0; i < count; ++i) {
      const T old = update<Operation>(at[lane] + i * sizeof(T), b[i], false);
      if (refs[i] != no_ref) warp.write<Slot<T>>(refs[i])[lane] = old;
    }
  }
  return wrote(warp);
}

struct AtomicRow {
  AtomicOp operation;
  Type type;
  Handler scalar, vector;  // null where there is none
  int most;                // elements of a vector
  Needs needs{};
};

template <class Operation>
constexpr AtomicRow scalar(AtomicOp operation, Type type, Needs needs = {}) {
  return {operation, type, run_scalar<Operation>, nullptr, 1, needs};
}
template <class Operation>
constexpr AtomicRow both(AtomicOp operation, Type type, int most, Needs needs = {}) {
  return {operation, type, run_scalar<Operation>, run_vector<Operation>, most, needs};
}
template <class Operation>
constexpr AtomicRow vector(AtomicOp operation, Type type, int most, Needs needs = {}) {
  return {operation, type, nullptr, run_vector<Operation>, most, needs};
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

constexpr AtomicRow table[] = {
    scalar<AtomicAdd<u32>>(AtomicOp::add, Type::u32),
    scalar<AtomicAdd<u32>>(AtomicOp::add, Type::s32),
    scalar<AtomicAdd<u64>>(AtomicOp::add, Type::u64),
    both<AtomicAddF32>(AtomicOp::add, Type::f32, 4),
    scalar<AtomicAddF64>(AtomicOp::add, Type::f64),
    both<AtomicHalf<base::f16, HalfOp::add>>(AtomicOp::add, Type::f16, 8),
    both<AtomicHalf<base::bf16, HalfOp::add>>(AtomicOp::add, Type::bf16, 8, sm_90),
    both<AtomicHalfPair<base::f16, HalfOp::add>>(AtomicOp::add, Type::f16x2, 4),
    both<AtomicHalfPair<base::bf16, HalfOp::add>>(AtomicOp::add, Type::bf16x2, 4, sm_90),
    scalar<AtomicMin<u32>>(AtomicOp::min, Type::u32),
    scalar<AtomicMin<s32>>(AtomicOp::min, Type::s32),
    scalar<AtomicMin<u64>>(AtomicOp::min, Type::u64),
    scalar<AtomicMin<s64>>(AtomicOp::min, Type::s64),
    vector<AtomicHalf<base::f16, HalfOp::min>>(AtomicOp::min, Type::f16, 8),
    vector<AtomicHalf<base::bf16, HalfOp::min>>(AtomicOp::min, Type::bf16, 8, sm_90),
    vector<AtomicHalfPair<base::f16, HalfOp::min>>(AtomicOp::min, Type::f16x2, 4),
    vector<AtomicHalfPair<base::bf16, HalfOp::min>>(AtomicOp::min, Type::bf16x2, 4, sm_90),
    scalar<AtomicMax<u32>>(AtomicOp::max, Type::u32),
    scalar<AtomicMax<s32>>(AtomicOp::max, Type::s32),
    scalar<AtomicMax<u64>>(AtomicOp::max, Type::u64),
    scalar<AtomicMax<s64>>(AtomicOp::max, Type::s64),
    vector<AtomicHalf<base::f16, HalfOp::max>>(AtomicOp::max, Type::f16, 8),
    vector<AtomicHalf<base::bf16, HalfOp::max>>(AtomicOp::max, Type::bf16, 8, sm_90),
    vector<AtomicHalfPair<base::f16, HalfOp::max>>(AtomicOp::max, Type::f16x2, 4),
    vector<AtomicHalfPair<base::bf16, HalfOp::max>>(AtomicOp::max, Type::bf16x2, 4, sm_90),
    scalar<AtomicIncrement>(AtomicOp::inc, Type::u32),
    scalar<AtomicDecrement>(AtomicOp::dec, Type::u32),
    scalar<AtomicAnd<u32>>(AtomicOp::and_, Type::b32),
    scalar<AtomicAnd<u64>>(AtomicOp::and_, Type::b64),
    scalar<AtomicOr<u32>>(AtomicOp::or_, Type::b32),
    scalar<AtomicOr<u64>>(AtomicOp::or_, Type::b64),
    scalar<AtomicXor<u32>>(AtomicOp::xor_, Type::b32),
    scalar<AtomicXor<u64>>(AtomicOp::xor_, Type::b64),
    scalar<AtomicExchange<u32>>(AtomicOp::exch, Type::b32),
    scalar<AtomicExchange<u64>>(AtomicOp::exch, Type::b64),
    scalar<AtomicExchange<U128>>(AtomicOp::exch, Type::b128, sm_90),
    {AtomicOp::cas, Type::b16, run_cas<std::uint16_t>, nullptr, 1},
    {AtomicOp::cas, Type::b32, run_cas<u32>, nullptr, 1},
    {AtomicOp::cas, Type::b64, run_cas<u64>, nullptr, 1},
    {AtomicOp::cas, Type::b128, run_cas<U128>, nullptr, 1, sm_90},
};

bool is_half(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2;
}

const AtomicRow& choose(const Binding& b, const MemoryModifiers& m) {
  if (!m.has(Kind::operation)) b.refuse("the operation is missing");
  for (const AtomicRow& row : table) {
    if (row.operation != m.operation() || row.type != m.type) continue;
    b.require(row.needs, base::say('.', name_of(m.type)));
    if (m.vector() == 1 && row.scalar == nullptr) b.refuse("only as a vector");
    if (m.vector() > row.most) b.refuse("no vector of so many elements of this type");
    return row;
  }
  b.refuse("no such operation on this type");
}

MemoryModifiers take_atomic_modifiers(Binding& b) {
  const MemoryModifiers m =
      memory_modifiers(b, kinds(Kind::order, Kind::scope, Kind::space, Kind::operation,
                                Kind::no_flush, Kind::vector, Kind::cache_hint));
  if (m.has(Kind::order) && (m.order() == MemoryOrder::weak || m.order() == MemoryOrder::volatile_))
    b.refuse("an atomic is neither weak nor volatile");
  if (m.space != ptx::Space::none && m.space != ptx::Space::global && m.space != ptx::Space::shared)
    b.refuse("atomics need global or shared memory");
  if (m.has(Kind::no_flush) != is_half(m.type))
    b.refuse(is_half(m.type) ? "this type needs .noftz" : ".noftz is for f16 and bf16");
  if (m.vector() > 1) {
    if (m.space == ptx::Space::shared) b.refuse("a vector atomic needs global memory");
    b.require(sm_90, "a vector atomic");
  }
  if (m.has(Kind::cache_hint) && m.operation() == AtomicOp::cas)
    b.refuse("a cache hint does not go with .cas");
  return m;
}

void bind_vector(Binding& b, const MemoryModifiers& m, const ptx::Operand* destination,
                 const ptx::Operand& source) {
  const auto count = static_cast<std::size_t>(m.vector());
  const bool dropped = destination == nullptr || destination->kind == ptx::Operand::Kind::sink;
  if (destination != nullptr && dropped) b.write(*destination, m.type);
  const std::vector<ptx::Operand>* results = dropped ? nullptr : &b.parts(*destination);
  const std::vector<ptx::Operand>& sources = b.parts(source);
  if (sources.size() != count || (results != nullptr && results->size() != count))
    b.refuse("the operands must be vectors of " + std::to_string(count));
  for (std::size_t i = 0; i < count; ++i) b.list(dropped ? no_ref : b.write((*results)[i], m.type));
  for (const ptx::Operand& part : sources) b.list(b.read(part, m.type));
}

// `first`: the address operand; the destination, if any, stands before it.
void bind_update(Binding& b, const MemoryModifiers& m, int first) {
  const AtomicRow& row = choose(b, m);
  const bool cas = row.operation == AtomicOp::cas;
  if (take_cache_policy(b, m) != first + 2 + (cas ? 1 : 0)) b.refuse("wrong number of operands");
  AddressForm form = bind_address(b, b.operand(first), m.space, m.remote);
  form.order = m.has(Kind::order) ? m.order() : MemoryOrder::relaxed;
  form.scope = m.scope();
  form.polls = m.vector() == 1 && row.operation == AtomicOp::exch;  // locks are taken with it
  form.count = static_cast<std::uint16_t>(m.vector());
  set_form(b.op, form);
  if (m.vector() > 1) {
    b.op.run = row.vector;
    return bind_vector(b, m, first == 1 ? &b.operand(0) : nullptr, b.operand(first + 1));
  }
  b.op.run = row.scalar;
  b.op.b = b.read(first + 1, m.type);
  if (cas) b.op.c = b.read(first + 2, m.type);
  if (first == 1) b.op.dst = b.write(0, m.type);
}

void bind_atom(Binding& b) { bind_update(b, take_atomic_modifiers(b), 1); }

void bind_red(Binding& b) {
  const MemoryModifiers m = take_atomic_modifiers(b);
  if (m.order() == MemoryOrder::acquire || m.order() == MemoryOrder::acq_rel)
    b.refuse("red does not acquire");
  if (m.operation() == AtomicOp::exch || m.operation() == AtomicOp::cas)
    b.refuse("red gives no old value: use atom");
  bind_update(b, m, 0);
}

constexpr OpcodeRow rows[] = {
    {"atom", OpClass::atomic, bind_atom,
     ".add .min .max .inc .dec .and .or .xor .exch .cas on 16 to 128 bits, f16 bf16 f32 f64 and "
     "packed pairs, vectors; .global, .shared(::cluster), generic"},
    {"red", OpClass::atomic, bind_red, "as atom, without .exch and .cas"},
};

}  // namespace

void bind_red_async_release(Binding& b) {
  MemoryModifiers m = memory_modifiers(
      b, kinds(Kind::order, Kind::mmio, Kind::scope, Kind::space, Kind::operation));
  check_async_release(b, m);
  if (!is_integer(m.type) && m.type != Type::b32) b.refuse("reduces integers and 32 bits");
  if (bits_of(m.type) == 64 && m.operation() != AtomicOp::add)
    b.refuse("of 64 bits there is .add alone");
  if (m.type == Type::s64) m.type = Type::u64;  // the same bits
  if (m.operation() == AtomicOp::exch || m.operation() == AtomicOp::cas)
    b.refuse("red gives no old value: use atom");
  bind_update(b, m, 0);
}

std::span<const OpcodeRow> atomic_rows() { return rows; }

}  // namespace aisp::sim
