#include "jit/pass/facts.hpp"

#include <algorithm>
#include <map>

namespace aisp::jit {

const RowEnd* end_of(const std::vector<RowEnd>& ends, const Operation& extent) {
  const auto at = std::find_if(ends.begin(), ends.end(), [&](const RowEnd& end) {
    return end.tensor == extent.attributes.integers[0] && end.axis == extent.attributes.integers[1];
  });
  return at == ends.end() ? nullptr : &*at;
}

std::vector<RowEnd> row_ends(const Function& function, const Signature& signature,
                             const std::vector<int>& shape, std::int64_t vector) {
  std::map<Id, const Operation*> extents;
  for (const Operation& operation : function.body.body)
    if (operation.code == Opcode::extent) extents[operation.results[0]] = &operation;
  const int step = vector == 1 ? -1 : step_of(vector);
  std::vector<RowEnd> ends;
  for (const Operation& operation : function.body.body)
    for (const Id id : operation.results) {
      const Type& type = function.type(id);
      for (const Bound& bound : type.bounds) {
        const auto extent = extents.find(bound.extent);
        if (bound.axis + 1 != type.rank() || type.extents.back() != shape.back() ||
            extent == extents.end())
          continue;
        const auto tensor = static_cast<std::size_t>(extent->second->attributes.integers[0]);
        const auto axis = static_cast<std::size_t>(extent->second->attributes.integers[1]);
        if (tensor >= signature.tensors.size()) continue;  // an array: its length is no fact
        if (end_of(ends, *extent->second) != nullptr) continue;
        const std::int64_t length = signature.tensors[tensor].extents[axis];
        ends.push_back({static_cast<int>(tensor), static_cast<int>(axis),
                        length == shape.back() && length == width_class(length),
                        step < 0 || length % step_length(step) == 0, step});
      }
    }
  return ends;
}

}  // namespace aisp::jit
