// Cuts PTX text into tokens, on demand and without copying: a token's text is a view. Comments,
// blanks and the line markers of a preprocessor (`# 1 "file"`) fall away here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/ptx/module.hpp"

namespace aisp::sim::ptx {

// A punctuation token: one character, or two with the second in the upper byte.
constexpr std::uint16_t mark(char first, char second = '\0') {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(first) |
                                    static_cast<unsigned char>(second) << 8);
}

struct Token {
  enum class Kind : std::uint8_t {
    end,
    name,       // add, %r1, $L__BB0_1, _
    directive,  // .reg, .u32, .L2::128B: a dot and what is glued to it
    number,     // 12, 0x1FU, 0b11, 017, 1.5e3, 0f3F800000, 0d3FF0000000000000
    string,     // "...", the text without the quotes
    mark,
  } kind = Kind::end;
  std::uint16_t mark = 0;
  int line = 1;
  std::string_view text;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();
  // `.5` reads as a directive, because `.2d` is one; where only a number can stand, the token is
  // read again as such.
  Token reread_as_number(const Token& directive);

  std::string_view text() const { return text_; }

 private:
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  void skip_blanks();
  void skip_comment();
  Token token(Token::Kind kind, std::size_t last);
  Token name();
  Token directive();
  Token number();
  Token decimal();
  Token digits(std::size_t prefix, int exact, bool (*is_digit)(char));
  Token string();
  Token punctuation();

  std::string_view text_;
  std::size_t place_ = 0;
  int line_ = 1;
};

// The refusal of `line`: "line 12: what: <text of the line>".
Refused refusal(std::string_view text, int line, std::string_view what);

// The value of a number token. Integers are 64 bits wide, unsigned when marked U or when too large
// for a signed one.
struct Constant {
  enum class Kind : std::uint8_t { integer, f32, f64 } kind = Kind::integer;
  bool is_unsigned = false;
  std::uint64_t bits = 0;
};
// False when the number does not fit in 64 bits, or in a double.
bool read_number(std::string_view text, Constant& value);

}  // namespace aisp::sim::ptx
