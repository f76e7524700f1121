// The modifiers that bulk copies and tensor copies share. Each of the two numbers groups of its own
// from own_groups on.
#pragma once

#include "sim/exec/copy_operands.hpp"
#include "sim/exec/copy_reduce.hpp"

namespace sim {

enum BulkGroup {
  completion_group,
  multicast_group,
  hint_group,
  reduce_group,
  cache_group,
  own_groups,
};

inline constexpr Choice bulk_choices[] = {
    {"shared::cluster", space_group, static_cast<int>(CopySpace::shared_cluster)},
    {"shared::cta", space_group, static_cast<int>(CopySpace::shared_cta)},
    {"global", space_group, static_cast<int>(CopySpace::global)},
    {"mbarrier::complete_tx::bytes", completion_group, 0},
    {"bulk_group", completion_group, 1},
    {"multicast::cluster", multicast_group, 0},
    {"L2::cache_hint", hint_group, 0},
    {"add", reduce_group, static_cast<int>(ReduceOp::add)},
    {"min", reduce_group, static_cast<int>(ReduceOp::min)},
    {"max", reduce_group, static_cast<int>(ReduceOp::max)},
    {"inc", reduce_group, static_cast<int>(ReduceOp::inc)},
    {"dec", reduce_group, static_cast<int>(ReduceOp::dec)},
    {"and", reduce_group, static_cast<int>(ReduceOp::bit_and)},
    {"or", reduce_group, static_cast<int>(ReduceOp::bit_or)},
    {"xor", reduce_group, static_cast<int>(ReduceOp::bit_xor)},
    {"L2", cache_group, 0},
};

}  // namespace sim
