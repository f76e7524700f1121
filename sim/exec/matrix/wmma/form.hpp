// The forms of wmma instructions, and their handlers.
#pragma once

#include <cstdint>
#include <span>

#include "sim/exec/arithmetic/floating/rounding.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/matrix/maps.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/machine/warp.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

enum class WmmaRole : std::uint8_t { a, b, accumulator };

// The shapes, and the types an operand of each can have.
struct WmmaShapeRow {
  WmmaShape shape;
  std::span<const Type> inputs, accumulators;
};
std::span<const WmmaShapeRow> wmma_shapes();

// Registers that hold an operand: f16 inputs always take eight.
int wmma_registers(WmmaShape shape, WmmaRole role, Type type);

// wmma.load and wmma.store: where the matrix lies, as an AddressForm says it, and what it is.
struct WmmaTransfer {
  Where where : 3 = Where::generic;
  bool wide : 1 = false;
  std::uint8_t shape : 3 = 0;  // index into wmma_shapes()
  bool row_major : 1 = true;
  WmmaRole role : 2 = WmmaRole::a;
  Type type : 6 = Type::none;
  std::int64_t offset : 48 = 0;
};
static_assert(sizeof(WmmaTransfer) == 8);

// wmma.mma. Op::list: D, A, B, C.
struct WmmaForm {
  Type a{}, b{}, c{}, d{};
  std::uint8_t shape = 0;
  bool saturate = false, exclusive_or = false;
  Round round = Round::rn;
};

// Op::b is the distance of rows or columns in elements; no_ref: they are packed.
Flow run_wmma_load(Warp& warp, const Op& op, Mask mask);
Flow run_wmma_store(Warp& warp, const Op& op, Mask mask);
Flow run_wmma_mma(Warp& warp, const Op& op, Mask mask);

}  // namespace aisp::sim
