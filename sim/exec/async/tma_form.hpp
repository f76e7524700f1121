// The form of TMA instructions, and their handlers.
#pragma once

#include <cstdint>

#include "sim/exec/async/reduce.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/program/op.hpp"

namespace aisp::sim {

enum class TmaMode : std::uint8_t {
  tile,
  im2col,
  im2col_no_offsets,
  gather4,
  scatter4,
  im2col_wide,
  im2col_wide_128
};

// Address slots.
inline constexpr int map_slot = 0, shared_slot = 1, barrier_slot = 2;

// Coordinates and offsets follow the addresses in the list; op.a is the mask of blocks.
struct TmaForm {
  AddressSlots slots;
  std::uint8_t slot_count = 0;
  std::uint8_t rank = 0;
  TmaMode mode = TmaMode::tile;
  bool multicast = false;
  bool pair = false;  // cta_group::2
  ReduceOp reduce = ReduceOp::none;

  bool four_rows() const { return mode == TmaMode::gather4 || mode == TmaMode::scatter4; }
  int coordinates() const { return four_rows() ? 5 : rank; }
  bool wide() const { return mode >= TmaMode::im2col_wide; }
  bool pixels() const {
    return mode == TmaMode::im2col || mode == TmaMode::im2col_no_offsets || wide();
  }
  // Along W alone: the halo and the offset.
  int offsets() const { return mode == TmaMode::im2col ? rank - 2 : wide() ? 2 : 0; }
};

Flow run_tma_load(Warp& warp, const Op& op, Mask mask);
Flow run_tma_store(Warp& warp, const Op& op, Mask mask);
Flow run_tma_prefetch(Warp& warp, const Op& op, Mask mask);

}  // namespace aisp::sim
