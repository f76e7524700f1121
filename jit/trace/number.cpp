#include "jit/trace/number.hpp"

namespace aisp::jit {

namespace {

bool whole(const Number& number) { return number.element() == Element::s32; }

}  // namespace

Number Number::to(Element element) const { return {converted(element, value_), element}; }

namespace detail {

Number computed(Opcode code, const Number& a) {
  if (code == Opcode::logical_not) return {a.is_true() ? 0.0 : 1.0, Element::boolean};
  const bool stays = (code == Opcode::neg || code == Opcode::abs) && whole(a);
  const Element element = stays ? Element::s32 : Element::f32;
  const double operands[] = {a.value()};
  return {apply(code, element, operands), element};
}

Number computed(Opcode code, const Number& a, const Number& b) {
  const Element meeting = whole(a) && whole(b) ? Element::s32 : Element::f32;
  const Family family = row_of(code).family;
  const bool condition = family == Family::compare || family == Family::logic;
  const double operands[] = {a.value(), b.value()};
  return {apply(code, condition ? Element::f32 : meeting, operands),
          condition ? Element::boolean : meeting};
}

}  // namespace detail

Number where(const Number& condition, const Number& a, const Number& b) {
  const bool conditions = a.element() == Element::boolean && b.element() == Element::boolean;
  const Element meeting = conditions             ? Element::boolean
                          : whole(a) && whole(b) ? Element::s32
                                                 : Element::f32;
  return {condition.is_true() ? a.value() : b.value(), meeting};
}

}  // namespace aisp::jit
