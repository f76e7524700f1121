#include "jit/trace/functions.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "jit/trace/source_text.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

namespace {

std::vector<std::int64_t> wide(const std::vector<int>& numbers) {
  return {numbers.begin(), numbers.end()};
}

Id convert(Id id, Element element, const Place& place) {
  Tracer& tracer = Tracer::current();
  if (tracer.type(id).element == element && tracer.type(id).kind != Kind::index) return id;
  Attributes attributes;
  attributes.element = element;
  return tracer.builder().value(Opcode::to, {id}, attributes, place);
}

Id spread(Id id, const std::vector<int>& extents, const Place& place, const std::string& subject) {
  Tracer& tracer = Tracer::current();
  const Type type = tracer.type(id);
  if (type.kind == Kind::tile && type.extents == extents) return id;
  Attributes attributes;
  if (type.kind == Kind::tile && type.rank() < static_cast<int>(extents.size())) {
    std::vector<int> longer(extents.size() - type.extents.size(), 1);
    longer.insert(longer.end(), type.extents.begin(), type.extents.end());
    attributes.integers = wide(longer);
    id = tracer.builder().value(Opcode::reshape, {id}, attributes, place, subject);
    if (longer == extents) return id;
  }
  attributes.integers = wide(extents);
  return tracer.builder().value(Opcode::broadcast, {id}, attributes, place, subject);
}

// The shape that all of them spread to; empty where all are scalars.
std::vector<int> common_shape(const std::vector<Arg>& args, const Place& place,
                              const std::string& subject) {
  Tracer& tracer = Tracer::current();
  std::vector<int> shape;
  for (const Arg& arg : args) {
    if (arg.is_number()) continue;
    std::vector<int> own = tracer.type(arg.id()).extents;
    const std::vector<int> as_given = own, before = shape;
    if (own.size() < shape.size()) own.insert(own.begin(), shape.size() - own.size(), 1);
    if (shape.size() < own.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      if (own[axis] != shape[axis] && own[axis] != 1 && shape[axis] != 1)
        base::refuse(base::Exit::usage, place.text(), ": ", subject, ": the tiles ",
                     shape_text(before), " and ", shape_text(as_given),
                     " do not spread to one shape; axes are equal or 1");
      shape[axis] = std::max(shape[axis], own[axis]);
    }
  }
  return shape;
}

bool is_condition(const Arg& arg) {
  return !arg.is_number() && Tracer::current().type(arg.id()).element == Element::boolean;
}

// What numbers meet in: s32 where all are integers and one of them is traced, else f32.
Element meeting(const std::vector<Arg>& args) {
  bool integer = false, other = false;
  for (const Arg& arg : args) {
    const bool whole_number = arg.is_number()
                                  ? arg.is_integer()
                                  : Tracer::current().type(arg.id()).element == Element::s32;
    integer = integer || (whole_number && !arg.is_number());
    other = other || !whole_number;
  }
  return integer && !other ? Element::s32 : Element::f32;
}

std::vector<Id> prepared(const std::vector<Arg>& args, Element element, const Place& place,
                         const std::string& subject) {
  Tracer& tracer = Tracer::current();
  const std::vector<int> shape = common_shape(args, place, subject);
  std::vector<Id> ids;
  for (const Arg& arg : args) {
    Id id = arg.is_number()     ? tracer.builder().scalar(arg.number(), element, place)
            : is_condition(arg) ? arg.id()
                                : convert(arg.id(), element, place);
    if (!shape.empty()) id = spread(id, shape, place, subject);
    ids.push_back(id);
  }
  return ids;
}

Tile by_elements_at(Opcode code, const std::vector<Arg>& args, const Place& place) {
  Tracer& tracer = Tracer::current();
  const std::string subject(name_of(code));
  const Family family = row_of(code).family;
  std::vector<Arg> numbers = args;
  if (family == Family::choose) numbers.erase(numbers.begin());
  Element element = meeting(numbers);
  const bool integers_too = family != Family::unary || code == Opcode::neg || code == Opcode::abs;
  if (!integers_too || code == Opcode::pow) element = Element::f32;
  return Tile(
      tracer.builder().value(code, prepared(args, element, place, subject), {}, place, subject));
}

Tile by_elements(Opcode code, const std::vector<Arg>& args) {
  return by_elements_at(code, args, place_of(args[0].at()));
}

// Integers are integral already.
Tile to_integral(Opcode code, const Arg& x) {
  if (!x.is_number() && Tracer::current().type(x.id()).element == Element::s32) return Tile(x.id());
  return by_elements(code, {x});
}

// Operators of conditions know no place of their own: that of the condition written last.
Tile logical(Opcode code, const std::vector<Tile>& tiles) {
  return by_elements_at(code, {tiles.begin(), tiles.end()},
                        Tracer::current().builder().last_place());
}

Index indices(Opcode code, Id a, Id b) {
  return Index(Tracer::current().builder().value(code, {a, b}));
}

std::vector<int> known(const Sizes& sizes, const std::source_location& at) {
  std::vector<int> result;
  for (const Size& size : sizes) {
    if (size.is_whole())
      base::refuse(base::Exit::usage, place_of(at).text(),
                   ": whole belongs to a tensor's axis; give the extent");
    result.push_back(static_cast<int>(size.number()));
  }
  return result;
}

Tile shaped(Opcode code, const Arg& x, const std::vector<int>& numbers) {
  Tracer& tracer = Tracer::current();
  Attributes attributes;
  attributes.integers = wide(numbers);
  const std::string subject = call_text(x.at(), std::string(name_of(code)));
  const Id id =
      x.is_number() ? tracer.builder().scalar(x.number(), Element::f32, place_of(x.at())) : x.id();
  return Tile(tracer.builder().value(code, {id}, attributes, place_of(x.at()), subject));
}

// axis(-1) is the last one; what is no axis of the tile stays as it was written.
std::int64_t from_start(Axis axis, int rank) {
  return axis.number() < 0 && axis.number() >= -rank ? axis.number() + rank : axis.number();
}

}  // namespace

Tile operator+(Arg a, Arg b) { return by_elements(Opcode::add, {a, b}); }
Tile operator-(Arg a, Arg b) { return by_elements(Opcode::sub, {a, b}); }
Tile operator*(Arg a, Arg b) { return by_elements(Opcode::mul, {a, b}); }
Tile operator/(Arg a, Arg b) { return by_elements(Opcode::div, {a, b}); }
Tile operator%(Arg a, Arg b) { return by_elements(Opcode::mod, {a, b}); }
Tile operator<(Arg a, Arg b) { return by_elements(Opcode::lt, {a, b}); }
Tile operator<=(Arg a, Arg b) { return by_elements(Opcode::le, {a, b}); }
Tile operator>(Arg a, Arg b) { return by_elements(Opcode::gt, {a, b}); }
Tile operator>=(Arg a, Arg b) { return by_elements(Opcode::ge, {a, b}); }
Tile operator==(Arg a, Arg b) { return by_elements(Opcode::eq, {a, b}); }
Tile operator!=(Arg a, Arg b) { return by_elements(Opcode::ne, {a, b}); }
Tile operator-(Arg a) { return by_elements(Opcode::neg, {a}); }
Tile operator&&(const Tile& a, const Tile& b) { return logical(Opcode::logical_and, {a, b}); }
Tile operator||(const Tile& a, const Tile& b) { return logical(Opcode::logical_or, {a, b}); }
Tile operator!(const Tile& a) { return logical(Opcode::logical_not, {a}); }

Tile exp(Arg x) { return by_elements(Opcode::exp, {x}); }
Tile exp2(Arg x) { return by_elements(Opcode::exp2, {x}); }
Tile expm1(Arg x) { return by_elements(Opcode::expm1, {x}); }
Tile log(Arg x) { return by_elements(Opcode::log, {x}); }
Tile log2(Arg x) { return by_elements(Opcode::log2, {x}); }
Tile log1p(Arg x) { return by_elements(Opcode::log1p, {x}); }
Tile sqrt(Arg x) { return by_elements(Opcode::sqrt, {x}); }
Tile rsqrt(Arg x) { return by_elements(Opcode::rsqrt, {x}); }
Tile tanh(Arg x) { return by_elements(Opcode::tanh, {x}); }
Tile sigmoid(Arg x) { return by_elements(Opcode::sigmoid, {x}); }
Tile erf(Arg x) { return by_elements(Opcode::erf, {x}); }
Tile erfc(Arg x) { return by_elements(Opcode::erfc, {x}); }
Tile sin(Arg x) { return by_elements(Opcode::sin, {x}); }
Tile cos(Arg x) { return by_elements(Opcode::cos, {x}); }
Tile floor(Arg x) { return to_integral(Opcode::floor, x); }
Tile ceil(Arg x) { return to_integral(Opcode::ceil, x); }
Tile round(Arg x) { return to_integral(Opcode::round, x); }
Tile trunc(Arg x) { return to_integral(Opcode::trunc, x); }
Tile pow(Arg x, Arg exponent) { return by_elements(Opcode::pow, {x, exponent}); }
Tile fma(Arg a, Arg b, Arg c) {
  if (meeting({a, b, c}) == Element::s32) return Arg(a * b, a.at()) + c;
  return by_elements(Opcode::fma, {a, b, c});
}
Tile abs(Arg x) { return by_elements(Opcode::abs, {x}); }
Tile where(Arg condition, Arg a, Arg b) { return by_elements(Opcode::where, {condition, a, b}); }
Tile max(Arg a, Arg b) { return by_elements(Opcode::max, {a, b}); }
Tile min(Arg a, Arg b) { return by_elements(Opcode::min, {a, b}); }

Tile detail::reduced(const Arg& x, Axis axis, Reduction reduction, const std::string& function) {
  Tracer& tracer = Tracer::current();
  const Place place = place_of(x.at());
  std::string subject = call_text(x.at(), function);
  if (subject.empty()) subject = base::say(function, "(…, axis(", axis.number(), "))");
  if (x.is_number())
    base::refuse(base::Exit::usage, place.text(), ": ", subject, ": reduces a tile: got a number");
  Attributes attributes;
  attributes.integers = {from_start(axis, tracer.type(x.id()).rank())};
  attributes.reduction = reduction;
  const Id id = is_condition(x) ? x.id() : convert(x.id(), meeting({x}), place);
  return Tile(tracer.builder().value(Opcode::reduce, {id}, attributes, place, subject));
}
Tile sum(Arg x, Axis axis) { return detail::reduced(x, axis, Reduction::sum, "sum"); }
Tile prod(Arg x, Axis axis) { return detail::reduced(x, axis, Reduction::prod, "prod"); }
Tile max(Arg x, Axis axis) { return detail::reduced(x, axis, Reduction::max, "max"); }
Tile min(Arg x, Axis axis) { return detail::reduced(x, axis, Reduction::min, "min"); }
Tile any(Arg x, Axis axis) { return detail::reduced(x, axis, Reduction::any, "any"); }
Tile all(Arg x, Axis axis) { return detail::reduced(x, axis, Reduction::all, "all"); }
Tile argmax(Arg x, Axis axis) { return detail::reduced(x, axis, Reduction::argmax, "argmax"); }
Tile argmin(Arg x, Axis axis) {
  // Of integers -1 - x, which has no overflow.
  const bool integers = !x.is_number() && Tracer::current().type(x.id()).element == Element::s32;
  const Tile negated = integers ? Arg(-1, x.at()) - x : -x;
  return detail::reduced(Arg(negated, x.at()), axis, Reduction::argmax, "argmin");
}

Tile zeros(Sizes extents, std::source_location at) { return full(std::move(extents), 0.0, at); }
Tile full(Sizes extents, double number, std::source_location at) {
  Tracer& tracer = Tracer::current();
  const Id one = tracer.builder().scalar(number, Element::f32, place_of(at));
  Attributes attributes;
  attributes.integers = wide(known(extents, at));
  return Tile(tracer.builder().value(Opcode::broadcast, {one}, attributes, place_of(at), "full"));
}
Tile iota(Sizes extents, Axis axis, std::source_location at) {
  Attributes attributes;
  attributes.integers = {from_start(axis, static_cast<int>(extents.size()))};
  for (const int extent : known(extents, at)) attributes.integers.push_back(extent);
  return Tile(Tracer::current().builder().value(Opcode::iota, {}, attributes, place_of(at)));
}
Tile to(Arg x, Element element) {
  if (x.is_number())
    return Tile(Tracer::current().builder().scalar(
        element == f32 ? x.number() : converted(element, x.number()), element, place_of(x.at())));
  return Tile(convert(x.id(), element, place_of(x.at())));
}
Tile reshape(Arg x, Sizes extents) { return shaped(Opcode::reshape, x, known(extents, x.at())); }
Tile broadcast(Arg x, Sizes extents) {
  return shaped(Opcode::broadcast, x, known(extents, x.at()));
}
Tile transpose(Arg x, std::vector<int> axes) { return shaped(Opcode::transpose, x, axes); }
Tile transpose(Arg x) {
  std::vector<int> axes;
  const int rank = x.is_number() ? 0 : Tracer::current().type(x.id()).rank();
  for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
  if (rank >= 2) std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return shaped(Opcode::transpose, x, axes);
}

Tile dot(Arg a, Arg b) {
  if (a.is_number() || b.is_number())
    base::refuse(base::Exit::usage, place_of(a.at()).text(), ": dot: takes tiles: got a number");
  return Tile(
      Tracer::current().builder().value(Opcode::dot, {a.id(), b.id()}, {}, place_of(a.at())));
}
Tile dot(Arg a, Arg b, Arg sums) {
  if (a.is_number() || b.is_number() || sums.is_number())
    base::refuse(base::Exit::usage, place_of(a.at()).text(), ": dot: takes tiles: got a number");
  Tracer& tracer = Tracer::current();
  // Sums of s8 products are s32 whatever they began as.
  const bool integers = tracer.type(a.id()).element == Element::s8;
  const Id begun = convert(sums.id(), integers ? Element::s32 : Element::f32, place_of(a.at()));
  return Tile(tracer.builder().value(Opcode::dot, {a.id(), b.id(), begun}, {}, place_of(a.at())));
}

#define AISP_JIT_INDEX_OPERATOR(symbol, code)                                                     \
  Index operator symbol(const Index& a, const Index& b) { return indices(code, a.id(), b.id()); } \
  Index operator symbol(const Index& a, IndexArg b) { return indices(code, a.id(), b.id()); }     \
  Index operator symbol(IndexArg a, const Index& b) { return indices(code, a.id(), b.id()); }
AISP_JIT_INDEX_OPERATOR(+, Opcode::add)
AISP_JIT_INDEX_OPERATOR(-, Opcode::sub)
AISP_JIT_INDEX_OPERATOR(*, Opcode::mul)
AISP_JIT_INDEX_OPERATOR(/, Opcode::div)
AISP_JIT_INDEX_OPERATOR(%, Opcode::mod)
#undef AISP_JIT_INDEX_OPERATOR

}  // namespace aisp::jit
