#include "jit/ir/infer.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::jit {

namespace {

template <class... Parts>
[[noreturn]] void misfit(const Parts&... parts) {
  base::refuse(base::Exit::usage, parts...);
}

std::string type_words(const Type& type) {
  if (type.kind == Kind::index) return "an index";
  if (type.kind == Kind::scalar) return base::say("a scalar ", name_of(type.element));
  return base::say(type.kind == Kind::tile ? "a tile " : "a view ", shape_text(type.extents), " ",
                   name_of(type.element));
}

std::vector<Bound> merged(std::vector<Bound> a, const std::vector<Bound>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Type with(const Type& shape, Element element, std::vector<Bound> bounds) {
  if (shape.kind == Kind::tile) return tile_type(element, shape.extents, std::move(bounds));
  return scalar_type(element);
}

std::vector<int> extents_from(const std::vector<std::int64_t>& integers, std::size_t first) {
  return {integers.begin() + static_cast<std::ptrdiff_t>(std::min(first, integers.size())),
          integers.end()};
}

void check_extents(const std::vector<int>& extents) {
  if (extents.empty() || extents.size() > most_axes)
    misfit("tiles have 1 to ", most_axes, " axes: got ", extents.size());
  for (const int extent : extents)
    if (extent < 1) misfit("extents are at least 1: got ", shape_text(extents));
}

// Both have one shape; the element type of the result.
Type by_element_type(const Function& function, const Operation& operation) {
  const OpcodeRow& row = row_of(operation.code);
  std::vector<Type> types;
  for (const Id id : operation.operands) types.push_back(function.type(id));
  std::vector<Bound> bounds;
  for (const Type& type : types) {
    if (type.kind == Kind::view) misfit("takes values; load the view first");
    if (type.kind != types[0].kind || type.extents != types[0].extents)
      misfit(type_words(types[0]), " and ", type_words(type), " have different shapes");
    bounds = merged(std::move(bounds), type.bounds);
  }
  const Element element = types.back().element;
  if (row.family == Family::choose) {
    if (types[0].element != Element::boolean)
      misfit("the first operand is a condition: got ", type_words(types[0]));
    if (types[1].element != element)
      misfit("chooses between ", name_of(types[1].element), " and ", name_of(element));
    return with(types[0], element, bounds);
  }
  for (const Type& type : types)
    if (type.element != element)
      misfit(name_of(types[0].element), " and ", name_of(element), " do not meet; use to()");
  if (row.family == Family::logic) {
    if (element != Element::boolean) misfit("takes conditions: got ", type_words(types[0]));
    return with(types[0], element, bounds);
  }
  if (types[0].kind == Kind::index && row.family == Family::binary) return index_type();
  if (row.family == Family::compare) {
    if (element == Element::boolean) misfit("compares numbers: got conditions");
    return with(types[0], Element::boolean, bounds);
  }
  const bool float_only = operation.code == Opcode::pow || operation.code == Opcode::fma;
  const bool integer_too = (row.family == Family::binary && !float_only) ||
                           operation.code == Opcode::neg || operation.code == Opcode::abs;
  const bool float_too = operation.code != Opcode::mod;
  if (!(element == Element::f32 && float_too) && !(element == Element::s32 && integer_too))
    misfit("is computed in ", float_too ? integer_too ? "f32 or s32" : "f32" : "s32", ": got ",
           type_words(types[0]));
  return with(types[0], element, bounds);
}

Type view_type(const Function& function, const Operation& operation) {
  const auto& integers = operation.attributes.integers;
  const Parameter& parameter = function.parameters.at(static_cast<std::size_t>(integers.at(0)));
  const std::vector<int> extents = extents_from(integers, 1);
  check_extents(extents);
  const auto rank = static_cast<std::size_t>(parameter.rank);
  if (extents.size() != rank || operation.operands.size() != 2 * rank)
    misfit(parameter.name, " has ", rank, " axes: got ", operation.operands.size() / 2,
           " starts and ", extents.size(), " extents");
  Type type{Kind::view, parameter.element, extents, {}};
  for (std::size_t axis = 0; axis < rank; ++axis)
    type.bounds.push_back(
        {static_cast<int>(axis), operation.operands[axis], operation.operands[rank + axis]});
  return type;
}

Type reshaped(const Type& from, std::vector<int> extents) {
  check_extents(extents);
  const Type to = tile_type(from.element, extents);
  if (to.size() != from.size())
    misfit("the tile ", shape_text(from.extents), " has ", from.size(), " elements, ",
           shape_text(extents), " has ", to.size());
  std::vector<Bound> bounds;
  for (const Bound& bound : from.bounds) {
    if (from.extents[bound.axis] == 1) continue;  // its value is 0 where it was not loaded
    std::int64_t before = 1;
    for (int axis = 0; axis < bound.axis; ++axis) before *= from.extents[axis];
    std::int64_t passed = 1;
    int at = 0;
    while (at < to.rank() && !(passed == before && extents[at] == from.extents[bound.axis]))
      passed *= extents[at++];
    if (at == to.rank())
      misfit("axis ", bound.axis, " of the tile ", shape_text(from.extents),
             " has elements outside of its tensor and cannot be cut or joined to ",
             shape_text(extents), "; load the tile in that shape");
    bounds.push_back({at, bound.start, bound.extent});
  }
  return tile_type(from.element, std::move(extents), std::move(bounds));
}

Type transposed(const Type& from, const std::vector<std::int64_t>& axes) {
  std::vector<std::int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = static_cast<int>(axes.size()) == from.rank();
  for (std::size_t at = 0; at < sorted.size(); ++at)
    each_once = each_once && sorted[at] == static_cast<std::int64_t>(at);
  if (!each_once) misfit("the tile ", shape_text(from.extents), " wants each of its axes once");
  std::vector<int> extents;
  std::vector<Bound> bounds;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    extents.push_back(from.extents[static_cast<std::size_t>(axes[at])]);
    for (const Bound& bound : from.bounds)
      if (bound.axis == axes[at])
        bounds.push_back({static_cast<int>(at), bound.start, bound.extent});
  }
  return tile_type(from.element, std::move(extents), std::move(bounds));
}

Type broadcast_type(const Type& from, std::vector<int> extents) {
  check_extents(extents);
  std::vector<Bound> bounds;
  if (from.kind == Kind::tile) {
    bool fits = from.rank() == static_cast<int>(extents.size());
    for (int axis = 0; fits && axis < from.rank(); ++axis)
      fits = from.extents[axis] == extents[axis] || from.extents[axis] == 1;
    if (!fits)
      misfit("the tile ", shape_text(from.extents), " does not spread to ", shape_text(extents),
             "; axes are equal or 1");
    for (const Bound& bound : from.bounds)
      if (from.extents[bound.axis] == extents[bound.axis]) bounds.push_back(bound);
  } else if (from.kind != Kind::scalar) {
    misfit("takes a scalar or a tile: got ", type_words(from));
  }
  return tile_type(from.element, std::move(extents), std::move(bounds));
}

Type reduce_type(const Type& from, const Attributes& attributes) {
  const std::int64_t axis = attributes.integers.at(0);
  if (from.kind != Kind::tile) misfit("reduces a tile: got ", type_words(from));
  if (axis < 0 || axis >= from.rank()) {
    std::vector<std::string> axes;
    for (int one = 0; one < from.rank(); ++one) axes.push_back(std::to_string(one));
    misfit("the tile ", shape_text(from.extents), " has no axis ", axis, "; use ",
           base::join(axes, " or "));
  }
  const Reduction reduction = attributes.reduction;
  const bool of_conditions = reduction == Reduction::any || reduction == Reduction::all;
  if (of_conditions != (from.element == Element::boolean))
    misfit(name_of(reduction), of_conditions ? " takes conditions: got " : " takes numbers: got ",
           type_words(from));
  if (!of_conditions && from.element != Element::f32 && from.element != Element::s32)
    misfit("is computed in f32 or s32: got ", type_words(from));
  std::vector<int> extents = from.extents;
  extents[static_cast<std::size_t>(axis)] = 1;
  std::vector<Bound> bounds;
  for (const Bound& bound : from.bounds)
    if (bound.axis != axis) bounds.push_back(bound);
  return tile_type(reduction == Reduction::argmax ? Element::s32 : from.element, std::move(extents),
                   std::move(bounds));
}

Type dot_type(const Function& function, const Operation& operation) {
  const auto& operands = operation.operands;
  if (operands.size() != 2 && operands.size() != 3) misfit("takes a, b and perhaps sums");
  const Type &a = function.type(operands[0]), &b = function.type(operands[1]);
  if (a.kind != Kind::tile || b.kind != Kind::tile || a.rank() != 2 || b.rank() != 2)
    misfit("takes tiles of two axes: got ", type_words(a), " and ", type_words(b));
  const std::string product = shape_text(a.extents) + " x " + shape_text(b.extents);
  if (a.extents[1] != b.extents[0])
    misfit(product, ": inner extents ", a.extents[1], " and ", b.extents[0], " differ; ",
           a.extents[1] == b.extents[1] ? "transpose the second" : "load tiles that meet");
  const bool integers = a.element == Element::s8;
  const auto fits = [](Element one) { return one != Element::boolean && one != Element::s32; };
  if (!fits(a.element) || !fits(b.element) || integers != (b.element == Element::s8))
    misfit(product, ": ", name_of(a.element), " x ", name_of(b.element),
           " is no product; use to()");
  std::vector<Bound> bounds;
  for (const Bound& bound : a.bounds)
    if (bound.axis == 0) bounds.push_back(bound);
  for (const Bound& bound : b.bounds)
    if (bound.axis == 1) bounds.push_back(bound);
  const Element element = integers ? Element::s32 : Element::f32;
  if (operands.size() == 3) {
    const Type& sums = function.type(operands[2]);
    const std::vector<int> extents{a.extents[0], b.extents[1]};
    if (sums.kind != Kind::tile || sums.element != element || sums.extents != extents)
      misfit(product, ": sums are a tile ", shape_text(extents), " ", name_of(element), ": got ",
             type_words(sums));
    bounds = merged(std::move(bounds), sums.bounds);
  }
  return tile_type(element, {a.extents[0], b.extents[1]}, std::move(bounds));
}

std::vector<Type> control_types(const Function& function, const Operation& operation) {
  std::vector<Type> results;
  if (operation.code == Opcode::branch) {
    const Type& condition = function.type(operation.operands[0]);
    if (condition != scalar_type(Element::boolean))
      misfit("the condition is one for the block: got ", type_words(condition));
    for (const Id id : operation.regions[0].body.back().operands)
      results.push_back(function.type(id));
    return results;
  }
  if (operation.operands.size() < 2) misfit("takes an extent and a step");
  for (std::size_t at = 0; at < 2; ++at)
    if (function.type(operation.operands[at]).kind != Kind::index)
      misfit("extent and step are indices: got ",
             type_words(function.type(operation.operands[at])));
  const auto& arguments = operation.regions[0].arguments;
  for (std::size_t at = 1; at < arguments.size(); ++at)
    results.push_back(function.type(arguments[at]));
  return results;
}

}  // namespace

std::vector<Type> infer(const Function& function, const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  const auto operand = [&](std::size_t at) -> const Type& {
    return function.type(operation.operands.at(at));
  };
  switch (operation.code) {
    case Opcode::block:
      for (std::size_t at = 0; at < 2; ++at)
        if (operand(at).kind != Kind::index) misfit("takes indices: got ", type_words(operand(at)));
      return {index_type()};
    case Opcode::extent:
    case Opcode::choice:
      return {index_type()};
    case Opcode::constant:
      if (!attributes.integers.empty()) return {index_type()};
      return {scalar_type(attributes.element)};
    case Opcode::iota: {
      const std::vector<int> extents = extents_from(attributes.integers, 1);
      check_extents(extents);
      if (attributes.integers[0] < 0 ||
          attributes.integers[0] >= static_cast<std::int64_t>(extents.size()))
        misfit("the tile ", shape_text(extents), " has no axis ", attributes.integers[0]);
      return {tile_type(Element::s32, extents)};
    }
    case Opcode::to:
      if (operand(0).kind == Kind::view) misfit("takes values; load the view first");
      return {with(operand(0), attributes.element, operand(0).bounds)};
    case Opcode::view:
      return {view_type(function, operation)};
    case Opcode::load:
      if (operand(0).kind != Kind::view) misfit("takes a view: got ", type_words(operand(0)));
      return {tile_type(attributes.element, operand(0).extents, operand(0).bounds)};
    case Opcode::store:
    case Opcode::reduce_store:
      if (operand(0).kind != Kind::tile || operand(1).kind != Kind::view ||
          operand(0).extents != operand(1).extents)
        misfit(type_words(operand(0)), " does not fit ", type_words(operand(1)));
      return {};
    case Opcode::gather: {
      if (operand(0).kind == Kind::view || operand(0).element != Element::s32)
        misfit("the index is an s32: got ", type_words(operand(0)));
      const auto at = static_cast<std::size_t>(attributes.integers.at(0));
      return {with(operand(0), widened(function.parameters.at(at).element), operand(0).bounds)};
    }
    case Opcode::reshape:
      if (operand(0).kind != Kind::tile) misfit("takes a tile: got ", type_words(operand(0)));
      return {reshaped(operand(0), extents_from(attributes.integers, 0))};
    case Opcode::transpose:
      if (operand(0).kind != Kind::tile) misfit("takes a tile: got ", type_words(operand(0)));
      return {transposed(operand(0), attributes.integers)};
    case Opcode::broadcast:
      return {broadcast_type(operand(0), extents_from(attributes.integers, 0))};
    case Opcode::reduce:
      return {reduce_type(operand(0), attributes)};
    case Opcode::dot:
      return {dot_type(function, operation)};
    case Opcode::loop:
    case Opcode::branch:
      return control_types(function, operation);
    case Opcode::yield:
      return {};
    default:
      return {by_element_type(function, operation)};
  }
}

Affine infer_affine(const Function& function, const Operation& operation) {
  const Id self = operation.results.at(0);
  const Affine itself{0, {{self, 1}}};
  const auto form = [&](std::size_t at) -> const Affine& {
    return function.values[static_cast<std::size_t>(operation.operands[at])].affine;
  };
  switch (operation.code) {
    case Opcode::constant:
      return {static_cast<std::int64_t>(operation.attributes.number), {}};
    case Opcode::choice:
      return {operation.attributes.integers.at(0), {}};
    case Opcode::block:
      return form(1).is_constant() ? Affine{0, {{self, form(1).constant}}} : itself;
    case Opcode::add:
      return sum(form(0), form(1));
    case Opcode::sub:
      return sum(form(0), form(1), -1);
    case Opcode::mul:
      if (form(0).is_constant()) return scaled(form(1), form(0).constant);
      if (form(1).is_constant()) return scaled(form(0), form(1).constant);
      return itself;
    default:
      return itself;
  }
}

}  // namespace aisp::jit
