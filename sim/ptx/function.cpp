// Functions, their bodies, and the statements that are neither instructions nor variables.
#include <array>
#include <utility>
#include <vector>

#include "sim/ptx/parser.hpp"

namespace aisp::sim::ptx {
namespace {

struct PerformanceRow {
  std::string_view name;
  int least, most;    // numbers that follow
  bool is_for_entry;  // the others are for any function
};
constexpr std::array performance_rows = {
    PerformanceRow{"maxntid", 1, 3, true},
    PerformanceRow{"reqntid", 1, 3, true},
    PerformanceRow{"minnctapersm", 1, 1, true},
    PerformanceRow{"maxnctapersm", 1, 1, true},
    PerformanceRow{"maxnreg", 1, 1, true},
    PerformanceRow{"reqnctapercluster", 1, 3, true},
    PerformanceRow{"explicitcluster", 0, 0, true},
    PerformanceRow{"maxclusterrank", 1, 1, true},
    PerformanceRow{"blocksareclusters", 0, 0, true},
    PerformanceRow{"noreturn", 0, 0, false},
    PerformanceRow{"abi_preserve", 1, 1, false},
    PerformanceRow{"abi_preserve_control", 1, 1, false},
    PerformanceRow{"pragma", 0, 0, false},
};

constexpr int most_blocks = 250;           // nested in one another
constexpr std::uint64_t most_made = 4096;  // names that one `L<count>` stands for

}  // namespace

Parser::Linkage Parser::linkage() {
  Linkage flags;
  if (accept_directive("extern")) {
    flags.is_extern = true;
  } else if (accept_directive("visible")) {
    flags.is_visible = true;
  } else if (accept_directive("weak")) {
    flags.is_weak = true;
  } else if (accept_directive("common")) {
    flags.is_common = true;
  }
  return flags;
}

void Parser::function(const Linkage& flags) {
  if (flags.is_common) refuse(".common is for variables");
  Function function;
  function.position.line = token_.line;
  function.is_entry = take_directive() == "entry";
  function.is_extern = flags.is_extern;
  function.is_visible = flags.is_visible;
  function.is_weak = flags.is_weak;
  Variable attributed;
  while (at_directive("attribute")) attributes(attributed);

  if (!function.is_entry && at('(')) function.results = parameters();
  function.name = take_name("the name of the function");
  if (at('(')) function.parameters = parameters();
  for (const Variable& parameter : function.parameters) {
    if (function.is_entry && parameter.space != Space::param)
      refuse("the parameters of an entry are .param variables");
  }
  performance(function.performance, function.is_entry);

  if (at('{')) {
    if (function.is_extern) refuse("an .extern function has no body");
    function.has_body = true;
    source_ = {};
    arrays_.emplace_back();
    for (const Variable& parameter : function.parameters) declare(parameter);
    try {
      block(function.body);
      if (function.is_entry) take_old_parameters(function);
    } catch (Refused& refused) {
      refused.in_function(function.name);
      throw;
    }
    arrays_.pop_back();
  } else {
    expect(';');
  }
  module_.functions.push_back(std::move(function));
}

// Before PTX 1.4 an entry has no list of parameters: they are declared in its body.
void Parser::take_old_parameters(Function& function) {
  const bool has_lists = std::pair(module_.version_major, module_.version_minor) >= std::pair(1, 4);
  if (has_lists || !function.parameters.empty()) return;
  std::erase_if(function.body.statements, [&](Statement& statement) {
    auto* variable = std::get_if<Variable>(&statement);
    if (variable == nullptr || variable->space != Space::param) return false;
    function.parameters.push_back(std::move(*variable));
    return true;
  });
}

void Parser::performance(std::vector<Performance>& list, bool is_entry) {
  while (at_directive()) {
    const PerformanceRow* row = nullptr;
    for (const PerformanceRow& candidate : performance_rows) {
      if (at_directive(candidate.name) && (is_entry || !candidate.is_for_entry)) row = &candidate;
    }
    if (row == nullptr) refuse_token("a performance directive, '{' or ';'");
    Performance directive;
    directive.name = row->name;
    const char* first = token_.text.data();
    if (row->name == "pragma") {
      pragma();
    } else {
      advance();
      for (int count = 0; count < row->least || (count < row->most && accept(',')); ++count)
        directive.values.push_back(take_count(0xffffffff, "the value"));
    }
    directive.text = {first, static_cast<std::size_t>(previous_end_ - first)};
    list.push_back(std::move(directive));
  }
}

void Parser::pragma() {
  advance();
  do take_string();
  while (accept(','));
  expect(';');
}

void Parser::block(Block& block) {
  const Deeper deeper(*this, block_depth_, most_blocks);
  expect('{');
  arrays_.emplace_back();
  while (!at('}')) {
    if (token_.kind == Token::Kind::end) refuse_token("'}'");
    statement(block);
  }
  advance();
  arrays_.pop_back();
}

void Parser::statement(Block& outer) {
  if (at_name()) {
    const Token name = token_;
    advance();
    if (accept(':')) return labelled(outer, name);
    outer.statements.emplace_back(instruction(&name));
  } else if (at('@')) {
    outer.statements.emplace_back(instruction(nullptr));
  } else if (at('{')) {
    auto inner = std::make_shared<Block>();
    block(*inner);
    outer.statements.emplace_back(std::move(inner));
  } else if (at_directive("loc")) {
    location();
  } else if (at_directive("pragma")) {
    pragma();
  } else if (at_directive()) {
    for (Variable& variable : declarations({})) outer.statements.emplace_back(std::move(variable));
  } else {
    refuse_token("a statement");
  }
}

// What follows `name:`
void Parser::labelled(Block& block, const Token& name) {
  if (name.text == "_") refuse("'_' is not a label");
  if (accept_directive("branchtargets")) {
    block.statements.emplace_back(target_list(name, false));
  } else if (accept_directive("calltargets")) {
    block.statements.emplace_back(target_list(name, true));
  } else if (accept_directive("callprototype")) {
    block.statements.emplace_back(prototype(name));
  } else {
    block.statements.emplace_back(Label{{name.line}, name.text});
  }
}

// .loc 1 5 3 [, function_name label[+4], inlined_at 1 6 4]
void Parser::location() {
  advance();
  constexpr std::uint64_t most = 0x7fffffff;
  const auto triple = [&] {
    SourceLine read;
    read.file = static_cast<int>(take_count(most, "a file index"));
    read.line = static_cast<int>(take_count(most, "a line"));
    take_count(most, "a column");
    return read;
  };
  source_ = triple();
  if (!accept(',')) return;
  if (take_name("function_name") != "function_name") refuse("expected function_name");
  take_name("a label");
  if (accept('+')) take_count(most, "an offset");
  expect(',');
  if (take_name("inlined_at") != "inlined_at") refuse("expected inlined_at");
  triple();
}

TargetList Parser::target_list(const Token& name, bool is_calls) {
  TargetList list;
  list.position.line = name.line;
  list.name = name.text;
  list.is_calls = is_calls;
  do {
    const std::string_view label = take_name("a label");
    if (!accept('<')) {
      list.labels.push_back(label);
      continue;
    }
    const std::uint64_t count = take_count(most_made, "a count of labels");
    expect('>');
    for (std::uint64_t i = 0; i < count; ++i)
      list.labels.push_back(keep(std::string(label) + std::to_string(i)));
  } while (accept(','));
  expect(';');
  return list;
}

// .callprototype [(results)] _ [(parameters)] [.noreturn];
Prototype Parser::prototype(const Token& name) {
  Prototype read;
  read.position.line = name.line;
  read.name = name.text;
  if (at('(')) read.results = parameters();
  if (!at_name() || token_.text != "_") refuse_token("'_'");
  advance();
  if (at('(')) read.parameters = parameters();
  std::vector<Performance> ignored;
  performance(ignored, false);
  expect(';');
  return read;
}

}  // namespace aisp::sim::ptx
