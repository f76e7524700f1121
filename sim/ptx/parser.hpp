// The recursive-descent parser behind ptx::parse. It takes the grammar as ptxas takes it; names,
// types of operands and opcodes are for the decoder. One file per part of the grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/ptx/lexer.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim::ptx {

class Parser {
 public:
  explicit Parser(std::shared_ptr<const std::string> text);
  Module run();

 private:
  // parser.cpp: tokens
  [[noreturn]] void refuse(std::string_view what) const;
  [[noreturn]] void refuse_token(std::string_view wanted) const;
  void advance() {
    previous_end_ = token_.text.data() + token_.text.size();
    token_ = lexer_.next();
  }
  Token peek() const;
  bool at(char c) const { return token_.kind == Token::Kind::mark && token_.mark == mark(c); }
  bool at_name() const { return token_.kind == Token::Kind::name; }
  bool at_directive() const { return token_.kind == Token::Kind::directive; }
  bool at_directive(std::string_view name) const {
    return at_directive() && token_.text.substr(1) == name;
  }
  bool accept(char c);
  bool accept_directive(std::string_view name);
  void expect(char c);
  std::string_view take_name(std::string_view wanted);
  std::string_view take_directive();  // without the dot
  std::string_view take_string();
  std::uint64_t take_count(std::uint64_t most, std::string_view what);
  std::string_view keep(std::string made);  // a name that does not stand in the text as one

  // module.cpp
  void header();
  void module_statement();
  void file();
  void section();
  void alias();

  // function.cpp
  struct Linkage {
    bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
  };
  Linkage linkage();
  void function(const Linkage& linkage);
  void take_old_parameters(Function& function);
  void performance(std::vector<Performance>& list, bool is_entry);
  void pragma();
  void block(Block& block);
  void statement(Block& block);
  void labelled(Block& block, const Token& name);
  void location();
  TargetList target_list(const Token& name, bool is_calls);
  Prototype prototype(const Token& name);

  // variable.cpp
  std::vector<Variable> declarations(const Linkage& linkage);
  std::vector<Variable> parameters();
  Variable declaration_head();
  void attributes(Variable& variable);
  std::uint64_t alignment();
  std::string_view type();
  Variable parameter();
  Variable declarator(const Variable& head);
  void extents(Variable& variable);
  void check_extents(const Variable& variable) const;
  void declare(const Variable& variable);

  // initialiser.cpp
  void initialiser(Variable& variable);
  void opaque_initialiser();
  std::uint64_t braces(Variable& variable, std::size_t level);
  Expression element(const Variable& variable);
  Expression symbol();
  int mask_byte(const Constant& mask) const;

  // expression.cpp
  Constant constant();  // a whole constant expression
  Constant binary(int least);
  Constant apply(const Token& op, const Constant& left, const Constant& right) const;
  Constant apply_floats(const Token& op, double left, double right) const;
  Constant unary();
  Constant primary();
  std::int64_t offset();  // an integer constant expression

  // instruction.cpp
  Instruction instruction(const Token* root);
  void guard(Instruction& instruction);
  void call(Instruction& instruction);
  std::vector<Operand> call_list();
  Operand operand();
  Operand paired(Operand first);
  Operand named();
  Operand simple();  // a name, a sink or a constant
  Operand vector();
  Operand address();
  void index(Operand& operand);
  std::string_view selected_name();
  Operand begin(Operand::Kind kind) const;

  // Counts nesting; unwinds with the stack.
  struct Deeper {
    Deeper(Parser& parser, int& counter, int most) : depth(counter) {
      if (++depth > most) {
        --depth;
        parser.refuse("nested too deeply");
      }
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --depth; }
    int& depth;
  };

  std::shared_ptr<const std::string> text_;
  Lexer lexer_;
  Token token_;
  const char* previous_end_ = nullptr;  // one past the token before
  Module module_;
  SourceLine source_;
  int block_depth_ = 0, expression_depth_ = 0;
  std::uint64_t padding_left_ = 1 << 22;  // elements that initialisers may leave out, all together
  bool index_is_value_ = false;           // `a[2]` means the address itself: in mov and cvta
  // Bytes of one element of the arrays in sight, innermost scope last: `a[2]` counts elements.
  std::vector<std::unordered_map<std::string_view, unsigned>> arrays_;
  std::vector<std::string_view> modifiers_;  // scratch of instruction()
};

// Bytes of a type of a variable: 4 of "b32". 0: not the name of one; opaque ones and pred have 1.
unsigned type_bytes(std::string_view type);
bool is_opaque(std::string_view type);  // texref, samplerref, surfref

}  // namespace aisp::sim::ptx
