#include "jit/emit/block.hpp"

#include <cmath>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit::emitting {

std::size_t BlockExpressions::tensor_of(Id view) const {
  return static_cast<std::size_t>(definition(view)->attributes.integers[0]);
}

std::string BlockExpressions::positions(Id view, const Coordinates& coordinates) {
  std::string text;
  for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
    const std::string start = at(definition(view)->operands[axis], {});
    const std::string& own = coordinates[axis];
    text += ", " + (start == "0" ? own : own == "0" ? start : start + " + " + own);
  }
  return text;
}

std::string BlockExpressions::element(Id view, const Coordinates& coordinates) {
  const std::size_t tensor = tensor_of(view);
  return base::say("element_at<", element_word(function_.parameters[tensor].element), ">(",
                   parameter(tensor), positions(view, coordinates), ")");
}

std::string BlockExpressions::store(const Operation& operation, const std::string& condition,
                                    const std::string& value, const Coordinates& coordinates) {
  const Id view = operation.operands[1];
  const std::size_t tensor = tensor_of(view);
  const Element element = function_.parameters[tensor].element;
  std::string function = "store_at<" + element_word(element);
  if (operation.code == Opcode::reduce_store) {
    if (element != Element::f32 && element != Element::s32)
      base::refuse(base::Exit::usage, place_prefix(function_, operation),
                   "memory is added to in f32 or s32: ", parameter(tensor), " is ",
                   name_of(element));
    function = base::say("combine_at<", element_word(element), ", ",
                         operation.attributes.reduction == Reduction::sum ? "true" : "false");
  }
  return base::say(function, ">(", parameter(tensor), ", ", condition.empty() ? "true" : condition,
                   ", ", bare(value), positions(view, coordinates), ");");
}

// Blocks are numbered along x, the last dimension first.
std::string BlockExpressions::block(const Operation& operation) {
  const auto dimension = operation.attributes.integers[0];
  std::string number = "blockIdx.x";
  std::string behind;
  std::int64_t dimensions = 0;
  for_each(function_.body,
           [&](const Operation& other) { dimensions += other.code == Opcode::block ? 1 : 0; });
  const auto count = [&](std::int64_t of) {
    std::string text;
    for_each(function_.body, [&](const Operation& other) {
      if (other.code != Opcode::block || other.attributes.integers[0] != of) return;
      const std::string extent = at(other.operands[0], {}), size = at(other.operands[1], {});
      text = size == "1" ? extent : base::say("((", extent, " + ", size, " - 1) / ", size, ")");
    });
    return text;
  };
  for (std::int64_t other = dimension + 1; other < dimensions; ++other)
    number += " / " + count(other);
  if (dimension > 0) number = base::say("(", number, ") % ", count(dimension));
  number = base::say("static_cast<int>(", number, ")");
  const std::string size = at(operation.operands[1], {});
  return size == "1" ? number : base::say("(", number, " * ", size, ")");
}

std::string BlockExpressions::leaf(const Operation& operation, Id id, const Coordinates& at_) {
  if (operation.code == Opcode::extent || operation.code == Opcode::block) {
    const std::size_t tensor = static_cast<std::size_t>(operation.attributes.integers[0]);
    const bool extent = operation.code == Opcode::extent;
    const std::string text = extent ? base::say("static_cast<int>(", parameter(tensor), ".extent[",
                                                operation.attributes.integers[1], "])")
                                    : block(operation);
    const std::string name = name_for(
        id, extent ? base::say(parameter(tensor), "_extent", operation.attributes.integers[1])
                   : base::say("start", operation.attributes.integers[0]));
    text_.line(base::say("const int ", name, " = ", bare(text), ";"));
    return name;
  }
  if (operation.code == Opcode::load) return element(operation.operands[0], at_);
  base::refuse(base::Exit::wrong, place_prefix(function_, operation),
               "emit: ", name_of(operation.code), " has no text here");
}

std::string neutral(Reduction reduction, Element element) {
  const bool integer = is_integer(element);
  switch (reduction) {
    case Reduction::sum:
      return integer ? "0" : "0.0f";
    case Reduction::prod:
      return integer ? "1" : "1.0f";
    case Reduction::any:
      return "false";
    case Reduction::all:
      return "true";
    case Reduction::min:
      return literal(integer ? 0x1p31 - 1 : INFINITY, element);
    default:
      return literal(integer ? -0x1p31 : -INFINITY, element);
  }
}

const char* combine_word(Reduction reduction) {
  constexpr const char* words[] = {"Sum", "Max", "Min", "Any", "All", "ArgMax", "Prod"};
  static_assert(std::size(words) == reduction_count);
  return words[static_cast<int>(reduction)];
}

std::string head(const Function& function, const BlockExpressions& names, const std::string& name,
                 int threads) {
  std::string text =
      base::say("extern \"C\" __global__ void __launch_bounds__(", threads, ")\n", name, "(");
  for (std::size_t at = 0; at < function.parameters.size(); ++at)
    text += base::say(at == 0 ? "" : ", ", "const __grid_constant__ Tensor<",
                      function.parameters[at].rank, "> ", names.parameter(at));
  return text + ") {\n";
}

}  // namespace aisp::jit::emitting
