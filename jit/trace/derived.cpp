#include "jit/trace/derived.hpp"

#include <limits>

#include "base/refuse.hpp"
#include "jit/trace/source_text.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

namespace {

// Operands at the user's place: without it, messages would name this file.
struct At {
  std::source_location at;
  template <class Value>
  Arg operator()(Value value) const {
    return Arg(value, at);
  }
};

constexpr double endless = std::numeric_limits<double>::infinity();

// How many elements of the tile along the axis are inside of their tensors: an index, the same for
// the whole block.
Id count_inside(const Type& type, int axis, const Place& place) {
  Builder& builder = Tracer::current().builder();
  const auto extent = type.extents[static_cast<std::size_t>(axis)];
  Id end = builder.index(extent, place), begin = builder.index(0, place);
  for (const Bound& bound : type.bounds) {
    if (bound.axis != axis) continue;
    const Id before = builder.value(Opcode::sub, {builder.index(0, place), bound.start}, {}, place);
    const Id behind = builder.value(Opcode::sub, {bound.extent, bound.start}, {}, place);
    begin = builder.value(Opcode::max, {begin, before}, {}, place);
    end = builder.value(Opcode::min, {end, behind}, {}, place);
  }
  const Id count = builder.value(Opcode::sub, {end, begin}, {}, place);
  return builder.value(Opcode::max, {count, builder.index(0, place)}, {}, place);
}

Tile divided_by_count(const Arg& of, Axis along, const Tile& sums) {
  Tracer& tracer = Tracer::current();
  const Place place = place_of(of.at());
  const Type type = tracer.type(of.id());  // a copy: values are added below
  const int axis = along.number() < 0 ? along.number() + type.rank() : along.number();
  const Tile count =
      to(Arg(Index(count_inside(type, axis, place)), of.at()), Element::f32).named("count");
  return Arg(sums, of.at()) / Arg(count, of.at());
}

Tile mean_of(const Arg& x, Axis axis, const char* function) {
  const Arg numbers(to(x, Element::f32), x.at());
  return divided_by_count(numbers, axis, detail::reduced(numbers, axis, Reduction::sum, function));
}

}  // namespace

Tile relu(Arg x) { return max(x, At{x.at()}(0)); }

Tile silu(Arg x) { return x * At{x.at()}(sigmoid(x)); }

// By erfc, which is accurate where 1 + erf would cancel.
Tile gelu(Arg x) {
  const At at{x.at()};
  const Tile tail = erfc(at(x * at(-0.70710678118654752)));
  return at(x * at(0.5)) * at(tail);
}

// 0.5 x (1 + tanh(u)) is x sigmoid(2 u), without the cancellation.
Tile gelu_tanh(Arg x) {
  const At at{x.at()};
  const Tile cubic = at(at(x * x) * at(0.044715 * 1.5957691216057308)) + at(1.5957691216057308);
  return x * at(sigmoid(at(x * at(cubic))));
}

Tile softplus(Arg x) {
  const At at{x.at()};
  return at(max(x, at(0.0))) + at(log1p(at(exp(at(-at(abs(x)))))));
}

Tile reciprocal(Arg x) { return At{x.at()}(1.0) / x; }
Tile square(Arg x) { return x * x; }

Tile sign(Arg x) {
  const At at{x.at()};
  return where(at(x > at(0)), at(1), at(where(at(x < at(0)), at(-1), x)));
}

Tile clamp(Arg x, Arg least, Arg most) { return min(At{x.at()}(max(x, least)), most); }

Tile isnan(Arg x) { return x != x; }
Tile isinf(Arg x) { return At{x.at()}(abs(x)) == At{x.at()}(endless); }
Tile isfinite(Arg x) { return At{x.at()}(abs(x)) < At{x.at()}(endless); }

// Integers and conditions are counted as f32: their sum may be larger than an s32.
Tile mean(Arg x, Axis axis) { return mean_of(x, axis, "mean"); }

Tile var(Arg x, Axis axis) {
  const At at{x.at()};
  const Tile centred = x - at(mean_of(x, axis, "var"));
  return mean(at(square(at(centred))), axis);
}

Tile log_sum_exp(Arg x, Axis axis) {
  const At at{x.at()};
  const Tile most = detail::reduced(x, axis, Reduction::max, "log_sum_exp");
  // An infinite one is not taken off: -inf less -inf is NaN, and the sum of zeros gives -inf.
  const Tile taken_off = where(at(isinf(at(most))), at(0.0), at(most));
  return at(log(at(sum(at(exp(at(x - at(taken_off)))), axis)))) + at(taken_off);
}

Tile softmax(Arg x, Axis axis) {
  const At at{x.at()};
  const Tile e = exp(at(x - at(detail::reduced(x, axis, Reduction::max, "softmax"))));
  return at(e) / at(sum(at(e), axis));
}

}  // namespace aisp::jit
