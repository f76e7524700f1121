// Runs a function block by block on numbers of any kind: an `Arithmetic` says what a number is and
// what operations make of it. Float64 is one (interpret.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "jit/ir/array_ranges.hpp"
#include "jit/ir/extents.hpp"
#include "jit/ir/function.hpp"
#include "jit/ir/grid.hpp"
#include "jit/ir/host_tensor.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

// The inside elements of one reduction, and where they lie along an axis of `extent`.
template <class Number>
struct Reduced {
  Reduction reduction;
  Element element;
  int extent = 0;
  std::vector<Number> values;
  std::vector<int> positions;
};

// Row-major coordinates of a tile's element.
inline std::vector<std::int64_t> coordinates(const std::vector<int>& extents, std::int64_t at) {
  std::vector<std::int64_t> result(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0; at /= extents[axis])
    result[axis] = at % extents[axis];
  return result;
}

// One block. The arithmetic has
//   Number exact(double), constant(double, Element)
//   std::int64_t integer(Number)  of a position, and of a condition for the whole block
//   Number apply(Opcode, Element, span), converted(Number, Element from, Element to)
//   Number rounded(Number, Element), combined(Number& stored, Number, Reduction, Element)
//   Number gathered(array, Number), reduced(Reduced), dot(Element, Number, span, span)
template <class Arithmetic>
class BlockEvaluation {
 public:
  using Number = typename Arithmetic::Number;
  using Numbers = std::vector<Number>;

  BlockEvaluation(Arithmetic& arithmetic, const Function& function,
                  std::vector<TensorOf<Number>>& tensors, std::vector<std::int64_t> block)
      : arithmetic_(arithmetic),
        function_(function),
        tensors_(tensors),
        block_(std::move(block)),
        values_(function.values.size()) {}

  void whole() { region(function_.body); }

 private:
  std::int64_t index(Id id) const { return arithmetic_.integer(values_[id].at(0)); }
  const Type& type(Id id) const { return function_.type(id); }
  Number exact(std::int64_t number) const { return arithmetic_.exact(static_cast<double>(number)); }

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

  TensorOf<Number>& tensor_of(Id view) {
    return tensors_[static_cast<std::size_t>(arithmetic_.integer(values_[view][0]))];
  }

  // Where element `at` of a view lies in its tensor; nothing outside of it.
  std::optional<std::size_t> offset(Id view, std::int64_t at) {
    const TensorOf<Number>& tensor = tensor_of(view);
    const auto place = coordinates(type(view).extents, at);
    std::int64_t result = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      const std::int64_t position = arithmetic_.integer(values_[view][axis + 1]) + place[axis];
      if (position < 0 || position >= tensor.extents[axis]) return {};
      result = result * tensor.extents[axis] + position;
    }
    return static_cast<std::size_t>(result);
  }

  void store(const Operation& operation) {
    const Id tile = operation.operands[0], view = operation.operands[1];
    const Element element = type(view).element;
    for (std::int64_t at = 0; at < type(tile).size(); ++at) {
      const auto to = offset(view, at);
      if (!to || !inside(type(tile), at)) continue;
      Number& stored = tensor_of(view).values[*to];
      Number value = values_[tile][static_cast<std::size_t>(at)];
      if (operation.code == Opcode::reduce_store)
        value = arithmetic_.combined(stored, value, operation.attributes.reduction, element);
      stored = arithmetic_.rounded(value, element);
    }
  }

  Numbers load(Id view) {
    Numbers result(static_cast<std::size_t>(type(view).size()), exact(0));
    for (std::size_t at = 0; at < result.size(); ++at)
      if (const auto from = offset(view, static_cast<std::int64_t>(at)))
        result[at] = tensor_of(view).values[*from];
    return result;
  }

  Numbers gather(const Operation& operation) const {
    const auto parameter = static_cast<std::size_t>(operation.attributes.integers[0]);
    const Id from = operation.operands[0];
    Numbers result(values_[from].size(), exact(0));
    for (std::size_t at = 0; at < result.size(); ++at)
      if (inside(type(from), static_cast<std::int64_t>(at)))
        result[at] = arithmetic_.gathered(tensors_[parameter].values, values_[from][at]);
    return result;
  }

  static std::size_t linear(const std::vector<int>& extents, const std::vector<std::int64_t>& at) {
    std::int64_t result = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      result = result * extents[axis] + at[axis];
    return static_cast<std::size_t>(result);
  }

  Numbers shaped(const Operation& operation) const {
    const Id from = operation.operands[0];
    const Type& to = type(operation.results[0]);
    const Numbers& old = values_[from];
    if (operation.code == Opcode::reshape) return old;
    Numbers result(static_cast<std::size_t>(to.size()), exact(0));
    for (std::size_t at = 0; at < result.size(); ++at) {
      const auto place = coordinates(to.extents, static_cast<std::int64_t>(at));
      auto source = place;
      if (operation.code == Opcode::transpose)
        for (std::size_t axis = 0; axis < place.size(); ++axis)
          source[static_cast<std::size_t>(operation.attributes.integers[axis])] = place[axis];
      else
        for (std::size_t axis = 0; axis < place.size(); ++axis)
          if (type(from).kind == Kind::tile && type(from).extents[axis] == 1) source[axis] = 0;
      result[at] =
          type(from).kind == Kind::scalar ? old[0] : old[linear(type(from).extents, source)];
    }
    return result;
  }

  Numbers reduce(const Operation& operation) const {
    const Id from = operation.operands[0];
    const Type &source = type(from), &to = type(operation.results[0]);
    const auto axis = static_cast<std::size_t>(operation.attributes.integers[0]);
    Numbers result(static_cast<std::size_t>(to.size()), exact(0));
    Reduced<Number> row{
        operation.attributes.reduction, source.element, source.extents[axis], {}, {}};
    for (std::size_t at = 0; at < result.size(); ++at) {
      auto place = coordinates(to.extents, static_cast<std::int64_t>(at));
      row.values.clear();
      row.positions.clear();
      for (int along = 0; along < source.extents[axis]; ++along) {
        place[axis] = along;
        const std::size_t one = linear(source.extents, place);
        if (!inside(source, static_cast<std::int64_t>(one))) continue;
        row.values.push_back(values_[from][one]);
        row.positions.push_back(along);
      }
      result[at] = arithmetic_.reduced(row);
    }
    return result;
  }

  // An operand of a product: 0 where it is outside.
  Numbers masked(Id id) const {
    Numbers numbers = values_[id];
    for (std::size_t at = 0; at < numbers.size(); ++at)
      if (!inside(type(id), static_cast<std::int64_t>(at))) numbers[at] = exact(0);
    return numbers;
  }

  Numbers dot(const Operation& operation) const {
    const auto k = static_cast<std::size_t>(type(operation.operands[0]).extents[1]);
    const auto n = static_cast<std::size_t>(type(operation.operands[1]).extents[1]);
    const Numbers left = masked(operation.operands[0]), right = masked(operation.operands[1]);
    Numbers columns;  // (n, k)
    for (std::size_t column = 0; column < n; ++column)
      for (std::size_t inner = 0; inner < k; ++inner) columns.push_back(right[inner * n + column]);
    Numbers sums = operation.operands.size() == 3 ? values_[operation.operands[2]]
                                                  : Numbers(left.size() / k * n, exact(0));
    const Element element = type(operation.results[0]).element;
    for (std::size_t at = 0; at < sums.size(); ++at)
      sums[at] = arithmetic_.dot(element, sums[at], std::span(left).subspan(at / n * k, k),
                                 std::span(std::as_const(columns)).subspan(at % n * k, k));
    return sums;
  }

  void carry(const std::vector<Id>& from, const std::vector<Id>& to, std::size_t skip) {
    std::vector<Numbers> carried;
    for (const Id id : from) carried.push_back(values_[id]);
    for (std::size_t at = skip; at < to.size(); ++at) values_[to[at]] = carried[at - skip];
  }

  void branch(const Operation& operation) {
    const Region& taken = operation.regions[index(operation.operands[0]) != 0 ? 0 : 1];
    region(taken);
    carry(taken.body.back().operands, operation.results, 0);
  }

  void loop(const Operation& operation) {
    const Region& body = operation.regions[0];
    const std::int64_t extent = index(operation.operands[0]), step = index(operation.operands[1]);
    if (step < 1)
      base::refuse(base::Exit::usage, place_prefix(function_, operation),
                   "loop: the step is at least 1: got ", step);
    carry({operation.operands.begin() + 2, operation.operands.end()}, body.arguments, 1);
    for (std::int64_t counter = 0; counter < extent; counter += step) {
      values_[body.arguments[0]] = {exact(counter)};
      region(body);
      carry(body.body.back().operands, body.arguments, 1);
    }
    carry({body.arguments.begin() + 1, body.arguments.end()}, operation.results, 0);
  }

  Numbers each_element(const Operation& operation) const {
    const auto& operands = operation.operands;
    const Element element = type(operands.back()).element;
    Numbers result(values_[operands[0]].size(), exact(0));
    Numbers taken(operands.size(), exact(0));
    for (std::size_t at = 0; at < result.size(); ++at) {
      for (std::size_t one = 0; one < operands.size(); ++one)
        taken[one] = values_[operands[one]][at];
      result[at] = operation.code == Opcode::to
                       ? arithmetic_.converted(taken[0], element, operation.attributes.element)
                       : arithmetic_.apply(operation.code, element, std::span<const Number>(taken));
    }
    return result;
  }

  Numbers view(const Operation& operation) const {
    Numbers numbers{exact(operation.attributes.integers[0])};
    for (std::size_t axis = 0; axis < operation.operands.size() / 2; ++axis)
      numbers.push_back(values_[operation.operands[axis]][0]);
    return numbers;
  }

  Numbers iota(const Operation& operation) const {
    const Type& to = type(operation.results[0]);
    Numbers numbers;
    for (std::int64_t at = 0; at < to.size(); ++at)
      numbers.push_back(exact(
          coordinates(to.extents, at)[static_cast<std::size_t>(operation.attributes.integers[0])]));
    return numbers;
  }

  void run(const Operation& operation) {
    const auto& integers = operation.attributes.integers;
    const auto result = [&](Numbers numbers) {
      values_[operation.results[0]] = std::move(numbers);
    };
    switch (operation.code) {
      case Opcode::block: {
        const auto dimension = static_cast<std::size_t>(integers[0]);
        const std::int64_t number = dimension < block_.size() ? block_[dimension] : 0;
        return result({exact(number * index(operation.operands[1]))});
      }
      case Opcode::extent:
        return result({exact(tensors_[static_cast<std::size_t>(integers[0])]
                                 .extents[static_cast<std::size_t>(integers[1])])});
      case Opcode::choice:
        return result({exact(integers[0])});
      case Opcode::constant:
        return result({arithmetic_.constant(operation.attributes.number,
                                            type(operation.results[0]).element)});
      case Opcode::iota:
        return result(iota(operation));
      case Opcode::view:
        return result(view(operation));
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
        return loop(operation);
      case Opcode::branch:
        return branch(operation);
      default:
        return result(each_element(operation));
    }
  }

  Arithmetic& arithmetic_;
  const Function& function_;
  std::vector<TensorOf<Number>>& tensors_;
  std::vector<std::int64_t> block_;
  std::vector<Numbers> values_;
};

// One tensor per parameter; outputs are written where the program stores.
template <class Arithmetic>
void evaluate(Arithmetic& arithmetic, const Function& function,
              std::vector<TensorOf<typename Arithmetic::Number>>& tensors) {
  std::vector<std::vector<std::int64_t>> extents;
  for (const auto& tensor : tensors) extents.push_back(tensor.extents);
  refuse_disagreeing_extents(function, extents);
  refuse_outside_arrays(function, extents);
  const std::vector<std::int64_t> counts = grid(function, extents);
  std::int64_t blocks = 1;
  for (const std::int64_t count : counts) blocks *= count;
  for (std::int64_t number = 0; number < blocks; ++number) {
    std::vector<std::int64_t> block(counts.size());
    std::int64_t rest = number;
    for (std::size_t dimension = counts.size(); dimension-- > 0; rest /= counts[dimension])
      block[dimension] = rest % counts[dimension];
    BlockEvaluation<Arithmetic>(arithmetic, function, tensors, std::move(block)).whole();
  }
}

}  // namespace aisp::jit
