// Values of number tokens. The lexer has checked the spelling; what is left to refuse is the size.
#include <bit>
#include <charconv>
#include <limits>

#include "sim/ptx/lexer.hpp"

namespace aisp::sim::ptx {
namespace {

bool read_integer(std::string_view digits, int base, std::uint64_t& bits) {
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, bits, base);
  return error == std::errc{} && end == last;
}

bool read_float(std::string_view text, Constant& value) {
  double number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  value.kind = Constant::Kind::f64;
  value.bits = std::bit_cast<std::uint64_t>(number);
  return error == std::errc{} && end == last;
}

}  // namespace

bool read_number(std::string_view text, Constant& value) {
  value = Constant{};
  const char second = text.size() > 1 ? text[1] : '\0';
  if (text[0] == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    value.kind = second == 'f' || second == 'F' ? Constant::Kind::f32 : Constant::Kind::f64;
    return read_integer(text.substr(2), 16, value.bits);
  }
  const bool is_hex = text[0] == '0' && (second == 'x' || second == 'X');
  if (!is_hex && text.find_first_of(".eE") != std::string_view::npos)
    return read_float(text, value);

  int base = 10;
  if (text.back() == 'U') {
    value.is_unsigned = true;
    text.remove_suffix(1);
  }
  if (is_hex) {
    base = 16;
    text.remove_prefix(2);
  } else if (text[0] == '0' && (second == 'b' || second == 'B')) {
    base = 2;
    text.remove_prefix(2);
  } else if (text[0] == '0') {
    base = 8;
  }
  if (!read_integer(text, base, value.bits)) return false;
  value.is_unsigned |= value.bits > std::numeric_limits<std::int64_t>::max();
  return true;
}

}  // namespace aisp::sim::ptx
