// The module: its header and what stands outside of functions.
#include <charconv>

#include "sim/ptx/parser.hpp"

namespace aisp::sim::ptx {

Module parse(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();  // images end in zeros
  return Parser(std::make_shared<const std::string>(std::move(text))).run();
}

Module Parser::run() {
  header();
  while (token_.kind != Token::Kind::end) module_statement();
  return std::move(module_);
}

void Parser::header() {
  if (!accept_directive("version")) refuse("a module begins with .version");
  const std::string_view version = token_.text;
  const std::size_t dot = version.find('.');
  const auto read = [&](std::string_view digits, int& number) {
    const char* last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    return error == std::errc{} && end == last;
  };
  if (token_.kind != Token::Kind::number || dot == std::string_view::npos ||
      !read(version.substr(0, dot), module_.version_major) ||
      !read(version.substr(dot + 1), module_.version_minor))
    refuse_token("a version such as 9.0");
  advance();

  if (!accept_directive("target")) refuse(".target must follow .version");
  module_.target = take_name("a target such as sm_90a");
  const std::string_view number = module_.target.substr(module_.target.find('_') + 1);
  const bool is_known = module_.target.starts_with("sm_") || module_.target.starts_with("compute_");
  if (!is_known || number.empty() || number[0] < '0' || number[0] > '9')
    refuse("a target is sm_ or compute_ and a number");
  while (accept(',')) module_.target_options.push_back(take_name("a target option"));

  if (accept_directive("address_size")) {
    module_.address_size = static_cast<int>(take_count(64, "an address size"));
    if (module_.address_size != 32 && module_.address_size != 64)
      refuse("the address size is 32 or 64");
  }
}

void Parser::module_statement() {
  if (!at_directive()) refuse_token("a directive");
  if (at_directive("file")) return file();
  if (at_directive("section")) return section();
  if (at_directive("alias")) return alias();
  if (at_directive("pragma")) return pragma();
  const Linkage flags = linkage();
  if (at_directive("entry") || at_directive("func")) return function(flags);
  for (Variable& variable : declarations(flags)) {
    const Space space = variable.space;
    if (space == Space::reg || space == Space::local || space == Space::param)
      refuse("registers, .local and .param variables belong to a function");
    module_.variables.push_back(std::move(variable));
  }
}

// .file 1 "path" [, timestamp, size]
void Parser::file() {
  advance();
  constexpr std::uint64_t most_files = 1 << 16;
  const std::uint64_t index = take_count(most_files, "a file index");
  const std::string_view path = take_string();
  if (accept(',')) {
    take_count(~0ull, "a timestamp");
    expect(',');
    take_count(~0ull, "a file size");
  }
  if (module_.files.size() <= index) module_.files.resize(index + 1);
  module_.files[index] = path;
}

// .section .debug_info { ... }: debug information, of no use here.
void Parser::section() {
  advance();
  if (!at_directive()) refuse_token("the name of a section");
  advance();
  expect('{');
  while (!at('}')) {
    if (token_.kind == Token::Kind::end || token_.kind == Token::Kind::string || at('{'))
      refuse_token("data or '}'");
    advance();
  }
  advance();
}

void Parser::alias() {
  advance();
  Module::Alias alias;
  alias.name = take_name("a function");
  expect(',');
  alias.target = take_name("a function");
  expect(';');
  module_.aliases.push_back(alias);
}

}  // namespace aisp::sim::ptx
