// Constant expressions, folded while they are read. Integers have 64 bits. As in ptxas: % and ~
// give unsigned results, % takes its operands as unsigned, a shift counts modulo 64, ?: keeps the
// type of the side it takes, and 0f constants stand alone.
#include <array>
#include <bit>
#include <limits>

#include "sim/ptx/parser.hpp"

namespace aisp::sim::ptx {
namespace {

constexpr int most_depth = 100;

struct Operator {
  std::uint16_t mark;
  int rank;
};
constexpr std::array operators = {
    Operator{mark('|', '|'), 1}, Operator{mark('&', '&'), 2}, Operator{mark('|'), 3},
    Operator{mark('^'), 4},      Operator{mark('&'), 5},      Operator{mark('=', '='), 6},
    Operator{mark('!', '='), 6}, Operator{mark('<'), 7},      Operator{mark('>'), 7},
    Operator{mark('<', '='), 7}, Operator{mark('>', '='), 7}, Operator{mark('<', '<'), 8},
    Operator{mark('>', '>'), 8}, Operator{mark('+'), 9},      Operator{mark('-'), 9},
    Operator{mark('*'), 10},     Operator{mark('/'), 10},     Operator{mark('%'), 10},
};

int rank_of(const Token& token) {
  if (token.kind != Token::Kind::mark) return 0;
  for (const Operator& op : operators) {
    if (op.mark == token.mark) return op.rank;
  }
  return 0;
}

bool is_integer(const Constant& value) { return value.kind == Constant::Kind::integer; }
std::int64_t as_signed(const Constant& value) { return static_cast<std::int64_t>(value.bits); }
Constant truth(bool value) { return {Constant::Kind::integer, false, value ? 1u : 0u}; }

bool less(const Constant& left, const Constant& right) {
  if (left.is_unsigned || right.is_unsigned) return left.bits < right.bits;
  return as_signed(left) < as_signed(right);
}

}  // namespace

Constant Parser::constant() {
  const Deeper deeper(*this, expression_depth_, most_depth);
  const Constant condition = binary(1);
  if (!accept('?')) return condition;
  const Constant yes = constant();
  expect(':');
  const Constant no = constant();
  if (!is_integer(condition) || !is_integer(yes) || !is_integer(no))
    refuse("?: takes integers only");
  return condition.bits != 0 ? yes : no;
}

Constant Parser::binary(int least) {
  Constant left = unary();
  for (int rank = rank_of(token_); rank >= least; rank = rank_of(token_)) {
    const Token op = token_;
    advance();
    left = apply(op, left, binary(rank + 1));
  }
  return left;
}

Constant Parser::apply(const Token& op, const Constant& left, const Constant& right) const {
  if (left.kind == Constant::Kind::f32 || right.kind == Constant::Kind::f32)
    refuse("a 0f constant stands alone");
  if (left.kind != right.kind) refuse("an operator takes two integers or two decimal numbers");
  if (!is_integer(left))
    return apply_floats(op, std::bit_cast<double>(left.bits), std::bit_cast<double>(right.bits));

  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto plain = [&](std::uint64_t bits) {
    return Constant{Constant::Kind::integer, is_unsigned, bits};
  };
  const auto shifted = [&](std::uint64_t bits) {
    return Constant{Constant::Kind::integer, left.is_unsigned, bits};
  };
  const unsigned count = right.bits % 64;
  switch (op.mark) {
    case mark('|', '|'):
      return truth(left.bits != 0 || right.bits != 0);
    case mark('&', '&'):
      return truth(left.bits != 0 && right.bits != 0);
    case mark('|'):
      return plain(left.bits | right.bits);
    case mark('^'):
      return plain(left.bits ^ right.bits);
    case mark('&'):
      return plain(left.bits & right.bits);
    case mark('=', '='):
      return truth(left.bits == right.bits);
    case mark('!', '='):
      return truth(left.bits != right.bits);
    case mark('<'):
      return truth(less(left, right));
    case mark('>'):
      return truth(less(right, left));
    case mark('<', '='):
      return truth(!less(right, left));
    case mark('>', '='):
      return truth(!less(left, right));
    case mark('<', '<'):
      return shifted(left.bits << count);
    case mark('>', '>'):
      return shifted(left.is_unsigned ? left.bits >> count
                                      : static_cast<std::uint64_t>(as_signed(left) >> count));
    case mark('+'):
      return plain(left.bits + right.bits);
    case mark('-'):
      return plain(left.bits - right.bits);
    case mark('*'):
      return plain(left.bits * right.bits);
    default:
      break;
  }
  if (right.bits == 0) refuse("division by zero");
  if (op.mark == mark('%')) return {Constant::Kind::integer, true, left.bits % right.bits};
  if (is_unsigned) return plain(left.bits / right.bits);
  if (as_signed(left) == std::numeric_limits<std::int64_t>::min() && as_signed(right) == -1)
    refuse("the quotient does not fit in 64 bits");
  return plain(static_cast<std::uint64_t>(as_signed(left) / as_signed(right)));
}

Constant Parser::apply_floats(const Token& op, double left, double right) const {
  const auto number = [](double value) {
    return Constant{Constant::Kind::f64, false, std::bit_cast<std::uint64_t>(value)};
  };
  switch (op.mark) {
    case mark('+'):
      return number(left + right);
    case mark('-'):
      return number(left - right);
    case mark('*'):
      return number(left * right);
    case mark('/'):
      if (right == 0) refuse("division by zero");
      return number(left / right);
    case mark('=', '='):
      return truth(left == right);
    case mark('!', '='):
      return truth(left != right);
    case mark('<'):
      return truth(left < right);
    case mark('>'):
      return truth(left > right);
    case mark('<', '='):
      return truth(left <= right);
    case mark('>', '='):
      return truth(left >= right);
    default:
      refuse("this operator takes integers only");
  }
}

Constant Parser::unary() {
  const bool is_sign = at('+') || at('-');
  if (!is_sign && !at('!') && !at('~')) return primary();
  const Deeper deeper(*this, expression_depth_, most_depth);
  const std::uint16_t op = token_.mark;
  advance();
  Constant value = unary();
  if (value.kind == Constant::Kind::f32) refuse("a 0f constant stands alone");
  if (!is_integer(value) && !is_sign) refuse("this operator takes integers only");
  if (op == mark('-')) {
    constexpr std::uint64_t sign = 1ull << 63;
    value.bits = is_integer(value) ? 0 - value.bits : value.bits ^ sign;
  } else if (op == mark('!')) {
    value = truth(value.bits == 0);
  } else if (op == mark('~')) {
    value = {Constant::Kind::integer, true, ~value.bits};
  }
  return value;
}

Constant Parser::primary() {
  if (accept('(')) {
    const Deeper deeper(*this, expression_depth_, most_depth);
    if (at_directive("s64") || at_directive("u64")) {
      const bool is_unsigned = take_directive() == "u64";
      expect(')');
      Constant value = unary();
      if (!is_integer(value)) refuse("a cast takes an integer");
      value.is_unsigned = is_unsigned;
      return value;
    }
    const Constant value = constant();
    expect(')');
    return value;
  }
  Constant value;
  if (at_name() && token_.text == "WARP_SZ") {
    value.bits = 32;
    advance();
    return value;
  }
  if (at_directive() && token_.text[1] >= '0' && token_.text[1] <= '9')
    token_ = lexer_.reread_as_number(token_);
  if (token_.kind != Token::Kind::number) refuse_token("a constant");
  if (!read_number(token_.text, value)) refuse("the number is out of range");
  advance();
  return value;
}

std::int64_t Parser::offset() {
  const Constant value = constant();
  if (!is_integer(value)) refuse("an integer is needed here");
  return as_signed(value);
}

}  // namespace aisp::sim::ptx
