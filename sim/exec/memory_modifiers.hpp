// The modifiers that loads, stores and atomics share. Written in almost any order in practice, so
// they are collected first and judged afterwards.
#pragma once

#include <cstdint>

#include "sim/machine/observer.hpp"
#include "sim/program/binding.hpp"

namespace sim {

enum class ModifierKind : std::uint8_t {
  order,       // MemoryOrder
  mmio,        //
  scope,       // cta, cluster, gpu, sys
  space,       // index into a table of spaces
  cache,       // .ca .cg .cs .lu .cv .wb .wt
  evict_l1,    // .L1::evict_*, .L1::no_allocate
  evict_l2,    // .L2::evict_*
  prefetch,    // .L2::64B and so on
  cache_hint,  // .L2::cache_hint
  read_only,   // .nc
  unified,     //
  vector,      // 2, 4, 8
  operation,   // AtomicOp
  no_flush,    // .noftz
  count,
};

enum class AtomicOp : std::int8_t { add, min, max, inc, dec, and_, or_, xor_, exch, cas };

struct MemoryModifiers {
  std::int8_t chosen[static_cast<int>(ModifierKind::count)];  // -1: absent
  Type type = Type::none;
  ptx::Space space = ptx::Space::none;
  bool remote = false;        // shared::cluster
  bool kernel_param = false;  // param::entry

  MemoryModifiers();
  int get(ModifierKind kind) const { return chosen[static_cast<int>(kind)]; }
  bool has(ModifierKind kind) const { return get(kind) >= 0; }
  MemoryOrder order() const {
    return has(ModifierKind::order) ? static_cast<MemoryOrder>(get(ModifierKind::order))
                                    : MemoryOrder::weak;
  }
  // volatile is relaxed.sys; an atomic without a scope has gpu.
  Scope scope() const {
    if (order() == MemoryOrder::volatile_) return Scope::sys;
    return has(ModifierKind::scope) ? static_cast<Scope>(get(ModifierKind::scope)) : Scope::gpu;
  }
  int vector() const { return has(ModifierKind::vector) ? get(ModifierKind::vector) : 1; }
};

// Takes all modifiers; refuses two of one kind, an unknown one, or a kind outside of `allowed` (bit
// per ModifierKind).
MemoryModifiers take_modifiers(Binding& binding, std::uint32_t allowed);
constexpr std::uint32_t bit(ModifierKind kind) { return 1u << static_cast<int>(kind); }

// What loads and stores have in common: an order needs a scope, a cache operator needs a weak
// access, hints go to global memory.
void check_access(const Binding& binding, const MemoryModifiers& modifiers);

// The operand behind the others is the cache policy of .L2::cache_hint: read, and of no effect.
// Returns the number of the operands before it.
int take_cache_policy(Binding& binding, const MemoryModifiers& modifiers);

}  // namespace sim
