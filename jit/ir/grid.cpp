#include "jit/ir/grid.hpp"

#include <cmath>

#include "base/refuse.hpp"
#include "jit/ir/apply.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

std::vector<std::int64_t> grid(const Function& function,
                               const std::vector<std::vector<std::int64_t>>& extents) {
  std::vector<double> values(function.values.size());
  std::vector<std::int64_t> counts;
  for (const Operation& operation : function.body.body) {
    const auto& integers = operation.attributes.integers;
    if (operation.results.size() != 1 || function.type(operation.results[0]).kind != Kind::index)
      continue;
    double& result = values[operation.results[0]];
    std::vector<double> operands;
    for (const Id id : operation.operands) operands.push_back(values[id]);
    switch (operation.code) {
      case Opcode::extent:
        result = static_cast<double>(extents.at(static_cast<std::size_t>(integers[0]))
                                         .at(static_cast<std::size_t>(integers[1])));
        break;
      case Opcode::constant:
        result = operation.attributes.number;
        break;
      case Opcode::choice:
        result = static_cast<double>(integers[0]);
        break;
      case Opcode::block: {
        const auto dimension = static_cast<std::size_t>(integers[0]);
        if (counts.size() <= dimension) counts.resize(dimension + 1, 1);
        if (operands[1] < 1)
          base::refuse(base::Exit::usage, place_prefix(function, operation),
                       "blocks: a block has at least 1 element: got ", operands[1]);
        counts[dimension] = static_cast<std::int64_t>(std::ceil(operands[0] / operands[1]));
        break;
      }
      default:
        result = apply(operation.code, Element::s32, operands);
    }
  }
  return counts;
}

}  // namespace aisp::jit
