// Declarations: registers, variables in memory, and the parameters of functions.
#include <array>
#include <bit>

#include "sim/ptx/parser.hpp"

namespace aisp::sim::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  unsigned bytes;
};
constexpr std::array type_rows = {
    TypeRow{"b32", 4},        TypeRow{"b64", 8},   TypeRow{"u32", 4},    TypeRow{"u64", 8},
    TypeRow{"b8", 1},         TypeRow{"f32", 4},   TypeRow{"pred", 1},   TypeRow{"b16", 2},
    TypeRow{"s32", 4},        TypeRow{"s64", 8},   TypeRow{"f64", 8},    TypeRow{"u16", 2},
    TypeRow{"s16", 2},        TypeRow{"u8", 1},    TypeRow{"s8", 1},     TypeRow{"f16", 2},
    TypeRow{"f16x2", 4},      TypeRow{"b128", 16}, TypeRow{"texref", 1}, TypeRow{"surfref", 1},
    TypeRow{"samplerref", 1},
};

struct SpaceRow {
  std::string_view name;
  Space space;
};
constexpr std::array space_rows = {
    SpaceRow{"reg", Space::reg},       SpaceRow{"param", Space::param},
    SpaceRow{"local", Space::local},   SpaceRow{"shared", Space::shared},
    SpaceRow{"global", Space::global}, SpaceRow{"const", Space::constant},
};

constexpr std::uint64_t most_registers = 1 << 20;
constexpr int no_registers = -1;  // `%r<0>`, which declares none
constexpr std::uint64_t most_elements = 1ull << 40;
constexpr std::size_t most_dimensions = 16;
constexpr std::uint64_t most_alignment = 1 << 30;

Space space_of(std::string_view name) {
  for (const SpaceRow& row : space_rows) {
    if (row.name == name) return row.space;
  }
  return Space::none;
}

}  // namespace

unsigned type_bytes(std::string_view type) {
  for (const TypeRow& row : type_rows) {
    if (row.name == type) return row.bytes;
  }
  return 0;
}

bool is_opaque(std::string_view type) { return type.ends_with("ref"); }

std::vector<Variable> Parser::declarations(const Linkage& flags) {
  Variable head = declaration_head();
  head.is_extern = flags.is_extern;
  head.is_visible = flags.is_visible;
  head.is_weak = flags.is_weak;
  head.is_common = flags.is_common;
  std::vector<Variable> list;
  do {
    list.push_back(declarator(head));
    declare(list.back());
    if (list.back().count == no_registers) list.pop_back();
  } while (accept(','));
  expect(';');
  return list;
}

// .space .align 8 .attribute(...) in any order, then [.v4] .type
Variable Parser::declaration_head() {
  Variable head;
  while (at_directive()) {
    const Space space = space_of(token_.text.substr(1));
    if (space != Space::none) {
      if (head.space != Space::none) refuse("a variable has one state space");
      head.space = space;
      advance();
    } else if (at_directive("align")) {
      head.align = alignment();
    } else if (at_directive("attribute")) {
      attributes(head);
    } else {
      break;
    }
  }
  if (at_directive("v2") || at_directive("v4")) head.vector = take_directive()[1] - '0';
  if (!at_directive()) refuse_token("a type");
  if (head.space == Space::none && type_bytes(token_.text.substr(1)) == 0)
    refuse_token("a directive or a state space");
  head.type = type();
  if (head.space == Space::none) refuse("the variable has no state space");
  return head;
}

// .attribute(.managed, .unified(1, 2))
void Parser::attributes(Variable& variable) {
  advance();
  expect('(');
  do {
    if (accept_directive("managed")) {
      variable.is_managed = true;
    } else if (accept_directive("unified")) {
      expect('(');
      take_count(~0ull, "a part of the identifier");
      expect(',');
      take_count(~0ull, "a part of the identifier");
      expect(')');
    } else {
      refuse_token("an attribute");
    }
  } while (accept(','));
  expect(')');
}

std::uint64_t Parser::alignment() {
  advance();
  const std::uint64_t align = take_count(most_alignment, "an alignment");
  if (!std::has_single_bit(align)) refuse("an alignment is a power of two");
  return align;
}

std::string_view Parser::type() {
  if (!at_directive() || type_bytes(token_.text.substr(1)) == 0)
    refuse_token("a type that a variable can have");
  return take_directive();
}

std::vector<Variable> Parser::parameters() {
  std::vector<Variable> list;
  expect('(');
  if (accept(')')) return list;
  do list.push_back(parameter());
  while (accept(','));
  expect(')');
  return list;
}

// .param .u64 .ptr .global .align 8 name, .param .align 8 .b8 name[16], .reg .u32 name
Variable Parser::parameter() {
  Variable parameter = declaration_head();
  if (parameter.space != Space::param && parameter.space != Space::reg)
    refuse("a parameter is a .param or .reg variable");
  if (accept_directive("ptr")) {
    if (at_directive() && space_of(token_.text.substr(1)) != Space::none) advance();
    if (at_directive("align")) alignment();  // of what the pointer points to
  }
  parameter.position.line = token_.line;
  if (!at_name()) refuse_token("a name");
  parameter.name = token_.text;
  advance();
  if (at('[')) extents(parameter);
  if (parameter.extents.size() > 1) refuse("a parameter has at most one dimension");
  if (parameter.space == Space::reg && parameter.is_array) refuse("a register is no array");
  return parameter;
}

Variable Parser::declarator(const Variable& head) {
  Variable variable = head;
  variable.position.line = token_.line;
  variable.name = take_name("a name");
  if (variable.space == Space::reg) {
    if (accept('<')) {
      variable.count = static_cast<int>(take_count(most_registers, "a count of registers"));
      expect('>');
      if (variable.count == 0) variable.count = no_registers;
    }
    return variable;
  }
  if (variable.type == "pred") refuse("predicates live in registers");
  if (at('[')) extents(variable);
  if (accept('=')) {
    if (variable.space != Space::global && variable.space != Space::constant)
      refuse("only .global and .const variables have initial values");
    if (variable.is_extern) refuse("an .extern variable has no initial value");
    initialiser(variable);
  }
  check_extents(variable);
  return variable;
}

void Parser::extents(Variable& variable) {
  variable.is_array = true;
  while (accept('[')) {
    if (variable.extents.size() == most_dimensions) refuse("too many dimensions");
    if (at(']')) {
      if (!variable.extents.empty()) refuse("only the first dimension may be open");
      variable.extents.push_back(0);
    } else {
      variable.extents.push_back(take_count(most_elements, "an extent"));
      if (variable.extents.back() == 0) refuse("an extent is at least 1");
    }
    expect(']');
  }
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : variable.extents) {
    if (extent > most_elements / elements) refuse("the array is too large");
    if (extent != 0) elements *= extent;
  }
}

// An open array gets its size elsewhere: at the launch, or from the initial value.
void Parser::check_extents(const Variable& variable) const {
  if (variable.is_array && variable.extents[0] == 0 && !variable.is_extern)
    refuse("only an .extern array or one with initial values may be open");
}

void Parser::declare(const Variable& variable) {
  if (variable.is_array) arrays_.back()[variable.name] = type_bytes(variable.type);
}

}  // namespace aisp::sim::ptx
