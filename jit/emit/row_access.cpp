#include "jit/emit/row_access.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::jit::emitting {

RowAccess::RowAccess(const Function& function, const Signature& signature, const Plan& plan,
                     Text& text)
    : BlockExpressions(function, text),
      signature_(signature),
      shape_(plan.shape),
      ends_(plan.ends),
      vector_(plan.get("vector")),
      per_row_(plan.get("threads_per_row")),
      columns_(shape_.back()),
      keeps_(plan.get("kept") != 0) {}

Coordinates RowAccess::own(const Type& type) const {
  Coordinates result;
  const std::size_t skip = shape_.size() - type.extents.size();
  for (std::size_t axis = 0; axis < type.extents.size(); ++axis)
    result.push_back(type.extents[axis] == 1 ? "0" : axes_[skip + axis]);
  return result;
}

const RowAccess::Range& RowAccess::range(const Type& type) {
  const std::vector<Bound>& bounds = type.bounds;
  const auto found = ranges_.find({type.rank(), bounds});
  if (found != ranges_.end()) return found->second;
  Range result;
  std::vector<std::string> conditions, ends{std::to_string(columns_)}, begins;
  if (!there_.empty()) conditions.push_back(there_);
  for (const Bound& bound : bounds) {
    if (bound.axis + 1 == type.rank()) {
      const std::string start = at(bound.start, {});
      const Operation* extent = definition(bound.extent);
      const RowEnd* fact = extent->code == Opcode::extent ? end_of(ends_, *extent) : nullptr;
      if (fact != nullptr && fact->fills && start == "0") continue;
      result.pieces = result.pieces && fact != nullptr && fact->steps;
      const std::string length = at(bound.extent, {});
      ends.push_back(start == "0" ? length : length + " - " + start);
      if (!never_negative(bound.start)) begins.push_back("-" + start);
      continue;
    }
    Type one = type;
    one.bounds = {bound};
    const std::string condition = inside(one, own(type));
    if (!condition.empty()) conditions.push_back(condition);
  }
  std::string end = ends[0];
  for (std::size_t at = 1; at < ends.size(); ++at)
    end = base::say("min(", end, ", ", ends[at], ")");
  if (!conditions.empty()) end = base::say(base::join(conditions, " && "), " ? ", end, " : 0");
  std::string begin = "0";
  for (const std::string& one : begins) begin = base::say("max(", begin, ", ", one, ")");
  // A thread's pieces may reach beyond the tile.
  const bool reaches = columns_ % (keeps_ ? vector_ * per_row_ : vector_) != 0;
  result.full = conditions.empty() && ends.size() == 1 && !reaches;
  result.pieces = (result.pieces || vector_ == 1) && begins.empty() && columns_ % vector_ == 0;
  if (!result.full) {
    result.end = fresh("end");
    text_.line(base::say("const int ", result.end, " = ", end, ";"));
  }
  if (!begins.empty()) {
    result.begin = fresh("begin");
    text_.line(base::say("const int ", result.begin, " = ", begin, ";"));
  }
  return ranges_[{type.rank(), bounds}] = result;
}

std::string RowAccess::access(const std::string& function, Element element, Id view,
                              const Range& inside) {
  const std::string head =
      base::say(function, "<", element_word(element), ">(", row_pointer(view), ", ");
  const std::string stride = stride_of(tensor_of(view));
  if (inside.pieces && stride == "1") return base::say(head, "column, ", inside.piece(), ", ");
  return base::say(head, stride, ", column, ", inside.begin, ", ",
                   inside.full ? std::to_string(columns_) : inside.end, ", ");
}

bool RowAccess::never_negative(Id id) const {
  const Operation* operation = definition(id);
  return operation != nullptr &&
         (operation->code == Opcode::block ||
          (operation->code == Opcode::constant && operation->attributes.number >= 0));
}

std::string RowAccess::stride_of(std::size_t tensor) const {
  return signature_.tensors[tensor].contiguous
             ? "1"
             : base::say(parameter(tensor), ".stride[", function_.parameters[tensor].rank - 1, "]");
}

std::string RowAccess::row_pointer(Id view) {
  const auto found = pointers_.find(view);
  if (found != pointers_.end()) return found->second;
  const std::size_t tensor = tensor_of(view);
  const Type& type = function_.type(view);
  const Coordinates place = own(type);
  const bool output = function_.parameters[tensor].role == Parameter::Role::output;
  std::string text = base::say("static_cast<", output ? "" : "const ", "Code<",
                               element_word(type.element), ">*>(", parameter(tensor), ".data)");
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    const std::string start = at(definition(view)->operands[axis], {});
    const bool last = axis + 1 == place.size();
    std::string position = last || place[axis] == "0" ? start
                           : start == "0"             ? place[axis]
                                                      : "(" + start + " + " + place[axis] + ")";
    if (position == "0") continue;
    const std::string stride =
        last ? stride_of(tensor) : base::say(parameter(tensor), ".stride[", axis, "]");
    text += " + " + position + (stride == "1" ? "" : " * " + stride);
  }
  const std::string name = fresh(parameter(tensor) + "_row");
  text_.line(base::say("auto* const ", name, " = ", text, ";"));
  return pointers_[view] = name;
}

}  // namespace aisp::jit::emitting
