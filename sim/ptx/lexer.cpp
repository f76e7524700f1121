#include "sim/ptx/lexer.hpp"

#include <algorithm>
#include <array>

namespace aisp::sim::ptx {
namespace {

enum Class : std::uint8_t { blank = 1, digit = 2, name_start = 4, name_part = 8 };

constexpr std::array<std::uint8_t, 256> classes = [] {
  std::array<std::uint8_t, 256> table{};
  // ptxas skips a backslash too: macros leave line continuations behind.
  for (unsigned char c : {' ', '\t', '\r', '\n', '\f', '\v', '\\'}) table[c] = blank;
  for (int c = '0'; c <= '9'; ++c) table[c] = digit | name_part;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = name_start | name_part;
  table['_'] = table['$'] = name_start | name_part;
  table['%'] = name_start;
  return table;
}();

bool is(char c, std::uint8_t wanted) {
  return (classes[static_cast<unsigned char>(c)] & wanted) != 0;
}
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_binary(char c) { return c == '0' || c == '1'; }
bool is_hex(char c) { return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

constexpr std::string_view single_marks = "{}()[]<>,;:@!|+-*/%&^~?=";
constexpr std::array two_marks = {mark('<', '<'), mark('>', '>'), mark('<', '='), mark('>', '='),
                                  mark('=', '='), mark('!', '='), mark('&', '&'), mark('|', '|')};

// How PTX before 2.0 writes a line of debug information, which is of no use here.
constexpr std::string_view old_debug_line = "@@DWARF";

}  // namespace

Refused refusal(std::string_view text, int line, std::string_view what) {
  std::size_t first = 0;
  for (int at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n', first);
    if (end == std::string_view::npos) break;
    first = end + 1;
  }
  std::string_view shown = text.substr(first, text.find('\n', first) - first);
  shown.remove_prefix(std::min(shown.find_first_not_of(" \t\r"), shown.size()));
  constexpr std::size_t longest = 200;  // one line may hold a table of a megabyte
  const bool is_cut = shown.size() > longest;
  shown = shown.substr(0, longest);
  while (!shown.empty() && is(shown.back(), blank)) shown.remove_suffix(1);
  std::string message = "line " + std::to_string(line) + ": ";
  message.append(what).append(": ").append(shown);
  if (is_cut) message += "...";
  return Refused(line, std::move(message));
}

Token Lexer::token(Token::Kind kind, std::size_t last) {
  Token token;
  token.kind = kind;
  token.line = line_;
  token.text = text_.substr(place_, last - place_);
  place_ = last;
  return token;
}

void Lexer::skip_comment() {
  if (at(place_ + 1) == '/') {
    place_ = std::min(text_.find('\n', place_), text_.size());
    return;
  }
  const std::size_t end = text_.find("*/", place_ + 2);
  if (end == std::string_view::npos) throw refusal(text_, line_, "the comment does not end");
  line_ += static_cast<int>(std::count(text_.begin() + place_, text_.begin() + end, '\n'));
  place_ = end + 2;
}

void Lexer::skip_blanks() {
  for (;;) {
    const char c = at(place_);
    if (is(c, blank)) {
      line_ += c == '\n';
      ++place_;
    } else if (c == '/' && (at(place_ + 1) == '/' || at(place_ + 1) == '*')) {
      skip_comment();
    } else if (c == '@' && text_.substr(place_, old_debug_line.size()) == old_debug_line) {
      place_ = std::min(text_.find('\n', place_), text_.size());
    } else if (c == '#') {
      std::size_t after = place_ + 1;
      while (at(after) == ' ' || at(after) == '\t') ++after;
      if (!is_decimal(at(after))) throw refusal(text_, line_, "preprocessor directives do not run");
      place_ = std::min(text_.find('\n', place_), text_.size());
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  if (place_ >= text_.size()) return token(Token::Kind::end, place_);
  const char c = text_[place_];
  if (is(c, name_start)) return name();
  if (is(c, digit)) return number();
  if (c == '.') return directive();
  if (c == '"') return string();
  return punctuation();
}

Token Lexer::name() {
  std::size_t last = place_ + 1;
  while (is(at(last), name_part)) ++last;
  if (last == place_ + 1) {
    if (text_[place_] == '%') return punctuation();
    if (text_[place_] == '$') throw refusal(text_, line_, "a name needs more than '$'");
  }
  return token(Token::Kind::name, last);
}

Token Lexer::directive() {
  std::size_t last = place_ + 1;
  while (is(at(last), name_part) ||
         (at(last) == ':' && at(last + 1) == ':' && is(at(last + 2), name_part))) {
    last += at(last) == ':' ? 3 : 1;
  }
  if (last == place_ + 1) throw refusal(text_, line_, "a name must follow the dot");
  return token(Token::Kind::directive, last);
}

Token Lexer::reread_as_number(const Token& directive) {
  place_ = static_cast<std::size_t>(directive.text.data() - text_.data());
  line_ = directive.line;
  return decimal();
}

// Digits after a prefix such as 0x. `exact` is how many there must be; 0: one or more, and then a U
// may follow.
Token Lexer::digits(std::size_t prefix, int exact, bool (*is_digit)(char)) {
  std::size_t last = place_ + prefix;
  while (is_digit(at(last))) ++last;
  const std::size_t count = last - place_ - prefix;
  const bool is_right = exact == 0 ? count > 0 : count == static_cast<std::size_t>(exact);
  if (exact == 0 && at(last) == 'U') ++last;
  if (!is_right || is(at(last), name_part)) throw refusal(text_, line_, "not a number");
  return token(Token::Kind::number, last);
}

Token Lexer::number() {
  if (text_[place_] == '0') {
    switch (at(place_ + 1)) {
      case 'x':
      case 'X':
        return digits(2, 0, is_hex);
      case 'b':
      case 'B':
        return digits(2, 0, is_binary);
      case 'f':
      case 'F':
        return digits(2, 8, is_hex);
      case 'd':
      case 'D':
        return digits(2, 16, is_hex);
      default:
        break;
    }
  }
  return decimal();
}

Token Lexer::decimal() {
  std::size_t last = place_;
  while (is_decimal(at(last))) ++last;
  bool is_float = false;
  if (at(last) == '.') {
    is_float = true;
    ++last;
    while (is_decimal(at(last))) ++last;
  }
  if (at(last) == 'e' || at(last) == 'E') {
    is_float = true;
    ++last;
    if (at(last) == '+' || at(last) == '-') ++last;
    if (!is_decimal(at(last))) throw refusal(text_, line_, "the exponent has no digits");
    while (is_decimal(at(last))) ++last;
  }
  if (!is_float && at(last) == 'U') ++last;
  if (is(at(last), name_part)) throw refusal(text_, line_, "not a number");
  return token(Token::Kind::number, last);
}

Token Lexer::string() {
  const std::size_t last = text_.find_first_of("\"\n", place_ + 1);
  if (last == std::string_view::npos || text_[last] == '\n')
    throw refusal(text_, line_, "the string does not end");
  ++place_;
  Token read = token(Token::Kind::string, last);
  ++place_;
  return read;
}

Token Lexer::punctuation() {
  const char first = text_[place_];
  const std::uint16_t pair = mark(first, at(place_ + 1));
  const bool is_pair = std::find(two_marks.begin(), two_marks.end(), pair) != two_marks.end();
  if (!is_pair && single_marks.find(first) == std::string_view::npos)
    throw refusal(text_, line_, "a character that PTX does not use");
  Token read = token(Token::Kind::mark, place_ + (is_pair ? 2 : 1));
  read.mark = is_pair ? pair : mark(first);
  return read;
}

}  // namespace aisp::sim::ptx
