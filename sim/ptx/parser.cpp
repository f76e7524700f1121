// Tokens as the parts of the parser take them.
#include "sim/ptx/parser.hpp"

namespace aisp::sim::ptx {

Parser::Parser(std::shared_ptr<const std::string> text) : text_(std::move(text)), lexer_(*text_) {
  module_.text = text_;
  module_.files.emplace_back();
  arrays_.emplace_back();
  token_ = lexer_.next();
}

void Parser::refuse(std::string_view what) const { throw refusal(*text_, token_.line, what); }

void Parser::refuse_token(std::string_view wanted) const {
  std::string what = "expected ";
  what.append(wanted).append(", not ");
  if (token_.kind == Token::Kind::end) {
    what += "the end of the text";
  } else {
    constexpr std::size_t longest = 60;
    what.append("'").append(token_.text.substr(0, longest)).append("'");
  }
  refuse(what);
}

Token Parser::peek() const {
  Lexer ahead = lexer_;
  return ahead.next();
}

bool Parser::accept(char c) {
  if (!at(c)) return false;
  advance();
  return true;
}

bool Parser::accept_directive(std::string_view name) {
  if (!at_directive(name)) return false;
  advance();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c)) refuse_token(std::string("'") + c + "'");
}

std::string_view Parser::take_name(std::string_view wanted) {
  if (!at_name() || token_.text == "_") refuse_token(wanted);
  const std::string_view name = token_.text;
  advance();
  return name;
}

std::string_view Parser::take_directive() {
  const std::string_view name = token_.text.substr(1);
  advance();
  return name;
}

std::string_view Parser::take_string() {
  if (token_.kind != Token::Kind::string) refuse_token("a string");
  const std::string_view text = token_.text;
  advance();
  return text;
}

std::uint64_t Parser::take_count(std::uint64_t most, std::string_view what) {
  if (at_name() && token_.text == "WARP_SZ") {
    advance();
    return 32;
  }
  if (token_.kind != Token::Kind::number) refuse_token(what);
  Constant value;
  const bool is_read = read_number(token_.text, value);
  if (value.kind != Constant::Kind::integer) refuse_token(what);
  if (!is_read || value.bits > most)
    refuse(std::string(what) + " is at most " + std::to_string(most));
  advance();
  return value.bits;
}

std::string_view Parser::keep(std::string made) {
  if (!module_.made) module_.made = std::make_shared<std::deque<std::string>>();
  return module_.made->emplace_back(std::move(made));
}

}  // namespace aisp::sim::ptx
