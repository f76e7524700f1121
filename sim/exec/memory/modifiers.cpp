#include "sim/exec/memory/modifiers.hpp"

namespace aisp::sim {
namespace {

using Kind = MemoryModifier;

enum class AccessSpace {
  global,
  shared,
  shared_cluster,
  local,
  constant,
  param,
  param_entry,
  none
};

constexpr Modifier words[] = {
    {"weak", Kind::order, MemoryOrder::weak},
    {"relaxed", Kind::order, MemoryOrder::relaxed},
    {"acquire", Kind::order, MemoryOrder::acquire},
    {"release", Kind::order, MemoryOrder::release},
    {"acq_rel", Kind::order, MemoryOrder::acq_rel},
    {"volatile", Kind::order, MemoryOrder::volatile_},
    {"mmio", Kind::mmio},
    {"cta", Kind::scope, Scope::cta},
    {"cluster", Kind::scope, Scope::cluster},
    {"gpu", Kind::scope, Scope::gpu},
    {"sys", Kind::scope, Scope::sys},
    {"global", Kind::space, AccessSpace::global},
    {"shared", Kind::space, AccessSpace::shared},
    {"shared::cta", Kind::space, AccessSpace::shared},
    {"shared::cluster", Kind::space, AccessSpace::shared_cluster},
    {"local", Kind::space, AccessSpace::local},
    {"const", Kind::space, AccessSpace::constant},
    {"param", Kind::space, AccessSpace::param},
    {"param::entry", Kind::space, AccessSpace::param_entry},
    {"param::func", Kind::space, AccessSpace::param},
    {"ca", Kind::cache, CacheOp::ca},
    {"cg", Kind::cache, CacheOp::cg},
    {"cs", Kind::cache, CacheOp::cs},
    {"lu", Kind::cache, CacheOp::lu},
    {"cv", Kind::cache, CacheOp::cv},
    {"wb", Kind::cache, CacheOp::wb},
    {"wt", Kind::cache, CacheOp::wt},
    {"L1::evict_normal", Kind::evict_l1},
    {"L1::evict_unchanged", Kind::evict_l1},
    {"L1::evict_first", Kind::evict_l1},
    {"L1::evict_last", Kind::evict_l1},
    {"L1::no_allocate", Kind::evict_l1},
    {"L2::evict_normal", Kind::evict_l2},
    {"L2::evict_first", Kind::evict_l2},
    {"L2::evict_last", Kind::evict_l2},
    {"L2::64B", Kind::prefetch},
    {"L2::128B", Kind::prefetch},
    {"L2::256B", Kind::prefetch},
    {"L2::cache_hint", Kind::cache_hint},
    {"nc", Kind::read_only},
    {"unified", Kind::unified},
    {"v2", Kind::vector, 2},
    {"v4", Kind::vector, 4},
    {"v8", Kind::vector, 8},
    {"add", Kind::operation, AtomicOp::add},
    {"min", Kind::operation, AtomicOp::min},
    {"max", Kind::operation, AtomicOp::max},
    {"inc", Kind::operation, AtomicOp::inc},
    {"dec", Kind::operation, AtomicOp::dec},
    {"and", Kind::operation, AtomicOp::and_},
    {"or", Kind::operation, AtomicOp::or_},
    {"xor", Kind::operation, AtomicOp::xor_},
    {"exch", Kind::operation, AtomicOp::exch},
    {"cas", Kind::operation, AtomicOp::cas},
    {"noftz", Kind::no_flush},
    {"acc::f32", Kind::wider, Type::f32},
    {"acc::f16", Kind::wider, Type::f16, sm_100a},
};

ptx::Space space_of(AccessSpace space) {
  switch (space) {
    case AccessSpace::global:
      return ptx::Space::global;
    case AccessSpace::shared:
    case AccessSpace::shared_cluster:
      return ptx::Space::shared;
    case AccessSpace::local:
      return ptx::Space::local;
    case AccessSpace::constant:
      return ptx::Space::constant;
    case AccessSpace::param:
    case AccessSpace::param_entry:
      return ptx::Space::param;
    case AccessSpace::none:
      break;
  }
  return ptx::Space::none;
}

}  // namespace

MemoryModifiers memory_modifiers(Binding& binding, Kinds allowed) {
  MemoryModifiers all;
  all.given = binding.read_all({.words = words,
                                .allowed = allowed | kinds(Kind::type),
                                .types = static_cast<int>(Kind::type)});
  all.type = all.given.get(Kind::type, Type::none);
  if (all.type == Type::none) binding.refuse("the type is missing");
  const auto space = all.given.get(Kind::space, AccessSpace::none);
  all.space = space_of(space);
  all.remote = space == AccessSpace::shared_cluster;
  all.kernel_param = space == AccessSpace::param_entry;
  return all;
}

void check_access(const Binding& binding, const MemoryModifiers& m) {
  const MemoryOrder order = m.order();
  const bool ordered = order == MemoryOrder::relaxed || order == MemoryOrder::acquire ||
                       order == MemoryOrder::release;
  const bool sharable =
      m.space == ptx::Space::none || m.space == ptx::Space::global || m.space == ptx::Space::shared;
  const bool global = m.space == ptx::Space::none || m.space == ptx::Space::global;
  if (ordered != m.has(Kind::scope))
    binding.refuse(ordered ? "a memory order needs a scope" : "a scope needs a memory order");
  if (ordered && !sharable) binding.refuse("a memory order needs global or shared memory");
  if (order == MemoryOrder::volatile_ && !sharable)
    binding.refuse(".volatile cannot be applied to this space");
  if (m.has(Kind::mmio) && (order != MemoryOrder::relaxed || m.scope() != Scope::sys || !global))
    binding.refuse(".mmio needs .relaxed.sys and global memory");
  if (m.has(Kind::cache) && order != MemoryOrder::weak)
    binding.refuse("a cache operator needs a weak access");
  if (order == MemoryOrder::volatile_ && m.has(Kind::evict_l1))
    binding.refuse("an eviction priority cannot be combined with .volatile");
  if (m.has(Kind::cache) && m.has(Kind::evict_l1))
    binding.refuse("an eviction priority cannot be combined with a cache operator");
  if (m.has(Kind::evict_l2) && bits_of(m.type) * m.vector() != 256)
    binding.refuse("an eviction priority of L2 is for accesses of 256 bits");
  const bool hinted = m.has(Kind::evict_l1) || m.has(Kind::evict_l2) || m.has(Kind::prefetch) ||
                      m.has(Kind::cache_hint);
  if (hinted && !global) binding.refuse("cache hints are for global memory");
  if (m.has(Kind::read_only) && (m.space != ptx::Space::global || order != MemoryOrder::weak))
    binding.refuse(".nc needs a weak access to .global");
}

void check_async_release(const Binding& binding, MemoryModifiers& modifiers) {
  if (modifiers.order() != MemoryOrder::release) binding.refuse("'.release' is missing");
  if (!modifiers.has(MemoryModifier::scope) || modifiers.scope() < Scope::gpu)
    binding.refuse("the scope is .gpu or .sys");
  if (modifiers.space != ptx::Space::none && modifiers.space != ptx::Space::global)
    binding.refuse("goes to global memory");
  modifiers.space = ptx::Space::global;
}

int take_cache_policy(Binding& binding, const MemoryModifiers& modifiers) {
  if (!modifiers.has(Kind::cache_hint)) return binding.operands();
  binding.read(binding.operands() - 1, Type::b64);
  return binding.operands() - 1;
}

}  // namespace aisp::sim
