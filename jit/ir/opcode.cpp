#include "jit/ir/opcode.hpp"

#include <array>

namespace aisp::jit {

namespace {

constexpr std::array opcode_rows{
    OpcodeRow{Opcode::block, "block", Family::place, 2},
    OpcodeRow{Opcode::extent, "extent", Family::place, 0},
    OpcodeRow{Opcode::choice, "choice", Family::place, 0},
    OpcodeRow{Opcode::constant, "constant", Family::number, 0},
    OpcodeRow{Opcode::iota, "iota", Family::number, 0},
    OpcodeRow{Opcode::to, "to", Family::number, 1},
    OpcodeRow{Opcode::view, "view", Family::memory, -1},
    OpcodeRow{Opcode::load, "load", Family::memory, 1},
    OpcodeRow{Opcode::store, "store", Family::memory, 2, 0, true},
    OpcodeRow{Opcode::reduce_store, "reduce_store", Family::memory, 2, 0, true},
    OpcodeRow{Opcode::gather, "gather", Family::memory, 1},
    OpcodeRow{Opcode::neg, "neg", Family::unary, 1},
    OpcodeRow{Opcode::abs, "abs", Family::unary, 1},
    OpcodeRow{Opcode::exp, "exp", Family::unary, 1},
    OpcodeRow{Opcode::exp2, "exp2", Family::unary, 1},
    OpcodeRow{Opcode::log, "log", Family::unary, 1},
    OpcodeRow{Opcode::log2, "log2", Family::unary, 1},
    OpcodeRow{Opcode::log1p, "log1p", Family::unary, 1},
    OpcodeRow{Opcode::expm1, "expm1", Family::unary, 1},
    OpcodeRow{Opcode::sqrt, "sqrt", Family::unary, 1},
    OpcodeRow{Opcode::rsqrt, "rsqrt", Family::unary, 1},
    OpcodeRow{Opcode::tanh, "tanh", Family::unary, 1},
    OpcodeRow{Opcode::sigmoid, "sigmoid", Family::unary, 1},
    OpcodeRow{Opcode::erf, "erf", Family::unary, 1},
    OpcodeRow{Opcode::erfc, "erfc", Family::unary, 1},
    OpcodeRow{Opcode::sin, "sin", Family::unary, 1},
    OpcodeRow{Opcode::cos, "cos", Family::unary, 1},
    OpcodeRow{Opcode::floor, "floor", Family::unary, 1},
    OpcodeRow{Opcode::ceil, "ceil", Family::unary, 1},
    OpcodeRow{Opcode::round, "round", Family::unary, 1},
    OpcodeRow{Opcode::trunc, "trunc", Family::unary, 1},
    OpcodeRow{Opcode::logical_not, "not", Family::logic, 1},
    OpcodeRow{Opcode::add, "add", Family::binary, 2},
    OpcodeRow{Opcode::sub, "sub", Family::binary, 2},
    OpcodeRow{Opcode::mul, "mul", Family::binary, 2},
    OpcodeRow{Opcode::div, "div", Family::binary, 2},
    OpcodeRow{Opcode::mod, "mod", Family::binary, 2},
    OpcodeRow{Opcode::min, "min", Family::binary, 2},
    OpcodeRow{Opcode::max, "max", Family::binary, 2},
    OpcodeRow{Opcode::pow, "pow", Family::binary, 2},
    OpcodeRow{Opcode::lt, "lt", Family::compare, 2},
    OpcodeRow{Opcode::le, "le", Family::compare, 2},
    OpcodeRow{Opcode::gt, "gt", Family::compare, 2},
    OpcodeRow{Opcode::ge, "ge", Family::compare, 2},
    OpcodeRow{Opcode::eq, "eq", Family::compare, 2},
    OpcodeRow{Opcode::ne, "ne", Family::compare, 2},
    OpcodeRow{Opcode::logical_and, "and", Family::logic, 2},
    OpcodeRow{Opcode::logical_or, "or", Family::logic, 2},
    OpcodeRow{Opcode::where, "where", Family::choose, 3},
    OpcodeRow{Opcode::fma, "fma", Family::binary, 3},
    OpcodeRow{Opcode::reshape, "reshape", Family::shape, 1},
    OpcodeRow{Opcode::transpose, "transpose", Family::shape, 1},
    OpcodeRow{Opcode::broadcast, "broadcast", Family::shape, 1},
    OpcodeRow{Opcode::reduce, "reduce", Family::across, 1},
    OpcodeRow{Opcode::dot, "dot", Family::across, -1},
    OpcodeRow{Opcode::loop, "loop", Family::control, -1, 1, true},
    OpcodeRow{Opcode::branch, "if", Family::control, 1, 2, true},
    OpcodeRow{Opcode::yield, "yield", Family::control, -1, 0, true},
};

constexpr bool in_order() {
  for (std::size_t at = 0; at < opcode_rows.size(); ++at)
    if (opcode_rows[at].code != static_cast<Opcode>(at)) return false;
  return opcode_rows.size() == static_cast<std::size_t>(Opcode::yield) + 1;
}
static_assert(in_order(), "row n is about opcode n");

}  // namespace

const OpcodeRow& row_of(Opcode code) { return opcode_rows[static_cast<int>(code)]; }

bool by_element(Opcode code) {
  const Family family = row_of(code).family;
  return family == Family::unary || family == Family::binary || family == Family::compare ||
         family == Family::logic || family == Family::choose || code == Opcode::to ||
         code == Opcode::gather;
}

std::string_view name_of(Reduction reduction) {
  constexpr std::array<std::string_view, reduction_count> names{"sum", "max",    "min", "any",
                                                                "all", "argmax", "prod"};
  return names[static_cast<int>(reduction)];
}

}  // namespace aisp::jit
