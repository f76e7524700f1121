#include "jit/ir/demands.hpp"

#include <algorithm>

namespace aisp::jit {

namespace {

using Constraints = std::vector<Constraint>;

// Along an axis of one element only the start counts. Of an axis that was spread, one element is
// enough that counts.
Constraint of_start(Constraint one, std::int64_t spread) {
  one.axis = -1;
  one.low -= spread - 1;
  return one;
}

void append(Constraints& to, const Constraints& from) {
  for (const Constraint& one : from)
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

// `axis_of` gives the operand's axis for one of the result's, or -1 where it has one element.
template <class AxisOf>
Constraints mapped(const Constraints& all, const Type& to, const AxisOf& axis_of) {
  Constraints result;
  for (Constraint one : all) {
    if (one.axis >= 0) {
      const int axis = axis_of(one.axis);
      if (axis < 0)
        one = of_start(one, to.extents[static_cast<std::size_t>(one.axis)]);
      else
        one.axis = axis;
    }
    append(result, {one});
  }
  return result;
}

// The axis of `from` that begins where axis `axis` of `to` does and is as long.
int axis_before_reshape(const Type& from, const Type& to, int axis) {
  std::int64_t before = 1, passed = 1;
  for (int one = 0; one < axis; ++one) before *= to.extents[static_cast<std::size_t>(one)];
  for (int one = 0; one < from.rank(); ++one) {
    const int extent = from.extents[static_cast<std::size_t>(one)];
    if (passed == before && extent == to.extents[static_cast<std::size_t>(axis)]) return one;
    passed *= extent;
  }
  return -1;
}

}  // namespace

Demands::Demands(const Function& function, const IndexForms& forms)
    : function_(function), forms_(forms) {
  walk(function.body);
}

const std::vector<Use>& Demands::uses(Id value) const {
  static const std::vector<Use> none;
  const auto found = uses_.find(value);
  return found == uses_.end() ? none : found->second;
}

Constraints Demands::constraints(const Type& type) const {
  Constraints result;
  for (const Bound& bound : type.bounds) {
    const Operation* extent = forms_.definition(bound.extent);
    const auto length = forms_.number(bound.extent);
    if (extent == nullptr || extent->code != Opcode::extent || !length) continue;
    Constraint one{bound.axis,
                   forms_.form(bound.start),
                   0,
                   *length,
                   static_cast<int>(extent->attributes.integers[0]),
                   static_cast<int>(extent->attributes.integers[1])};
    if (type.extents[static_cast<std::size_t>(bound.axis)] == 1) one.axis = -1;
    append(result, {one});
  }
  return result;
}

void Demands::add(Id value, Use use) {
  if (function_.type(value).kind != Kind::tile) return;
  std::vector<Use>& all = uses_[value];
  if (std::find(all.begin(), all.end(), use) == all.end()) all.push_back(std::move(use));
}

void Demands::walk(const Region& region) {
  for (auto at = region.body.rbegin(); at != region.body.rend(); ++at) visit(*at);
}

void Demands::visit(const Operation& operation) {
  const auto type = [&](Id id) -> const Type& { return function_.type(id); };
  if (operation.code == Opcode::store || operation.code == Opcode::reduce_store) {
    Use use{constraints(type(operation.operands[0])), is_partial(operation)};
    append(use.constraints, constraints(type(operation.operands[1])));
    return add(operation.operands[0], use);
  }
  if (operation.code == Opcode::loop) return loop(operation);
  if (operation.code == Opcode::branch) {
    for (const Region& region : operation.regions) {
      for (std::size_t at = 0; at < operation.results.size(); ++at)
        for (const Use& use : uses(operation.results[at]))
          add(region.body.back().operands[at], {use.constraints, use.part, false});
      walk(region);
    }
    return;
  }
  if (operation.results.size() != 1 || operation.operands.empty()) return;
  if (operation.code == Opcode::dot) return dot(operation);
  const Id from = operation.operands[0];
  const std::vector<Use> own = uses(operation.results[0]);
  const Type& to = type(operation.results[0]);
  if (type(from).kind != Kind::tile && operation.operands.size() == 1) return;
  for (const Use& use : own) {
    switch (operation.code) {
      case Opcode::load:
        break;
      case Opcode::reduce: {
        Use all = use;
        append(all.constraints, constraints(type(from)));
        add(from, all);
        break;
      }
      case Opcode::transpose:
        add(from, {mapped(use.constraints, to,
                          [&](int axis) {
                            return static_cast<int>(
                                operation.attributes.integers[static_cast<std::size_t>(axis)]);
                          }),
                   use.part, use.certain});
        break;
      case Opcode::reshape:
      case Opcode::broadcast:
        add(from,
            {mapped(use.constraints, to,
                    [&](int axis) {
                      if (operation.code == Opcode::reshape)
                        return axis_before_reshape(type(from), to, axis);
                      return type(from).extents.at(static_cast<std::size_t>(axis)) == 1 ? -1 : axis;
                    }),
             use.part, use.certain});
        break;
      default:
        for (std::size_t at = 0; at < operation.operands.size(); ++at) {
          // Either side of a choice, and what `and` and `or` need not look at.
          const bool chosen = operation.code == Opcode::where && at > 0;
          const bool certain =
              use.certain && !chosen && row_of(operation.code).family != Family::logic;
          add(operation.operands[at], {use.constraints, use.part, certain});
        }
    }
  }
}

// Rows of the first operand and columns of the second; inner elements count where both have them.
void Demands::dot(const Operation& operation) {
  const Id operands[] = {operation.operands[0], operation.operands[1]};
  const Type& to = function_.type(operation.results[0]);
  for (const Use& use : std::vector<Use>(uses(operation.results[0]))) {
    for (const int side : {0, 1}) {
      const int outer = side, inner = 1 - side;
      Use all{mapped(use.constraints, to, [&](int axis) { return axis == outer ? outer : -1; }),
              use.part, use.certain};
      append(all.constraints, constraints(function_.type(operands[side])));
      for (Constraint other : constraints(function_.type(operands[1 - side]))) {
        if (other.axis == outer) {  // the other's inner axis
          other.axis = inner;
          append(all.constraints, {other});
        }
      }
      add(operands[side], all);
    }
    if (operation.operands.size() == 3) add(operation.operands[2], use);
  }
}

Constraints Demands::without_counter(const Constraints& all, Id counter) const {
  Constraints result;
  for (const Constraint& one : all)
    if (std::none_of(one.start.terms.begin(), one.start.terms.end(),
                     [&](const auto& term) { return term.first == counter; }))
      result.push_back(one);
  return result;
}

// What a turn carries is used by the next one, or behind the loop.
void Demands::loop(const Operation& operation) {
  const Region& body = operation.regions[0];
  const Id counter = body.arguments[0];
  for (std::size_t at = 0; at < operation.results.size(); ++at)
    for (const Use& use : std::vector<Use>(uses(operation.results[at]))) {
      add(body.body.back().operands[at], use);
      add(operation.operands[at + 2], use);
    }
  for (int round = 0; round < 2; ++round) {
    walk(body);
    for (std::size_t at = 0; at < operation.results.size(); ++at)
      for (const Use& use : std::vector<Use>(uses(body.arguments[at + 1]))) {
        const Use carried{without_counter(use.constraints, counter), use.part, use.certain};
        add(body.body.back().operands[at], carried);
        add(operation.operands[at + 2], carried);
      }
  }
  walk(body);
}

}  // namespace aisp::jit
