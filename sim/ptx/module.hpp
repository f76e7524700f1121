// PTX text as it was written: names, modifiers and operands, nothing resolved. Views point into
// the text, which the Module keeps.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace aisp::sim::ptx {

struct Position {
  int line = 0;  // of the PTX text, from 1
};

// `.loc file line column [, function_name label, inlined_at file line column]`
struct SourceLine {
  int file = 0;  // index of the `.file` directive; 0 where there is no line information
  int line = 0;
};

enum class Space { none, reg, constant, global, local, param, shared };

struct Expression;
using ExpressionBox = std::shared_ptr<const Expression>;

// A constant expression of an initialiser or an operand: numbers are folded by the parser, what
// stays symbolic is the address of a variable or function plus an offset.
struct Expression {
  enum class Kind { integer, f32, f64, symbol } kind = Kind::integer;
  std::uint64_t bits = 0;   // integer: two's complement; f32, f64: the bits; symbol: the offset
  std::string_view symbol;  // kind symbol
  bool generic = false;     // generic(symbol): its generic address
  int mask_byte = -1;       // mask(symbol) of `0xFF00(symbol)`: which byte of the address; -1 none
};

struct Operand;

// [base], [base+4], [16], [variable+8], and for tensors [map, {x, y}] or [address, mbarrier]
struct Address {
  std::string_view base;  // register or variable; empty for an absolute address
  std::int64_t offset = 0;
  std::vector<Operand> more;  // what follows a comma inside the brackets
};

struct Operand {
  enum class Kind {
    name,     // register, special register (%tid.x), variable, label, function; offset: name+4;
              // a[2] is a plus two elements: an address, but a name in mov and cvta
    value,    // integer or floating-point constant
    vector,   // {a, b, ...}
    address,  // [ ... ]
    pair,     // d|p
    sink,     // _
  } kind = Kind::sink;
  Position position;
  std::string_view name;       // kind name
  std::int64_t offset = 0;     // kind name: variable + offset
  bool negated = false;        // !p; the -a that only vmad takes is refused
  Expression value;            // kind value
  std::vector<Operand> parts;  // kind vector; kind pair: exactly two
  Address address;             // kind address
};

struct Instruction {
  Position position;
  SourceLine source;
  std::string_view guard;  // register of @p or @!p; empty without
  bool guard_negated = false;
  std::string_view text;                    // the whole statement from guard to semicolon
  std::string_view root;                    // "ld" of "ld.global.v4.u32"
  std::vector<std::string_view> modifiers;  // {"global", "v4", "u32"}; "L2::128B" is one
  std::vector<Operand> operands;            // in the order written; call keeps its own fields below
  // call (results), callee, (arguments), prototype_or_table: operands are the callee and, where one
  // is written, the prototype or table. has_results: the results are not empty.
  bool has_results = false;
  std::vector<Operand> results, arguments;
};

// `.reg .b32 %r<35>;` declares %r0 to %r34; count 0 declares the one name. A vector register
// (`.reg .v4 .f32 a`) has `vector` 2 or 4. An open array with initial values has the extent they
// give it; what a texref or samplerref is initialised with is dropped.
struct Variable {
  Position position;
  Space space = Space::none;
  std::string_view name;
  std::string_view type;  // "b32", "f16x2", "pred", "texref"
  int count = 0;          // registers: %r<count>; 0: a single one
  int vector = 1;
  std::uint64_t align = 0;  // 0: the natural one of the type
  bool is_array = false;
  std::vector<std::uint64_t> extents;  // of an array; an extent of 0 is []
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
  bool is_managed = false;          // .attribute(.managed)
  std::vector<Expression> initial;  // flattened in memory order; missing ones are zero
};

struct Label {
  Position position;
  std::string_view name;
};
// $L: .branchtargets A, B;   P: .callprototype (...) _ (...);   T: .calltargets f, g;
struct TargetList {
  Position position;
  std::string_view name;
  std::vector<std::string_view> labels;
  bool is_calls = false;
};
struct Prototype {
  Position position;
  std::string_view name;
  std::vector<Variable> results, parameters;
};

struct Block;
using Statement =
    std::variant<Instruction, Label, Variable, TargetList, Prototype, std::shared_ptr<Block>>;

// { ... }: a scope; names declared in it hide outer ones.
struct Block {
  std::vector<Statement> statements;
};

// `.maxntid 128, 1, 1`, `.reqntid`, `.minnctapersm`, `.maxnreg`, `.reqnctapercluster`,
// `.explicitcluster`, `.maxclusterrank`, `.pragma "..."`, `.noreturn`
struct Performance {
  std::string_view name;  // without the dot
  std::vector<std::uint64_t> values;
  std::string_view text;
};

struct Function {
  Position position;
  std::string_view name;
  bool is_entry = false, is_extern = false, is_visible = false, is_weak = false;
  bool has_body = false;
  std::vector<Variable> results, parameters;
  std::vector<Performance> performance;
  Block body;
};

struct Module {
  std::shared_ptr<const std::string> text;  // what all views point into
  // Names that do not stand in the text as one: L0 and L1 of `.branchtargets L<2>`.
  std::shared_ptr<std::deque<std::string>> made;
  int version_major = 0, version_minor = 0;
  std::string_view target;  // "sm_90a"
  std::vector<std::string_view> target_options;
  int address_size = 64;
  std::vector<Variable> variables;  // module scope
  std::vector<Function> functions;  // definitions and declarations, in order
  std::vector<std::string> files;   // .file N "path": files[N]; files[0] is empty
  // `.alias name, aliasee`
  struct Alias {
    std::string_view name, target;
  };
  std::vector<Alias> aliases;
};

// Thrown by the parser and the decoder: what is wrong, where, with the text of the line.
class Refused : public std::exception {
 public:
  Refused(int line, std::string message) : line_(line), message_(std::move(message)) {}
  int line() const { return line_; }
  // The function that has the line; empty outside of any.
  const std::string& function() const { return function_; }
  void in_function(std::string_view name) { function_ = name; }
  const char* what() const noexcept override { return message_.c_str(); }  // "line 12: ...: <text>"

 private:
  int line_;
  std::string message_, function_;
};

Module parse(std::string text);

}  // namespace aisp::sim::ptx
