// The modifiers of bulk copies, without and with a tensor map.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "sim/exec/async/reduce.hpp"
#include "sim/exec/memory/address_slots.hpp"

namespace aisp::sim {

enum class BulkModifier : std::uint8_t {
  space,       // CopySpace, of the destination and of the source
  completion,  // Completion
  multicast,   //
  hint,        // .L2::cache_hint
  reduce,      // ReduceOp
  level,       // .L2 of a prefetch
  // cp.async.bulk alone
  byte_mask,  // .cp_mask
  type,       // Type
  noftz,      //
  // TMA alone
  rank,  // 1 to 5
  mode,  // TmaMode
  pair,  // .cta_group: 1, 2
};

enum class Completion : std::uint8_t { none, mbarrier, bulk_group };

inline constexpr Modifier bulk_words[] = {
    {"shared::cluster", BulkModifier::space, CopySpace::shared_cluster},
    {"shared::cta", BulkModifier::space, CopySpace::shared_cta},
    {"global", BulkModifier::space, CopySpace::global},
    {"mbarrier::complete_tx::bytes", BulkModifier::completion, Completion::mbarrier},
    {"bulk_group", BulkModifier::completion, Completion::bulk_group},
    {"multicast::cluster", BulkModifier::multicast},
    {"L2::cache_hint", BulkModifier::hint},
    {"add", BulkModifier::reduce, ReduceOp::add},
    {"min", BulkModifier::reduce, ReduceOp::min},
    {"max", BulkModifier::reduce, ReduceOp::max},
    {"inc", BulkModifier::reduce, ReduceOp::inc},
    {"dec", BulkModifier::reduce, ReduceOp::dec},
    {"and", BulkModifier::reduce, ReduceOp::bit_and},
    {"or", BulkModifier::reduce, ReduceOp::bit_or},
    {"xor", BulkModifier::reduce, ReduceOp::bit_xor},
    {"L2", BulkModifier::level},
};

struct BulkModifiers {
  ModifierSet given;
  std::vector<CopySpace> spaces;  // destination, source

  bool has(BulkModifier kind) const { return given.has(kind); }
  bool has_any(std::initializer_list<BulkModifier> some) const {
    return std::any_of(some.begin(), some.end(), [&](BulkModifier kind) { return has(kind); });
  }
  Completion completion() const { return given.get(BulkModifier::completion, Completion::none); }
  ReduceOp reduce() const { return given.get(BulkModifier::reduce, ReduceOp::none); }
  bool goes(CopySpace from, CopySpace to) const {
    return spaces.size() == 2 && spaces[0] == to && spaces[1] == from;
  }
  bool prefetches() const {
    return has(BulkModifier::level) && spaces.size() == 1 && spaces[0] == CopySpace::global;
  }
};

// All that are left; `words` are those that only one of the two has.
inline BulkModifiers bulk_modifiers(Binding& b, std::span<const Modifier> words) {
  BulkModifiers all;
  all.given = b.read_all({.words = bulk_words, .more = words, .lists = kinds(BulkModifier::space)});
  all.spaces = all.given.all<CopySpace>(BulkModifier::space);
  return all;
}

}  // namespace aisp::sim
