#include "jit/ir/array_ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/refuse.hpp"
#include "jit/ir/grid.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

namespace {

// Numbers from `least` to `most`, both reached; `certain` is false where that is not known.
struct Range {
  double least = 0, most = 0;
  bool certain = true;

  bool empty() const { return least > most; }
};

Range operator+(const Range& a, const Range& b) {
  return {a.least + b.least, a.most + b.most, a.certain && b.certain};
}
Range times(const Range& a, double by) {
  return {std::min(a.least * by, a.most * by), std::max(a.least * by, a.most * by), a.certain};
}
constexpr Range unknown{-INFINITY, INFINITY, false};

using Bounds = std::vector<Bound>;

// A value as a sum: an affine form of symbols, coordinates of its own element, and further values.
struct Sum {
  Affine symbols;
  std::array<std::int64_t, most_axes> coordinates{};
  std::vector<std::pair<Id, std::int64_t>> further;
};

class Ranges {
 public:
  Ranges(const Function& function, const std::vector<std::vector<std::int64_t>>& extents)
      : function_(function), extents_(extents), blocks_(grid(function, extents)) {
    for_each(function.body, [&](const Operation& one) {
      for (const Id id : one.results) definitions_[id] = &one;
      if (one.code == Opcode::loop) counters_[one.regions[0].arguments[0]] = &one;
    });
  }

  void check() {
    for (const std::int64_t count : blocks_)
      if (count == 0) return;
    region(function_.body);
  }

 private:
  // From the end: which elements of each value count, and by which bounds.
  void region(const Region& region) {
    for (auto at = region.body.rbegin(); at != region.body.rend(); ++at) {
      if (at->code == Opcode::branch) continue;  // one side of it may never run
      if (at->code == Opcode::loop && index(at->operands[0]).most > 0) this->region(at->regions[0]);
      demand(*at);
      if (at->code == Opcode::gather) gather(*at);
    }
  }

  void demand(const Operation& operation) {
    const auto pass_on = [&](Id to, const std::set<Bounds>& all) {
      counts_[to].insert(all.begin(), all.end());
    };
    switch (operation.code) {
      case Opcode::store:
      case Opcode::reduce_store: {
        Bounds both = function_.type(operation.operands[0]).bounds;
        const Bounds& more = function_.type(operation.operands[1]).bounds;
        both.insert(both.end(), more.begin(), more.end());
        return pass_on(operation.operands[0], {both});
      }
      case Opcode::reduce:
      case Opcode::dot:
      case Opcode::yield:
        for (const Id id : operation.operands) pass_on(id, {function_.type(id).bounds});
        return;
      case Opcode::reshape:
      case Opcode::broadcast: {
        if (!spreads(operation)) return;
        const Type& from = function_.type(operation.operands[0]);
        std::set<Bounds> mapped;
        for (const Bounds& one : counts_[operation.results[0]])
          mapped.insert(narrowed(one, from, function_.type(operation.results[0])));
        return pass_on(operation.operands[0], mapped);
      }
      default:
        if (!by_element(operation.code) || operation.code == Opcode::where ||
            row_of(operation.code).family == Family::logic)
          return;
        for (const Id id : operation.operands) pass_on(id, counts_[operation.results[0]]);
    }
  }

  // A broadcast, or a reshape that adds or drops leading axes of one element.
  bool spreads(const Operation& operation) const {
    if (operation.code == Opcode::broadcast) return true;
    if (operation.code != Opcode::reshape) return false;
    const auto &from = function_.type(operation.operands[0]).extents,
               &to = function_.type(operation.results[0]).extents;
    const auto [at_from, at_to] = std::mismatch(from.rbegin(), from.rend(), to.rbegin(), to.rend());
    const auto one = [](int extent) { return extent == 1; };
    return std::all_of(at_from, from.rend(), one) && std::all_of(at_to, to.rend(), one);
  }

  // Bounds of a spread tile for what was spread: axes of one element are all there.
  static Bounds narrowed(const Bounds& bounds, const Type& from, const Type& to) {
    Bounds result;
    const int skip = to.rank() - from.rank();
    for (const Bound& bound : bounds) {
      const int axis = bound.axis - skip;
      if (axis >= 0 && axis < from.rank() && from.extents[static_cast<std::size_t>(axis)] > 1)
        result.push_back({axis, bound.start, bound.extent});
    }
    return result;
  }

  void gather(const Operation& operation) {
    const auto array = static_cast<std::size_t>(operation.attributes.integers[0]);
    const auto count = static_cast<double>(extents_[array][0]);
    for (const Bounds& bounds : counts_[operation.results[0]]) {
      seen_.clear();
      const Range range = of_value(operation.operands[0], bounds);
      if (range.empty() || !range.certain) continue;
      if (range.most >= count || range.least < 0)
        base::refuse(base::Exit::usage, place_prefix(function_, operation),
                     function_.parameters[array].name, "[…]: index ",
                     range.most >= count ? "up to " : "down to ",
                     static_cast<std::int64_t>(range.most >= count ? range.most : range.least),
                     ", the array has ", static_cast<std::int64_t>(count),
                     "; make it longer, or take where(inside, index, 0)");
    }
  }

  Range index(Id id) { return of_affine(function_.values[id].affine); }

  Range of_affine(const Affine& form) {
    Range sum{static_cast<double>(form.constant), static_cast<double>(form.constant)};
    for (const auto& [symbol, coefficient] : form.terms)
      sum = sum + times(of_symbol(symbol), static_cast<double>(coefficient));
    return sum;
  }

  // A symbol that occurs twice is not two that are independent.
  Range once(Id id, Range range) {
    if (range.least != range.most) range.certain = range.certain && seen_.insert(id).second;
    return range;
  }

  Range of_symbol(Id symbol) {
    const auto counter = counters_.find(symbol);
    if (counter != counters_.end()) {
      const Range extent = index(counter->second->operands[0]),
                  step = index(counter->second->operands[1]);
      if (step.least < 1 || step.least != step.most) return unknown;
      // Where the step is a number, the symbol counts turns and forms have the step as its factor.
      const bool turns = function_.values[counter->second->operands[1]].affine.is_constant();
      const double last = std::max(0.0, std::ceil(extent.most / step.least) - 1);
      return once(symbol, {0, last * (turns ? 1.0 : step.least), extent.certain});
    }
    const auto found = definitions_.find(symbol);
    if (found == definitions_.end()) return unknown;
    const Operation& operation = *found->second;
    const auto& integers = operation.attributes.integers;
    if (operation.code == Opcode::extent) {
      const auto extent = static_cast<double>(
          extents_[static_cast<std::size_t>(integers[0])][static_cast<std::size_t>(integers[1])]);
      return {extent, extent};
    }
    if (operation.code == Opcode::block)
      return once(symbol,
                  {0, static_cast<double>(blocks_[static_cast<std::size_t>(integers[0])]) - 1});
    return of_operation(operation, {});
  }

  // Adds `times` of a value to a sum.
  void add(Id id, std::int64_t factor, Sum& to) {
    const Type& type = function_.type(id);
    if (type.kind == Kind::index) {
      to.symbols = sum(to.symbols, function_.values[id].affine, factor);
      return;
    }
    const auto found = definitions_.find(id);
    if (found == definitions_.end()) return to.further.push_back({id, factor});
    const Operation& operation = *found->second;
    const auto constant = [&](std::size_t at) -> const Operation* {
      Id own = operation.operands[at];
      auto one = definitions_.find(own);
      while (one != definitions_.end() && one->second->code == Opcode::broadcast)
        one = definitions_.find(one->second->operands[0]);
      return one != definitions_.end() && one->second->code == Opcode::constant ? one->second
                                                                                : nullptr;
    };
    switch (operation.code) {
      case Opcode::constant:
        to.symbols.constant += factor * static_cast<std::int64_t>(operation.attributes.number);
        return;
      case Opcode::iota:
        to.coordinates[static_cast<std::size_t>(operation.attributes.integers[0])] += factor;
        return;
      case Opcode::to:
        if (type.element != Element::s32 ||
            function_.type(operation.operands[0]).element != Element::s32)
          break;
        return add(operation.operands[0], factor, to);
      case Opcode::reshape:
      case Opcode::broadcast: {
        if (!spreads(operation)) break;
        Sum inner;
        add(operation.operands[0], factor, inner);
        if (!inner.further.empty()) break;
        const Type& from = function_.type(operation.operands[0]);
        to.symbols = sum(to.symbols, inner.symbols);
        for (int axis = 0; axis < from.rank(); ++axis)
          if (from.extents[static_cast<std::size_t>(axis)] > 1)
            to.coordinates[static_cast<std::size_t>(axis + type.rank() - from.rank())] +=
                inner.coordinates[static_cast<std::size_t>(axis)];
        return;
      }
      case Opcode::add:
      case Opcode::sub:
        add(operation.operands[0], factor, to);
        return add(operation.operands[1], operation.code == Opcode::add ? factor : -factor, to);
      case Opcode::mul:
        for (std::size_t at = 0; at < 2; ++at)
          if (const Operation* number = constant(at))
            return add(operation.operands[1 - at],
                       factor * static_cast<std::int64_t>(number->attributes.number), to);
        break;
      default:
        break;
    }
    to.further.push_back({id, factor});
  }

  Range of_value(Id id, const Bounds& bounds) {
    Sum own;
    add(id, 1, own);
    if (own.further.size() == 1 && own.further[0].first == id) {
      const auto found = definitions_.find(id);
      return found == definitions_.end() ? unknown : of_operation(*found->second, bounds);
    }
    // A coordinate is where it starts in a tensor, taken off a position inside of that tensor.
    Sum inside = own;
    Range positions{};
    for (const Bound& bound : bounds) {
      std::int64_t& times_it = inside.coordinates[static_cast<std::size_t>(bound.axis)];
      if (times_it == 0) continue;
      const Affine moved = sum(inside.symbols, function_.values[bound.start].affine, -times_it);
      if (moved.terms.size() >= inside.symbols.terms.size()) continue;
      inside.symbols = moved;
      positions =
          positions + times({0, index(bound.extent).most - 1}, static_cast<double>(times_it));
      times_it = 0;
    }
    Range total = positions + of_affine(inside.symbols);
    for (int axis = 0; axis < most_axes; ++axis) {
      const std::int64_t by = inside.coordinates[static_cast<std::size_t>(axis)];
      if (by != 0) total = total + times(coordinate(id, axis, bounds), static_cast<double>(by));
    }
    for (const auto& [other, by] : inside.further) {
      const auto found = definitions_.find(other);
      total = total +
              times(found == definitions_.end() ? unknown : of_operation(*found->second, bounds),
                    static_cast<double>(by));
    }
    return total;
  }

  Range coordinate(Id id, int axis, const Bounds& bounds) {
    const auto& extents = function_.type(id).extents;
    Range range{0, static_cast<double>(extents.at(static_cast<std::size_t>(axis))) - 1};
    const std::set<Id> before = seen_;
    const Affine* first = nullptr;
    for (const Bound& bound : bounds) {
      if (bound.axis != axis) continue;
      // The block that starts first has most of the axis before it.
      const Affine& from = function_.values[bound.start].affine;
      if (first != nullptr) range.certain = range.certain && from == *first;
      first = &from;
      seen_ = before;
      const Range start = of_affine(from);
      range.most = std::min(range.most, index(bound.extent).most - start.least - 1);
      range.least = std::max(range.least, -start.most);
      range.certain = range.certain && start.certain;
    }
    return range;
  }

  Range of_operation(const Operation& operation, const Bounds& bounds) {
    const Id id = operation.results[0];
    const auto operand = [&](std::size_t at) { return of_value(operation.operands[at], bounds); };
    switch (operation.code) {
      case Opcode::reshape:
      case Opcode::broadcast:
        if (!spreads(operation)) return unknown;
        return of_value(
            operation.operands[0],
            narrowed(bounds, function_.type(operation.operands[0]), function_.type(id)));
      case Opcode::min: {
        const Range a = operand(0), b = operand(1);
        return {std::min(a.least, b.least), std::min(a.most, b.most), a.certain && b.certain};
      }
      case Opcode::max: {
        const Range a = operand(0), b = operand(1);
        return {std::max(a.least, b.least), std::max(a.most, b.most), a.certain && b.certain};
      }
      case Opcode::div:
      case Opcode::mod: {
        const Range a = operand(0), b = operand(1);
        if (b.least != b.most || b.least < 1) return unknown;
        if (operation.code == Opcode::div)
          return {std::trunc(a.least / b.least), std::trunc(a.most / b.least), a.certain};
        if (a.least >= 0 && a.most < b.least) return a;
        return {a.least < 0 ? 1 - b.least : 0, b.least - 1, false};
      }
      default:
        return unknown;
    }
  }

  const Function& function_;
  const std::vector<std::vector<std::int64_t>>& extents_;
  std::vector<std::int64_t> blocks_;
  std::map<Id, const Operation*> definitions_, counters_;
  std::map<Id, std::set<Bounds>> counts_;
  std::set<Id> seen_;
};

}  // namespace

void refuse_outside_arrays(const Function& function,
                           const std::vector<std::vector<std::int64_t>>& extents) {
  for (const Parameter& parameter : function.parameters)
    if (parameter.role == Parameter::Role::array) return Ranges(function, extents).check();
}

}  // namespace aisp::jit
