#include "jit/emit/in_place.hpp"

#include <algorithm>

#include "jit/emit/row_passes.hpp"

namespace aisp::jit {

namespace {

using emitting::RowPasses;

class InPlace {
 public:
  InPlace(const Function& function, const Plan& plan)
      : function_(function), passes_(function, plan.shape.back(), plan.get("kept") != 0) {
    for (const Operation& operation : function.body.body)
      for (const Id id : operation.results) definitions_[id] = &operation;
  }

  bool may_be(int input, int output) const {
    const Operation* store = nullptr;
    for (const Operation& operation : function_.body.body) {
      if (!emitting::is_store(operation) || parameter(operation.operands[1]) != output) continue;
      if (store != nullptr || operation.code != Opcode::store) return false;
      store = &operation;
    }
    if (store == nullptr || !passes_.varies(store->operands[0]) || !apart(store->operands[1]))
      return false;
    const int last = pass_of(*store);
    for (const Operation& operation : function_.body.body) {
      if (operation.code != Opcode::load || parameter(operation.operands[0]) != input) continue;
      if (!same(operation.operands[0], store->operands[1])) return false;
      for (int pass = last + 1; pass <= passes_.last(); ++pass)
        if (holds(passes_.needs(pass).loads, operation.results[0])) return false;
    }
    return true;
  }

 private:
  static bool holds(const std::vector<Id>& ids, Id id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }
  int parameter(Id view) const {
    return static_cast<int>(definitions_.at(view)->attributes.integers[0]);
  }
  int pass_of(const Operation& store) const {
    for (int pass = 0; pass <= passes_.last(); ++pass)
      for (const Operation* root : passes_.roots(pass))
        if (root == &store) return pass;
    return -1;
  }
  const Affine& start(Id view, std::size_t axis) const {
    return function_.values[definitions_.at(view)->operands[axis]].affine;
  }
  bool same(Id a, Id b) const {
    const auto& extents = function_.type(a).extents;
    if (extents != function_.type(b).extents) return false;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      if (!(start(a, axis) == start(b, axis))) return false;
    return true;
  }
  // No two blocks have an element in common: every dimension of the grid moves an axis of its own
  // by at least what the tile has there.
  bool apart(Id view) const {
    std::set<std::size_t> taken;
    for (const Operation& block : function_.body.body) {
      if (block.code != Opcode::block) continue;
      bool found = false;
      for (std::size_t axis = 0; axis < function_.type(view).extents.size() && !found; ++axis) {
        const auto& terms = start(view, axis).terms;
        found = terms.size() == 1 && terms[0].first == block.results[0] &&
                terms[0].second >= function_.type(view).extents[axis] && !taken.contains(axis);
        if (found) taken.insert(axis);
      }
      if (!found) return false;
    }
    return true;
  }

  const Function& function_;
  RowPasses passes_;
  std::map<Id, const Operation*> definitions_;
};

}  // namespace

std::set<std::pair<int, int>> in_place(const Function& function, const Plan& plan) {
  std::set<std::pair<int, int>> pairs;
  if (plan.schedule != Schedule::rows) return pairs;
  const InPlace program(function, plan);
  const auto count = static_cast<int>(function.parameters.size());
  const auto role = [&](int at) { return function.parameters[static_cast<std::size_t>(at)].role; };
  for (int input = 0; input < count; ++input)
    for (int output = 0; output < count; ++output)
      if (role(input) == Parameter::Role::input && role(output) == Parameter::Role::output &&
          program.may_be(input, output))
        pairs.insert({input, output});
  return pairs;
}

}  // namespace aisp::jit
