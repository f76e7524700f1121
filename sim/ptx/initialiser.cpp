// Initial values of variables, flattened in memory order. Braces mirror the dimensions, a vector
// type adds one level; elements left out at the end of a level are zero.
#include "sim/ptx/parser.hpp"

namespace aisp::sim::ptx {

void Parser::initialiser(Variable& variable) {
  if (is_opaque(variable.type)) return opaque_initialiser();
  if (variable.type == "f16" || variable.type == "f16x2")
    refuse("half-precision variables have no initial values");
  const std::size_t levels = variable.extents.size() + (variable.vector > 1 ? 1 : 0);
  if (levels == 0) {
    variable.initial.push_back(element(variable));
    return;
  }
  const std::uint64_t count = braces(variable, 0);
  if (variable.is_array && variable.extents[0] == 0) variable.extents[0] = count;
}

// { width = 1, filter_mode = nearest }: how a texture is read; nothing here reads one.
void Parser::opaque_initialiser() {
  expect('{');
  if (accept('}')) return;
  do {
    take_name("a property");
    expect('=');
    if (!at_name() && token_.kind != Token::Kind::number) refuse_token("a value");
    advance();
  } while (accept(','));
  expect('}');
}

// One level of braces; returns how many entries it holds.
std::uint64_t Parser::braces(Variable& variable, std::size_t level) {
  const std::size_t dimensions = variable.extents.size();
  const bool is_vector = level == dimensions;
  const bool is_last = level + (variable.vector > 1 ? 0 : 1) == dimensions || is_vector;
  const std::uint64_t most =
      is_vector ? static_cast<std::uint64_t>(variable.vector) : variable.extents[level];
  std::uint64_t inner = 1;  // elements of one entry
  if (!is_vector) {
    inner = static_cast<std::uint64_t>(variable.vector);
    for (std::size_t i = level + 1; i < dimensions; ++i) inner *= variable.extents[i];
  }
  const std::uint64_t first = variable.initial.size();
  std::uint64_t count = 0;

  expect('{');
  if (!at('}')) {
    do {
      const bool is_open = most == 0;
      if (!is_open && count == most) refuse("more initial values than elements");
      const std::uint64_t start = first + count * inner;
      const std::uint64_t missing = start - variable.initial.size();
      if (missing > padding_left_) refuse("the initial values leave out too many elements");
      padding_left_ -= missing;
      variable.initial.resize(start);
      if (is_last) {
        variable.initial.push_back(element(variable));
      } else {
        braces(variable, level + 1);
      }
      ++count;
    } while (accept(','));
  }
  expect('}');
  if (is_vector && count != most) refuse("a vector needs all of its elements");
  return count;
}

Expression Parser::element(const Variable& variable) {
  const char kind = variable.type[0];
  Expression value;
  if (at_name() && token_.text != "WARP_SZ") {
    value = symbol();
    if (kind == 'f' || type_bytes(variable.type) < 4) refuse("an address does not fit here");
    return value;
  }
  const Token next = token_.kind == Token::Kind::number ? peek() : Token{};
  if (next.kind == Token::Kind::mark && next.mark == mark('(')) {
    const int byte = mask_byte(primary());
    if (type_bytes(variable.type) != 1) refuse("a byte of an address is for 8-bit elements");
    expect('(');
    value = symbol();
    value.mask_byte = byte;
    expect(')');
    return value;
  }
  const Constant number = constant();
  const bool is_integer = number.kind == Constant::Kind::integer;
  if ((kind == 'f' && is_integer) || ((kind == 'u' || kind == 's') && !is_integer))
    refuse("the initial value is not of the variable's type");
  value.kind = is_integer                           ? Expression::Kind::integer
               : number.kind == Constant::Kind::f32 ? Expression::Kind::f32
                                                    : Expression::Kind::f64;
  value.bits = number.bits;
  return value;
}

// variable, function, variable+4, generic(variable), generic(variable)+4
Expression Parser::symbol() {
  Expression value;
  value.kind = Expression::Kind::symbol;
  value.symbol = take_name("a variable or a function");
  if (value.symbol == "generic" && accept('(')) {
    value.generic = true;
    value.symbol = take_name("a variable");
    expect(')');
  }
  if (accept('+')) value.bits = static_cast<std::uint64_t>(offset());
  return value;
}

int Parser::mask_byte(const Constant& mask) const {
  for (int byte = 0; byte < 8; ++byte) {
    if (mask.kind == Constant::Kind::integer && mask.bits == 0xffull << (8 * byte)) return byte;
  }
  refuse("a mask selects one byte: 0xFF, 0xFF00, ...");
}

}  // namespace aisp::sim::ptx
