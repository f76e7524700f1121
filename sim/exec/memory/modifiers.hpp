// The modifiers that loads, stores and atomics share. Written in almost any order in practice, so
// they are collected first and judged afterwards.
#pragma once

#include <cstdint>

#include "sim/machine/observer.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

enum class MemoryModifier : std::uint8_t {
  order,       // MemoryOrder
  mmio,        //
  scope,       // Scope
  space,       // AccessSpace
  cache,       // CacheOp
  evict_l1,    // .L1::evict_*, .L1::no_allocate
  evict_l2,    // .L2::evict_*
  prefetch,    // .L2::64B and so on
  cache_hint,  // .L2::cache_hint
  read_only,   // .nc
  unified,     //
  vector,      // 2, 4, 8
  operation,   // AtomicOp
  no_flush,    // .noftz
  wider,       // .acc::f32, .acc::f16: Type
  type,        // Type
};

enum class AtomicOp : std::int8_t { none, add, min, max, inc, dec, and_, or_, xor_, exch, cas };
enum class CacheOp : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt };  // of loads up to cv

inline constexpr Word<Scope> scopes[] = {
    {"cta", Scope::cta},
    {"cluster", Scope::cluster},
    {"gpu", Scope::gpu},
    {"sys", Scope::sys},
};

struct MemoryModifiers {
  ModifierSet given;
  Type type = Type::none;
  ptx::Space space = ptx::Space::none;
  bool remote = false;        // shared::cluster
  bool kernel_param = false;  // param::entry

  bool has(MemoryModifier kind) const { return given.has(kind); }
  MemoryOrder order() const { return given.get(MemoryModifier::order, MemoryOrder::weak); }
  // volatile is relaxed.sys; an atomic without a scope has gpu.
  Scope scope() const {
    if (order() == MemoryOrder::volatile_) return Scope::sys;
    return given.get(MemoryModifier::scope, Scope::gpu);
  }
  CacheOp cache() const { return given.get(MemoryModifier::cache, CacheOp::none); }
  AtomicOp operation() const { return given.get(MemoryModifier::operation, AtomicOp::none); }
  int vector() const { return given.get(MemoryModifier::vector, 1); }
};

// Takes all modifiers; refuses two of one kind, an unknown one, or a kind outside of `allowed`. The
// type is always allowed, and has to be there.
MemoryModifiers memory_modifiers(Binding& binding, Kinds allowed);

// What loads and stores have in common: an order needs a scope, a cache operator needs a weak
// access, hints go to global memory.
void check_access(const Binding& binding, const MemoryModifiers& modifiers);

// st.async and red.async without an mbarrier: a release at scope gpu or sys, to global memory,
// which the modifiers name afterwards.
void check_async_release(const Binding& binding, MemoryModifiers& modifiers);

// The operand behind the others is the cache policy of .L2::cache_hint: read, and of no effect.
// Returns the number of the operands before it.
int take_cache_policy(Binding& binding, const MemoryModifiers& modifiers);

}  // namespace aisp::sim
