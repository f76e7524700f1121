#include "jit/ir/interpret.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/refuse.hpp"
#include "jit/ir/apply.hpp"
#include "jit/ir/array_ranges.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

namespace {

using Numbers = std::vector<double>;

// Row-major coordinates of a tile's element.
std::vector<std::int64_t> coordinates(const std::vector<int>& extents, std::int64_t at) {
  std::vector<std::int64_t> result(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0; at /= extents[axis])
    result[axis] = at % extents[axis];
  return result;
}
std::int64_t linear(const std::vector<int>& extents, const std::vector<std::int64_t>& at) {
  std::int64_t result = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    result = result * extents[axis] + at[axis];
  return result;
}

class Interpreter {
 public:
  Interpreter(const Function& function, std::vector<HostTensor>& tensors,
              std::vector<std::int64_t> block)
      : function_(function),
        tensors_(tensors),
        block_(std::move(block)),
        values_(function.values.size()) {}

  void whole() { region(function_.body); }

 private:
  std::int64_t index(Id id) const { return static_cast<std::int64_t>(values_[id].at(0)); }
  const Type& type(Id id) const { return function_.type(id); }

  bool inside(const Type& of, std::int64_t at) const {
    if (of.bounds.empty()) return true;
    const auto place = coordinates(of.extents, at);
    for (const Bound& bound : of.bounds) {
      const std::int64_t position = index(bound.start) + place[bound.axis];
      if (position < 0 || position >= index(bound.extent)) return false;
    }
    return true;
  }

  void region(const Region& region) {
    for (const Operation& operation : region.body)
      if (operation.code != Opcode::yield) run(operation);
  }

  // Where element `at` of a view lies in its tensor; nothing outside of it.
  std::optional<std::size_t> offset(Id view, std::int64_t at) const {
    const Numbers& own = values_[view];  // parameter, starts
    const HostTensor& tensor = tensors_[static_cast<std::size_t>(own[0])];
    const auto place = coordinates(type(view).extents, at);
    std::int64_t result = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      const std::int64_t position = static_cast<std::int64_t>(own[axis + 1]) + place[axis];
      if (position < 0 || position >= tensor.extents[axis]) return {};
      result = result * tensor.extents[axis] + position;
    }
    return static_cast<std::size_t>(result);
  }

  HostTensor& tensor_of(Id view) { return tensors_[static_cast<std::size_t>(values_[view][0])]; }

  void store(const Operation& operation) {
    const Id tile = operation.operands[0], view = operation.operands[1];
    const Element element = type(view).element;
    for (std::int64_t at = 0; at < type(tile).size(); ++at) {
      const auto to = offset(view, at);
      if (!to || !inside(type(tile), at)) continue;
      double& stored = tensor_of(view).values[*to];
      double value = values_[tile][static_cast<std::size_t>(at)];
      if (operation.code == Opcode::reduce_store)
        value = operation.attributes.reduction == Reduction::sum
                    ? stored + value
                    : apply(Opcode::max, Element::f32, {stored, value});
      stored = rounded(element, value);
    }
  }

  Numbers load(Id view) {
    Numbers result(static_cast<std::size_t>(type(view).size()));
    for (std::size_t at = 0; at < result.size(); ++at)
      if (const auto from = offset(view, static_cast<std::int64_t>(at)))
        result[at] = tensor_of(view).values[*from];
    return result;
  }

  Numbers gather(const Operation& operation) {
    const auto parameter = static_cast<std::size_t>(operation.attributes.integers[0]);
    const HostTensor& array = tensors_[parameter];
    const Id from = operation.operands[0];
    Numbers result(values_[from].size());
    for (std::size_t at = 0; at < result.size(); ++at) {
      if (!inside(type(from), static_cast<std::int64_t>(at))) continue;
      const double position = values_[from][at];
      if (position >= 0 && position < static_cast<double>(array.values.size()))
        result[at] = array.values[static_cast<std::size_t>(position)];
    }
    return result;
  }

  Numbers shaped(const Operation& operation) const {
    const Id from = operation.operands[0];
    const Type& to = type(operation.results[0]);
    const Numbers& old = values_[from];
    if (operation.code == Opcode::reshape) return old;
    Numbers result(static_cast<std::size_t>(to.size()));
    for (std::size_t at = 0; at < result.size(); ++at) {
      const auto place = coordinates(to.extents, static_cast<std::int64_t>(at));
      auto source = place;
      if (operation.code == Opcode::transpose)
        for (std::size_t axis = 0; axis < place.size(); ++axis)
          source[static_cast<std::size_t>(operation.attributes.integers[axis])] = place[axis];
      else
        for (std::size_t axis = 0; axis < place.size(); ++axis)
          if (type(from).kind == Kind::tile && type(from).extents[axis] == 1) source[axis] = 0;
      result[at] = type(from).kind == Kind::scalar
                       ? old[0]
                       : old[static_cast<std::size_t>(linear(type(from).extents, source))];
    }
    return result;
  }

  Numbers reduce(const Operation& operation) const {
    const Id from = operation.operands[0];
    const Type &source = type(from), &to = type(operation.results[0]);
    const auto axis = static_cast<std::size_t>(operation.attributes.integers[0]);
    const Reduction reduction = operation.attributes.reduction;
    const Element element = source.element;
    Numbers result(static_cast<std::size_t>(to.size()));
    for (std::size_t at = 0; at < result.size(); ++at) {
      auto place = coordinates(to.extents, static_cast<std::int64_t>(at));
      double best = neutral(reduction, element);
      std::int64_t where = 0;
      for (int along = 0; along < source.extents[axis]; ++along) {
        place[axis] = along;
        const std::int64_t one = linear(source.extents, place);
        if (!inside(source, one)) continue;
        const double value = values_[from][static_cast<std::size_t>(one)];
        switch (reduction) {
          case Reduction::sum:
            best = apply(Opcode::add, element, {best, value});
            break;
          case Reduction::max:
            best = apply(Opcode::max, element, {best, value});
            break;
          case Reduction::min:
            best = apply(Opcode::min, element, {best, value});
            break;
          case Reduction::any:
            best = best != 0 || value != 0;
            break;
          case Reduction::all:
            best = best != 0 && value != 0;
            break;
          case Reduction::argmax:  // the first of equal ones; a NaN is larger than any number
            if (value > best || (std::isnan(value) && !std::isnan(best))) {
              best = value;
              where = along;
            }
        }
      }
      result[at] = reduction == Reduction::argmax ? static_cast<double>(where) : best;
    }
    return result;
  }

  static double neutral(Reduction reduction, Element element) {
    const double most =
        element == Element::s32 ? 0x1p31 - 1 : std::numeric_limits<double>::infinity();
    const double least = element == Element::s32 ? -0x1p31 : -most;
    switch (reduction) {
      case Reduction::max:
      case Reduction::argmax:
        return least;
      case Reduction::min:
        return most;
      case Reduction::all:
        return 1.0;
      default:
        return 0.0;
    }
  }

  Numbers dot(const Operation& operation) const {
    const Type &a = type(operation.operands[0]), &b = type(operation.operands[1]);
    const int m = a.extents[0], k = a.extents[1], n = b.extents[1];
    Numbers left = values_[operation.operands[0]], right = values_[operation.operands[1]];
    for (std::size_t at = 0; at < left.size(); ++at)
      if (!inside(a, static_cast<std::int64_t>(at))) left[at] = 0.0;
    for (std::size_t at = 0; at < right.size(); ++at)
      if (!inside(b, static_cast<std::int64_t>(at))) right[at] = 0.0;
    Numbers sums = operation.operands.size() == 3
                       ? values_[operation.operands[2]]
                       : Numbers(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    for (int row = 0; row < m; ++row)
      for (int inner = 0; inner < k; ++inner)
        for (int column = 0; column < n; ++column)
          sums[static_cast<std::size_t>(row * n + column)] +=
              left[static_cast<std::size_t>(row * k + inner)] *
              right[static_cast<std::size_t>(inner * n + column)];
    return sums;
  }

  void control(const Operation& operation) {
    const auto take = [&](const std::vector<Id>& from, const std::vector<Id>& to,
                          std::size_t skip) {
      std::vector<Numbers> carried;
      for (const Id id : from) carried.push_back(values_[id]);
      for (std::size_t at = skip; at < to.size(); ++at) values_[to[at]] = carried[at - skip];
    };
    if (operation.code == Opcode::branch) {
      const Region& taken = operation.regions[values_[operation.operands[0]][0] != 0 ? 0 : 1];
      region(taken);
      take(taken.body.back().operands, operation.results, 0);
      return;
    }
    const Region& body = operation.regions[0];
    const std::int64_t extent = index(operation.operands[0]), step = index(operation.operands[1]);
    if (step < 1)
      base::refuse(base::Exit::usage, place_prefix(function_, operation),
                   "loop: the step is at least 1: got ", step);
    take({operation.operands.begin() + 2, operation.operands.end()}, body.arguments, 1);
    for (std::int64_t counter = 0; counter < extent; counter += step) {
      values_[body.arguments[0]] = {static_cast<double>(counter)};
      region(body);
      take(body.body.back().operands, body.arguments, 1);
    }
    take({body.arguments.begin() + 1, body.arguments.end()}, operation.results, 0);
  }

  Numbers by_element_numbers(const Operation& operation) const {
    const auto& operands = operation.operands;
    const Element element = type(operands.back()).element;
    Numbers result(values_[operands[0]].size());
    Numbers taken(operands.size());
    for (std::size_t at = 0; at < result.size(); ++at) {
      for (std::size_t one = 0; one < operands.size(); ++one)
        taken[one] = values_[operands[one]][at];
      result[at] = operation.code == Opcode::to ? converted(operation, taken[0])
                                                : apply(operation.code, element, taken);
    }
    return result;
  }

  // A number becomes an integer as C++ does it, and a rounded one otherwise.
  static double converted(const Operation& operation, double value) {
    const Element to = operation.attributes.element;
    if (to == Element::s32 && !std::isnan(value)) value = std::trunc(value);
    return to == Element::f32 ? value : rounded(to, value);
  }

  void run(const Operation& operation) {
    const auto& integers = operation.attributes.integers;
    const auto result = [&](Numbers numbers) {
      values_[operation.results[0]] = std::move(numbers);
    };
    switch (operation.code) {
      case Opcode::block: {
        const auto dimension = static_cast<std::size_t>(integers[0]);
        const double number =
            dimension < block_.size() ? static_cast<double>(block_[dimension]) : 0;
        return result({number * values_[operation.operands[1]][0]});
      }
      case Opcode::extent:
        return result({static_cast<double>(tensors_[static_cast<std::size_t>(integers[0])]
                                               .extents[static_cast<std::size_t>(integers[1])])});
      case Opcode::choice:
        return result({static_cast<double>(integers[0])});
      case Opcode::constant:
        return result({operation.attributes.number});
      case Opcode::iota: {
        const Type& to = type(operation.results[0]);
        Numbers numbers(static_cast<std::size_t>(to.size()));
        for (std::size_t at = 0; at < numbers.size(); ++at)
          numbers[at] = static_cast<double>(coordinates(
              to.extents, static_cast<std::int64_t>(at))[static_cast<std::size_t>(integers[0])]);
        return result(std::move(numbers));
      }
      case Opcode::view: {
        Numbers numbers{static_cast<double>(integers[0])};
        for (std::size_t axis = 0; axis < operation.operands.size() / 2; ++axis)
          numbers.push_back(values_[operation.operands[axis]][0]);
        return result(std::move(numbers));
      }
      case Opcode::load:
        return result(load(operation.operands[0]));
      case Opcode::store:
      case Opcode::reduce_store:
        return store(operation);
      case Opcode::gather:
        return result(gather(operation));
      case Opcode::reshape:
      case Opcode::transpose:
      case Opcode::broadcast:
        return result(shaped(operation));
      case Opcode::reduce:
        return result(reduce(operation));
      case Opcode::dot:
        return result(dot(operation));
      case Opcode::loop:
      case Opcode::branch:
        return control(operation);
      default:
        return result(by_element_numbers(operation));
    }
  }

  const Function& function_;
  std::vector<HostTensor>& tensors_;
  std::vector<std::int64_t> block_;
  std::vector<Numbers> values_;
};

}  // namespace

void interpret(const Function& function, std::vector<HostTensor>& tensors) {
  std::vector<std::vector<std::int64_t>> extents;
  for (const HostTensor& tensor : tensors) extents.push_back(tensor.extents);
  refuse_outside_arrays(function, extents);
  const std::vector<std::int64_t> counts = grid(function, extents);
  std::int64_t blocks = 1;
  for (const std::int64_t count : counts) blocks *= count;
  for (std::int64_t number = 0; number < blocks; ++number) {
    std::vector<std::int64_t> block(counts.size());
    std::int64_t rest = number;
    for (std::size_t dimension = counts.size(); dimension-- > 0; rest /= counts[dimension])
      block[dimension] = rest % counts[dimension];
    Interpreter(function, tensors, std::move(block)).whole();
  }
}

}  // namespace aisp::jit
