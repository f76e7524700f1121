// What the binder of a tensor copy tells its handler.
#pragma once

#include <cstdint>

#include "sim/exec/copy_reduce.hpp"
#include "sim/program/op.hpp"

namespace sim {

enum class TensorMode : std::uint8_t {
  tile,
  im2col,
  im2col_no_offsets,
  gather4,
  scatter4,
  im2col_wide
};

// Address slots.
inline constexpr int map_slot = 0, shared_slot = 1, barrier_slot = 2;

// op.imm: bits 0..2 wide bases | 4..6 rank | 8..10 TensorMode | 11 multicast | 12 cta_group::2 |
// 13..15 ReduceOp | 16 is a reduction | 17..19 address slots. Coordinates and offsets follow the
// addresses in the list; op.a is the mask of blocks.
struct TensorForm {
  std::uint64_t bits;
  int rank() const { return static_cast<int>(bits >> 4 & 7); }
  TensorMode mode() const { return static_cast<TensorMode>(bits >> 8 & 7); }
  bool multicast() const { return (bits >> 11 & 1) != 0; }
  bool pair() const { return (bits >> 12 & 1) != 0; }
  ReduceOp reduce_op() const { return static_cast<ReduceOp>(bits >> 13 & 7); }
  bool reduces() const { return (bits >> 16 & 1) != 0; }
  int slots() const { return static_cast<int>(bits >> 17 & 7); }
  bool four_rows() const { return mode() == TensorMode::gather4 || mode() == TensorMode::scatter4; }
  int coordinates() const { return four_rows() ? 5 : rank(); }
  int offsets() const { return mode() == TensorMode::im2col ? rank() - 2 : 0; }
};

Flow run_tensor_load(Warp& warp, const Op& op, Mask mask);
Flow run_tensor_store(Warp& warp, const Op& op, Mask mask);
Flow run_tensor_prefetch(Warp& warp, const Op& op, Mask mask);

}  // namespace sim
