#include "jit/emit/row_passes.hpp"

#include <algorithm>

namespace aisp::jit::emitting {

RowPasses::RowPasses(const Function& function, std::int64_t columns, bool keeps)
    : function_(function), columns_(columns), keeps_(keeps) {
  for (const Operation& operation : function.body.body)
    for (const Id id : operation.results) definitions_[id] = &operation;
  find_levels();
  for (int pass = 0; pass <= last_; ++pass) {
    needs_.emplace_back();
    std::set<Id> seen;
    for (const Operation* root : roots(pass)) visit(root->operands[0], pass, needs_.back(), seen);
  }
}

bool RowPasses::varies(Id id) const {
  const Type& type = function_.type(id);
  return columns_ > 1 && !type.extents.empty() && type.extents.back() == columns_;
}

bool RowPasses::reduces_row(const Operation& operation) const {
  return operation.code == Opcode::reduce && varies(operation.operands[0]);
}

void RowPasses::find_levels() {
  for (const Operation& operation : function_.body.body) {
    int level = 0;
    for (const Id id : operation.operands) level = std::max(level, levels_[id]);
    if (is_store(operation) && varies(operation.operands[0])) last_ = std::max(last_, level);
    if (reduces_row(operation)) {
      last_ = std::max(last_, level);
      ++level;
    }
    for (const Id id : operation.results) levels_[id] = level;
  }
}

std::vector<const Operation*> RowPasses::roots(int pass) const {
  std::vector<const Operation*> result;
  for (const Operation& operation : function_.body.body) {
    const bool root =
        reduces_row(operation) || (is_store(operation) && varies(operation.operands[0]));
    if (root && levels_.at(operation.operands[0]) == pass) result.push_back(&operation);
  }
  return result;
}

// What a pass computes for one element of a root, down to what already stands.
void RowPasses::visit(Id id, int pass, RowNeeds& needs, std::set<Id>& seen) {
  if (!seen.insert(id).second) return;
  if (!varies(id)) {
    if (function_.type(id).kind == Kind::tile) needs.uniform.push_back(id);
    return;
  }
  const Operation& operation = *definitions_.at(id);
  const bool keepable = operation.code == Opcode::load || by_element(operation.code);
  if (keepable && keeps_) {
    const auto [first, fresh] = first_pass_.try_emplace(id, pass);
    if (!fresh && first->second < pass) {
      kept_.insert(id);
      return;
    }
  }
  if (operation.code == Opcode::load) {
    needs.loads.push_back(id);
    return;
  }
  for (const Id operand : operation.operands) visit(operand, pass, needs, seen);
  if (keepable) needs.computed.push_back(id);
}

}  // namespace aisp::jit::emitting
