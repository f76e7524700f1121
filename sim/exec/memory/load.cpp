// ld and ldu. An access is a unit of 1 to 8 elements of memory type M; each goes, sign- or
// zero-extended, to a register that holds a V.
#include <atomic>

#include "sim/exec/lanes.hpp"
#include "sim/exec/memory/memory.hpp"
#include "sim/exec/memory/units.hpp"
#include "sim/exec/vector_of_one.hpp"

namespace aisp::sim {
namespace {

using Kind = MemoryModifier;

// Through V first: a value extended to 16 bits leaves the upper half of its slot zero.
template <class V, class M>
[[gnu::always_inline]] inline Slot<V> extended(M value) {
  return static_cast<Slot<V>>(static_cast<V>(value));
}

// All lanes, evenly spaced; neighbours and one value for all are what most loads are.
template <class M, class V>
[[gnu::always_inline]] inline void load_run(const LaneRun& run, Slot<V>* d) {
  const std::byte* from = run.first;
  if (run.step == sizeof(M)) {
    for (int lane = 0; lane < lanes; ++lane)
      d[lane] = extended<V>(fetch<M>(from + lane * sizeof(M)));
  } else if (run.step == 0) {
    const auto value = extended<V>(fetch<M>(from));
    for (int lane = 0; lane < lanes; ++lane) d[lane] = value;
  } else {
    for (int lane = 0; lane < lanes; ++lane, from += run.step)
      d[lane] = extended<V>(fetch<M>(from));
  }
}

template <class M, class V, int n>
[[gnu::always_inline]] inline void load_units(Warp& warp, const Op& op, Mask mask) {
  std::byte* at[lanes];
  LaneRun run;
  if (mask == all_lanes) run = locate_run(warp, op, sizeof(M) * n, Access::read, n);
  if constexpr (n == 1) {
    if (run.first != nullptr) {
      load_run<M, V>(run, warp.write<Slot<V>>(op.dst));
      return;
    }
  }
  if (run.first != nullptr)
    spread(run, at);
  else
    locate(warp, op, mask, sizeof(M) * n, Access::read, at, n);
  if constexpr (n == 1) {
    auto* d = warp.write<Slot<V>>(op.dst);
    each_lane(mask, [&](int lane) { d[lane] = extended<V>(fetch<M>(at[lane])); });
  } else {
    const Ref* refs = warp.list(op);
    if constexpr (n == 4 && sizeof(M) == 4 && sizeof(V) == 4) {
      std::uint32_t* column[4];
      bool whole = mask == all_lanes;
      for (int i = 0; i < 4; ++i) {
        whole &= refs[i] != no_ref;
        column[i] = warp.write<std::uint32_t>(refs[i]);
      }
      if (whole) {
        fetch_quads(at, column);
        return;
      }
    }
    Unit<M, n> staged[lanes];
    each_lane(mask, [&](int lane) { staged[lane] = fetch<Unit<M, n>>(at[lane]); });
    for (int i = 0; i < n; ++i) {
      if (refs[i] == no_ref) continue;
      auto* d = warp.write<Slot<V>>(refs[i]);
      each_lane(mask, [&](int lane) { d[lane] = extended<V>(staged[lane].part[i]); });
    }
  }
}

// What follows a load that may have read another cluster's flag must not be done before it; x86
// keeps that order by itself.
template <class M, class V, int n>
Flow load(Warp& warp, const Op& op, Mask mask) {
  const bool polls = form_of<AddressForm>(op).polls;
  if (polls) ++warp.counters->polls;
  load_units<M, V, n>(warp, op, mask);
  if (polls) std::atomic_thread_fence(std::memory_order_acquire);
  return Flow::next;
}

// Kernel parameters: one value for all lanes.
template <class M, class V, int n>
Flow load_bank(Warp& warp, const Op& op, Mask mask) {
  const std::byte* at = warp.block->grid->params + form_of<AddressForm>(op).offset;
  const Ref* refs = n == 1 ? &op.dst : warp.list(op);
  for (int i = 0; i < n; ++i) {
    if (refs[i] == no_ref) continue;
    const auto value = extended<V>(fetch<M>(at + i * sizeof(M)));
    auto* d = warp.write<Slot<V>>(refs[i]);
    each_lane(mask, [&](int lane) { d[lane] = value; });
  }
  return Flow::next;
}

template <class M, class V>
Handler select_count(int count, bool bank) {
  switch (count) {
    case 1:
      return bank ? load_bank<M, V, 1> : load<M, V, 1>;
    case 2:
      if constexpr (sizeof(M) <= 8) return bank ? load_bank<M, V, 2> : load<M, V, 2>;
      break;
    case 4:
      if constexpr (sizeof(M) <= 8) return bank ? load_bank<M, V, 4> : load<M, V, 4>;
      break;
    case 8:
      if constexpr (sizeof(M) == 4) return bank ? load_bank<M, V, 8> : load<M, V, 8>;
      break;
  }
  return nullptr;
}

template <class M>
Handler select_value(int register_bits, int count, bool bank) {
  // Below 64 bits only a sign-extended value asks how wide its register is.
  if (register_bits == 64) return select_count<M, std::uint64_t>(count, bank);
  if constexpr (std::is_signed_v<M> && sizeof(M) <= 2)
    if (register_bits == 16) return select_count<M, std::uint16_t>(count, bank);
  if constexpr (sizeof(M) <= 4) return select_count<M, std::uint32_t>(count, bank);
  return nullptr;
}

Handler select(int bytes, bool is_signed, int register_bits, int count, bool bank) {
  switch (bytes) {
    case 1:
      return is_signed ? select_value<std::int8_t>(register_bits, count, bank)
                       : select_value<std::uint8_t>(register_bits, count, bank);
    case 2:
      return is_signed ? select_value<std::int16_t>(register_bits, count, bank)
                       : select_value<std::uint16_t>(register_bits, count, bank);
    case 4:
      return is_signed ? select_value<std::int32_t>(register_bits, count, bank)
                       : select_value<std::uint32_t>(register_bits, count, bank);
    case 8:
      return select_value<std::uint64_t>(register_bits, count, bank);
    default:
      return count == 1 ? (bank ? load_bank<U128, U128, 1> : load<U128, U128, 1>) : nullptr;
  }
}

// Binds the destination or all of a vector; returns the width of the registers.
int bind_destinations(Binding& b, const ptx::Operand& operand, Type type, int count) {
  bool wide = false;
  if (count == 1) {
    b.op.dst = b.write_relaxed(scalar(operand), type, wide);
    if (b.op.dst == no_ref) b.refuse("a load needs a destination");
    return b.register_bits(scalar(operand));
  }
  const std::vector<ptx::Operand>& parts = b.parts(operand);
  if (parts.size() != static_cast<std::size_t>(count))
    b.refuse("the destination must be a vector of " + std::to_string(count));
  int bits = 0;
  for (const ptx::Operand& part : parts) {
    const Ref ref = b.write_relaxed(part, type, wide);
    b.list(ref);
    if (ref == no_ref) continue;
    if (bits != 0 && bits != b.register_bits(part))
      b.refuse("the registers of the vector differ in width");
    bits = b.register_bits(part);
  }
  return bits != 0 ? bits : bits_of(type);
}

void bind_load(Binding& b, const MemoryModifiers& m) {
  check_width(b, m);
  const int bytes = access_bytes(b, m.type);
  if (take_cache_policy(b, m) != 2) b.refuse("a load has a destination and an address");
  AddressForm form = bind_address(b, b.operand(1), m.space, m.remote);
  const MemoryOrder order = m.order();
  form.order = m.space == ptx::Space::constant ? AddressForm::constant : order;
  form.scope = m.scope();
  form.polls = order == MemoryOrder::relaxed || order == MemoryOrder::acquire ||
               order == MemoryOrder::volatile_;
  set_form(b.op, form);
  const int bits = bind_destinations(b, b.operand(0), m.type, m.vector());
  const bool bank = form.where == Where::bank;
  b.op.run = select(bytes, is_signed(m.type), bits, m.vector(), bank);
  if (b.op.run == nullptr) b.refuse("no vector of this type");
}

}  // namespace

void bind_ld(Binding& b) {
  const MemoryModifiers m =
      memory_modifiers(b, ~kinds(Kind::operation, Kind::no_flush, Kind::wider));
  if (m.order() == MemoryOrder::release || m.order() == MemoryOrder::acq_rel)
    b.refuse("a load does not release");
  if (m.cache() > CacheOp::cv) b.refuse("a cache operator of stores");
  check_access(b, m);
  bind_load(b, m);
}

void bind_ldu(Binding& b) {
  const MemoryModifiers m = memory_modifiers(b, kinds(Kind::space, Kind::vector));
  if (m.space != ptx::Space::none && m.space != ptx::Space::global)
    b.refuse("ldu reads global memory");
  bind_load(b, m);
}

}  // namespace aisp::sim
