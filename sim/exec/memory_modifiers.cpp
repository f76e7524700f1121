#include "sim/exec/memory_modifiers.hpp"

#include <algorithm>

#include "base/refuse.hpp"

namespace sim {
namespace {

using Kind = ModifierKind;

struct Spelling {
  std::string_view text;
  Kind kind;
  std::int8_t value;
};

constexpr std::int8_t value(MemoryOrder order) { return static_cast<std::int8_t>(order); }
constexpr std::int8_t value(AtomicOp op) { return static_cast<std::int8_t>(op); }

constexpr Spelling spellings[] = {
    {"weak", Kind::order, value(MemoryOrder::weak)},
    {"relaxed", Kind::order, value(MemoryOrder::relaxed)},
    {"acquire", Kind::order, value(MemoryOrder::acquire)},
    {"release", Kind::order, value(MemoryOrder::release)},
    {"acq_rel", Kind::order, value(MemoryOrder::acq_rel)},
    {"volatile", Kind::order, value(MemoryOrder::volatile_)},
    {"mmio", Kind::mmio, 0},
    {"cta", Kind::scope, 0},
    {"cluster", Kind::scope, 1},
    {"gpu", Kind::scope, 2},
    {"sys", Kind::scope, 3},
    {"global", Kind::space, 0},
    {"shared", Kind::space, 1},
    {"shared::cta", Kind::space, 1},
    {"shared::cluster", Kind::space, 2},
    {"local", Kind::space, 3},
    {"const", Kind::space, 4},
    {"param", Kind::space, 5},
    {"param::entry", Kind::space, 6},
    {"param::func", Kind::space, 5},
    {"ca", Kind::cache, 0},
    {"cg", Kind::cache, 1},
    {"cs", Kind::cache, 2},
    {"lu", Kind::cache, 3},
    {"cv", Kind::cache, 4},
    {"wb", Kind::cache, 5},
    {"wt", Kind::cache, 6},
    {"L1::evict_normal", Kind::evict_l1, 0},
    {"L1::evict_unchanged", Kind::evict_l1, 1},
    {"L1::evict_first", Kind::evict_l1, 2},
    {"L1::evict_last", Kind::evict_l1, 3},
    {"L1::no_allocate", Kind::evict_l1, 4},
    {"L2::evict_normal", Kind::evict_l2, 0},
    {"L2::evict_first", Kind::evict_l2, 1},
    {"L2::evict_last", Kind::evict_l2, 2},
    {"L2::64B", Kind::prefetch, 0},
    {"L2::128B", Kind::prefetch, 1},
    {"L2::256B", Kind::prefetch, 2},
    {"L2::cache_hint", Kind::cache_hint, 0},
    {"nc", Kind::read_only, 0},
    {"unified", Kind::unified, 0},
    {"v2", Kind::vector, 2},
    {"v4", Kind::vector, 4},
    {"v8", Kind::vector, 8},
    {"add", Kind::operation, value(AtomicOp::add)},
    {"min", Kind::operation, value(AtomicOp::min)},
    {"max", Kind::operation, value(AtomicOp::max)},
    {"inc", Kind::operation, value(AtomicOp::inc)},
    {"dec", Kind::operation, value(AtomicOp::dec)},
    {"and", Kind::operation, value(AtomicOp::and_)},
    {"or", Kind::operation, value(AtomicOp::or_)},
    {"xor", Kind::operation, value(AtomicOp::xor_)},
    {"exch", Kind::operation, value(AtomicOp::exch)},
    {"cas", Kind::operation, value(AtomicOp::cas)},
    {"noftz", Kind::no_flush, 0},
};

constexpr ptx::Space spaces[] = {ptx::Space::global, ptx::Space::shared,   ptx::Space::shared,
                                 ptx::Space::local,  ptx::Space::constant, ptx::Space::param,
                                 ptx::Space::param};
constexpr int shared_cluster = 2, param_entry = 6;

}  // namespace

MemoryModifiers::MemoryModifiers() { std::fill(std::begin(chosen), std::end(chosen), -1); }

MemoryModifiers take_modifiers(Binding& binding, std::uint32_t allowed) {
  MemoryModifiers all;
  while (binding.more()) {
    const std::string_view text = binding.peek();
    const auto found = std::find_if(std::begin(spellings), std::end(spellings),
                                    [&](const Spelling& s) { return s.text == text; });
    if (found == std::end(spellings)) {
      Type type = Type::none;
      if (!binding.accept_type(type)) binding.refuse(base::say("unknown modifier .", text));
      if (all.type != Type::none) binding.refuse("two types");
      all.type = type;
      continue;
    }
    if ((allowed & bit(found->kind)) == 0)
      binding.refuse(base::say(".", text, " does not belong to this instruction"));
    std::int8_t& slot = all.chosen[static_cast<int>(found->kind)];
    if (slot >= 0) binding.refuse(base::say(".", text, ": a second modifier of its kind"));
    slot = found->value;
    binding.take();
  }
  if (all.type == Type::none) binding.refuse("the type is missing");
  if (all.has(Kind::space)) {
    all.space = spaces[all.get(Kind::space)];
    all.remote = all.get(Kind::space) == shared_cluster;
    all.kernel_param = all.get(Kind::space) == param_entry;
  }
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
  if (m.has(Kind::mmio) && (order != MemoryOrder::relaxed || m.get(Kind::scope) != 3 || !global))
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

int take_cache_policy(Binding& binding, const MemoryModifiers& modifiers) {
  if (!modifiers.has(Kind::cache_hint)) return binding.operands();
  binding.read(binding.operands() - 1, Type::b64);
  return binding.operands() - 1;
}

}  // namespace sim
