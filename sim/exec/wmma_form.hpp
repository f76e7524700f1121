// What wmma instructions say, as their handlers find it, and the handlers.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "sim/exec/matrix_maps.hpp"
#include "sim/machine/warp.hpp"
#include "sim/program/type.hpp"

namespace sim {

enum class WmmaRole : std::uint8_t { a, b, accumulator };

// The shapes, and the types an operand of each can have.
struct WmmaShapeRow {
  WmmaShape shape;
  std::span<const Type> inputs, accumulators;
};
std::span<const WmmaShapeRow> wmma_shapes();

// Registers that hold an operand: f16 inputs always take eight.
int wmma_registers(WmmaShape shape, WmmaRole role, Type type);

// wmma.load and wmma.store: the ten own bits of an address form (memory_access.hpp).
struct WmmaTransfer {
  int shape = 0;  // index into wmma_shapes()
  WmmaRole role{};
  bool row_major = true;
  Type type{};
  int pack() const;
  static WmmaTransfer of(int bits);
};

// wmma.mma: Op::imm. Op::list: D, A, B, C.
struct WmmaForm {
  Type a{}, b{}, c{}, d{};
  std::uint8_t shape = 0;
  bool saturate = false, exclusive_or = false;
  std::uint8_t round = 0;
  std::uint64_t pack() const { return std::bit_cast<std::uint64_t>(*this); }
  static WmmaForm of(std::uint64_t imm) { return std::bit_cast<WmmaForm>(imm); }
};
static_assert(sizeof(WmmaForm) == 8);

// Op::b is the distance of rows or columns in elements; no_ref: they are packed.
Flow run_wmma_load(Warp& warp, const Op& op, Mask mask);
Flow run_wmma_store(Warp& warp, const Op& op, Mask mask);
Flow run_wmma_mma(Warp& warp, const Op& op, Mask mask);

}  // namespace sim
