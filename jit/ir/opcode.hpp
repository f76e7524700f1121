// The operations of the IR, one row each: a new one is a row here, a rule of its type in infer.cpp
// and its meaning in apply.cpp or evaluate.hpp.
#pragma once

#include <string_view>

namespace aisp::jit {

enum class Opcode {
  // where this block works
  block,
  extent,
  choice,
  // numbers and positions
  constant,
  iota,
  to,
  // memory, by tiles and by element
  view,
  load,
  store,
  reduce_store,
  gather,
  // by element, one operand
  neg,
  abs,
  exp,
  exp2,
  log,
  log2,
  log1p,
  expm1,
  sqrt,
  rsqrt,
  tanh,
  sigmoid,
  erf,
  erfc,
  sin,
  cos,
  floor,
  ceil,
  round,
  trunc,
  logical_not,
  // by element, two operands
  add,
  sub,
  mul,
  div,
  mod,
  min,
  max,
  pow,
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  logical_and,
  logical_or,
  // by element, three operands
  where,
  fma,
  // shape only
  reshape,
  transpose,
  broadcast,
  // across elements
  reduce,
  dot,
  // control
  loop,
  branch,
  yield,
};

enum class Family {
  place,
  number,
  memory,
  unary,
  binary,
  compare,
  logic,
  choose,
  shape,
  across,
  control
};

struct OpcodeRow {
  Opcode code;
  std::string_view name;
  Family family;
  int operands;  // -1: any number, infer.cpp says which
  int regions = 0;
  bool effect = false;  // not to be dropped when its result is unused
};

const OpcodeRow& row_of(Opcode code);
inline std::string_view name_of(Opcode code) { return row_of(code).name; }

// Computes each element of its result from the same element of its operands.
bool by_element(Opcode code);

// How `reduce` and `reduce_store` combine.
enum class Reduction { sum, max, min, any, all, argmax, prod };
inline constexpr int reduction_count = static_cast<int>(Reduction::prod) + 1;
std::string_view name_of(Reduction reduction);

}  // namespace aisp::jit
