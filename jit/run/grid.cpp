#include "jit/run/grid.hpp"

#include <algorithm>
#include <map>

#include "jit/ir/grid.hpp"

namespace aisp::jit {

GridForm::GridForm(const Function& function) : function_(function) {
  std::map<Id, const Operation*> extents;
  for (const Operation& operation : function.body.body)
    if (operation.code == Opcode::extent) extents[operation.results[0]] = &operation;
  for (const Operation& operation : function.body.body) {
    if (operation.code != Opcode::block) continue;
    const Affine &extent = function.values[operation.operands[0]].affine,
                 &size = function.values[operation.operands[1]].affine;
    Dimension dimension{extent.constant, size.constant, {}};
    affine_ = affine_ && size.is_constant() && size.constant > 0;
    for (const auto& [symbol, times] : extent.terms) {
      const auto found = extents.find(symbol);
      affine_ = affine_ && found != extents.end();
      if (!affine_) return;
      const auto& integers = found->second->attributes.integers;
      dimension.terms.push_back(
          {static_cast<std::size_t>(integers[0]), static_cast<std::size_t>(integers[1]), times});
    }
    dimensions_.push_back(std::move(dimension));
  }
}

std::int64_t GridForm::blocks(std::span<const Tensor> tensors,
                              std::span<const std::int64_t> arrays) const {
  std::int64_t count = 1;
  if (!affine_) {
    std::vector<std::vector<std::int64_t>> extents;
    for (const Tensor& one : tensors)
      extents.emplace_back(one.extents.begin(), one.extents.begin() + one.rank);
    for (const std::int64_t length : arrays) extents.push_back({length});
    for (const std::int64_t along : grid(function_, extents))
      count *= std::max<std::int64_t>(along, 0);
    return count;
  }
  for (const Dimension& dimension : dimensions_) {
    std::int64_t extent = dimension.constant;
    for (const Term& term : dimension.terms)
      extent +=
          term.times * (term.parameter < tensors.size() ? tensors[term.parameter].extents[term.axis]
                                                        : arrays[term.parameter - tensors.size()]);
    if (extent <= 0) return 0;
    count *= (extent + dimension.size - 1) / dimension.size;
  }
  return count;
}

}  // namespace aisp::jit
