#include "jit/ir/builder.hpp"

#include <algorithm>
#include <set>

#include "base/refuse.hpp"
#include "jit/ir/infer.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

namespace {

void infer_again(Function& function, Region& region) {
  for (Operation& operation : region.body) {
    for (Region& inner : operation.regions) infer_again(function, inner);
    const std::vector<Type> types = infer(function, operation);
    for (std::size_t at = 0; at < types.size(); ++at)
      function.values[operation.results[at]].type = types[at];
  }
}

std::set<Id> defined_in(const Region& region) {
  std::set<Id> ids(region.arguments.begin(), region.arguments.end());
  for_each(region, [&](const Operation& operation) {
    ids.insert(operation.results.begin(), operation.results.end());
  });
  return ids;
}

// What is outside of a tensor in any turn is outside of the carried tile. True when nothing was
// added.
bool carry_bounds(Function& function, const Operation& loop) {
  const Region& body = loop.regions[0];
  const std::set<Id> inner = defined_in(body);
  bool steady = true;
  for (std::size_t at = 1; at < body.arguments.size(); ++at) {
    Type& carried = function.values[body.arguments[at]].type;
    const Type& next = function.type(body.body.back().operands[at - 1]);
    if (next.kind != carried.kind || next.element != carried.element ||
        next.extents != carried.extents)
      base::refuse(base::Exit::usage, "the carried tile ", shape_text(carried.extents), " ",
                   name_of(carried.element), " becomes ", shape_text(next.extents), " ",
                   name_of(next.element), "; carry one shape and type");
    for (const Bound& bound : next.bounds) {
      if (inner.contains(bound.start) || inner.contains(bound.extent))
        base::refuse(base::Exit::usage,
                     "which elements of the carried tile are inside depends on the counter; reduce "
                     "it, or choose with where, before it is carried");
      if (std::find(carried.bounds.begin(), carried.bounds.end(), bound) != carried.bounds.end())
        continue;
      auto bounds = carried.bounds;
      bounds.push_back(bound);
      carried = tile_type(carried.element, carried.extents, std::move(bounds));
      steady = false;
    }
  }
  return steady;
}

}  // namespace

std::vector<Id> Builder::append(Operation operation, const std::string& subject) {
  if (operation.place.line != 0) last_place_ = operation.place;
  std::vector<Type> types;
  try {
    types = infer(function_, operation);
  } catch (const base::Refusal& refusal) {
    base::refuse(refusal.exit(), place_prefix(function_, operation),
                 subject.empty() ? std::string(name_of(operation.code)) : subject, ": ",
                 refusal.what());
  }
  // Positions are computed once, outside of loops where they can be: bounds name them.
  const bool position = types.size() == 1 && types[0].kind == Kind::index &&
                        std::all_of(operation.operands.begin(), operation.operands.end(),
                                    [&](Id id) { return outermost_.contains(id); });
  if (position)
    for (const Operation& one : function_.body.body)
      if (one.code == operation.code && one.operands == operation.operands &&
          one.attributes == operation.attributes)
        return one.results;
  for (Type& type : types) operation.results.push_back(function_.add_value(std::move(type)));
  if (operation.results.size() == 1 && function_.type(operation.results[0]).kind == Kind::index)
    function_.values[operation.results[0]].affine = infer_affine(function_, operation);
  std::vector<Id> results = operation.results;
  const bool outermost = open_.empty() || position;
  if (outermost) outermost_.insert(results.begin(), results.end());
  (outermost ? function_.body : open_.back()).body.push_back(std::move(operation));
  return results;
}

Id Builder::value(Opcode code, std::vector<Id> operands, Attributes attributes, Place place,
                  const std::string& subject) {
  return append({code, std::move(operands), {}, std::move(attributes), {}, std::move(place)},
                subject)[0];
}

void Builder::effect(Opcode code, std::vector<Id> operands, Attributes attributes, Place place,
                     const std::string& subject) {
  append({code, std::move(operands), {}, std::move(attributes), {}, std::move(place)}, subject);
}

Id Builder::index(std::int64_t number, Place place) {
  Attributes attributes;
  attributes.integers = {1};
  attributes.number = static_cast<double>(number);
  attributes.element = Element::s32;
  return value(Opcode::constant, {}, std::move(attributes), std::move(place));
}

Id Builder::scalar(double number, Element element, Place place) {
  Attributes attributes;
  attributes.number = number;
  attributes.element = element;
  return value(Opcode::constant, {}, std::move(attributes), std::move(place));
}

Region Builder::region(const std::function<std::vector<Id>()>& body) {
  open_.push_back({});
  const std::vector<Id> results = body();
  effect(Opcode::yield, results);
  Region made = std::move(open_.back());
  open_.pop_back();
  return made;
}

std::vector<Id> Builder::loop(Id extent, Id step, std::vector<Id> carried, const Body& body,
                              Place place) {
  Operation operation{Opcode::loop, {extent, step}, {}, {}, {}, std::move(place)};
  std::vector<Id> arguments{function_.add_value(index_type())};
  for (const Id id : carried) {
    operation.operands.push_back(id);
    const Type type = function_.type(id);
    arguments.push_back(function_.add_value(type, function_.values[id].name));
  }
  // Positions move in steps: what the counter is a multiple of is known.
  if (function_.values[step].affine.is_constant())
    function_.values[arguments[0]].affine = {
        0, {{arguments[0], function_.values[step].affine.constant}}};
  Region inner = region([&] { return body(arguments); });
  // Sums that begin as f32 zeros and are sums of s8 products: they begin as s32, and once more.
  for (std::size_t at = 0; at < carried.size() && at < inner.body.back().operands.size(); ++at) {
    if (function_.type(carried[at]).element != Element::f32 ||
        function_.type(inner.body.back().operands[at]).element != Element::s32)
      continue;
    Attributes integer;
    integer.element = Element::s32;
    carried[at] = value(Opcode::to, {carried[at]}, integer, operation.place);
    return loop(extent, step, std::move(carried), body, operation.place);
  }
  inner.arguments = std::move(arguments);
  operation.regions.push_back(std::move(inner));
  try {
    while (!carry_bounds(function_, operation)) infer_again(function_, operation.regions[0]);
    for (std::size_t at = 1; at < operation.regions[0].arguments.size(); ++at) {
      const Type& type = function_.type(operation.regions[0].arguments[at]);
      if (function_.type(operation.regions[0].body.back().operands[at - 1]) == type) continue;
      // The next one is inside where the carried one is not: it is said by hand.
      base::refuse(base::Exit::usage, "the carried tile ", shape_text(type.extents),
                   " has elements outside that the next one has inside; combine the two");
    }
  } catch (const base::Refusal& refusal) {
    base::refuse(refusal.exit(), place_prefix(function_, operation), "loop: ", refusal.what());
  }
  return append(std::move(operation), "loop");
}

std::vector<Id> Builder::branch(Id condition, const Side& then, const Side& otherwise,
                                Place place) {
  Operation operation{Opcode::branch, {condition}, {}, {}, {}, std::move(place)};
  operation.regions.push_back(region(then));
  operation.regions.push_back(region(otherwise));
  return append(std::move(operation), "if");
}

}  // namespace aisp::jit
