// Instructions and their operands.
#include "sim/ptx/parser.hpp"

namespace aisp::sim::ptx {
namespace {

Expression expression_of(const Constant& constant) {
  Expression value;
  switch (constant.kind) {
    case Constant::Kind::integer:
      value.kind = Expression::Kind::integer;
      break;
    case Constant::Kind::f32:
      value.kind = Expression::Kind::f32;
      break;
    case Constant::Kind::f64:
      value.kind = Expression::Kind::f64;
      break;
  }
  value.bits = constant.bits;
  return value;
}

// .x to .w and .r to .a of a vector, .b0 to .b3 and .h0, .h1 of a register
bool is_selector(std::string_view text) {
  if (text.size() == 2) return std::string_view("xyzwrgba").find(text[1]) != std::string_view::npos;
  if (text.size() != 3) return false;
  return (text[1] == 'b' && text[2] >= '0' && text[2] <= '3') ||
         (text[1] == 'h' && text[2] >= '0' && text[2] <= '1');
}

}  // namespace

// `root` is the opcode's token where it has been taken already; the guard comes before it.
Instruction Parser::instruction(const Token* root) {
  Instruction read;
  const char* first = root != nullptr ? root->text.data() : token_.text.data();
  read.position.line = root != nullptr ? root->line : token_.line;
  read.source = source_;
  if (root != nullptr) {
    read.root = root->text;
  } else {
    guard(read);
    read.root = take_name("an opcode");
  }
  modifiers_.clear();
  while (at_directive()) modifiers_.push_back(take_directive());
  read.modifiers.assign(modifiers_.begin(), modifiers_.end());

  index_is_value_ = read.root == "mov" || read.root == "cvta";
  if (read.root == "call") {
    call(read);
  } else if (!at(';')) {
    constexpr std::size_t usual = 4;
    read.operands.reserve(usual);
    do read.operands.push_back(operand());
    while (accept(','));
  }
  if (!at(';')) refuse_token("',' or ';'");
  const char* last = token_.text.data() + 1;
  read.text = {first, static_cast<std::size_t>(last - first)};
  advance();
  return read;
}

void Parser::guard(Instruction& instruction) {
  expect('@');
  instruction.guard_negated = accept('!');
  instruction.guard = take_name("a predicate");
}

// call [(results),] callee [, (arguments)] [, prototype or table];
void Parser::call(Instruction& instruction) {
  if (at('(')) {
    instruction.results = call_list();
    instruction.has_results = !instruction.results.empty();
    expect(',');
  }
  const auto name = [&](std::string_view wanted) {
    Operand read = begin(Operand::Kind::name);
    read.name = take_name(wanted);
    instruction.operands.push_back(std::move(read));
  };
  name("a function");
  if (!accept(',')) return;
  if (!at('(')) return name("'(' or a prototype");
  instruction.arguments = call_list();
  if (accept(',')) name("a prototype");
}

std::vector<Operand> Parser::call_list() {
  std::vector<Operand> list;
  expect('(');
  if (accept(')')) return list;
  do list.push_back(simple());
  while (accept(','));
  expect(')');
  return list;
}

Operand Parser::begin(Operand::Kind kind) const {
  Operand operand;
  operand.kind = kind;
  operand.position.line = token_.line;
  return operand;
}

Operand Parser::operand() {
  if (at('{')) return paired(vector());
  if (at('[')) return address();
  const bool is_name = at_name() && token_.text != "WARP_SZ";
  if (is_name) return named();
  if (at('!') || at('-')) {
    const Token next = peek();
    if (next.kind == Token::Kind::name && next.text != "WARP_SZ") {
      if (at('-')) refuse("a register is not negated with '-'");
      advance();
      Operand negated = begin(Operand::Kind::name);
      negated.negated = true;
      negated.name = selected_name();
      return negated;
    }
  }
  return simple();
}

// d|p, where d may be a vector: {r, g, b, a}|p
Operand Parser::paired(Operand first) {
  if (!at('|')) return first;
  Operand pair = begin(Operand::Kind::pair);
  pair.position = first.position;
  advance();
  if (!at_name()) refuse_token("a register or '_'");
  pair.parts.reserve(2);
  pair.parts.push_back(std::move(first));
  pair.parts.push_back(simple());
  return pair;
}

// a, a.x, a+4, a[2], _, and d|p
Operand Parser::named() {
  Operand first = simple();
  if (at('|')) return paired(std::move(first));
  if (first.kind != Operand::Kind::name) return first;
  if (accept('+')) {
    first.offset = offset();
  } else if (at('[')) {
    index(first);
  }
  return first;
}

// Turns the name into the address of its element: a[2] is the array's address plus two elements.
void Parser::index(Operand& operand) {
  unsigned bytes = 0;
  for (auto scope = arrays_.rbegin(); scope != arrays_.rend() && bytes == 0; ++scope) {
    const auto found = scope->find(operand.name);
    if (found != scope->end()) bytes = found->second;
  }
  if (bytes == 0) refuse("only an array is indexed");
  expect('[');
  if (at_name() && token_.text != "WARP_SZ") refuse("an array is indexed with constants only");
  const std::uint64_t element = static_cast<std::uint64_t>(offset());
  const auto place = static_cast<std::int64_t>(element * bytes);
  expect(']');
  if (index_is_value_) {
    operand.offset = place;
    return;
  }
  operand.kind = Operand::Kind::address;
  operand.address.base = operand.name;
  operand.address.offset = place;
  operand.name = {};
}

Operand Parser::simple() {
  if (at_name() && token_.text == "_") {
    Operand sink = begin(Operand::Kind::sink);
    advance();
    return sink;
  }
  if (at_name() && token_.text != "WARP_SZ") {
    Operand name = begin(Operand::Kind::name);
    name.name = selected_name();
    return name;
  }
  Operand value = begin(Operand::Kind::value);
  value.value = expression_of(constant());
  return value;
}

// %tid.x, v.y and r.b0 are one name.
std::string_view Parser::selected_name() {
  const std::string_view name = take_name("a name");
  if (!at_directive() || !is_selector(token_.text)) return name;
  const std::string_view selector = token_.text;
  advance();
  if (selector.data() == name.data() + name.size())
    return {name.data(), name.size() + selector.size()};
  return keep(std::string(name).append(selector));
}

Operand Parser::vector() {
  Operand read = begin(Operand::Kind::vector);
  expect('{');
  do read.parts.push_back(simple());
  while (accept(','));
  expect('}');
  return read;
}

// [a], [a+4], [16], [map, {x, y}]
Operand Parser::address() {
  Operand read = begin(Operand::Kind::address);
  expect('[');
  if (!at_name() || token_.text == "WARP_SZ") {
    read.address.offset = offset();
  } else {
    read.address.base = take_name("a register or a variable");
    if (accept('+')) {
      read.address.offset = offset();
    } else {
      while (accept(',')) {
        if (!at('{') && !at_name()) refuse_token("a register, a variable or '{'");
        read.address.more.push_back(at('{') ? vector() : simple());
      }
    }
  }
  expect(']');
  return read;
}

}  // namespace aisp::sim::ptx
