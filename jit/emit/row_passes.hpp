// Which values of a rows program are computed in which pass over a row, and which of them stay in
// registers for a later one. Pass n has what needs the results of n reductions, one after another.
#pragma once

#include <map>
#include <set>

#include "jit/ir/function.hpp"

namespace aisp::jit::emitting {

inline bool is_store(const Operation& operation) {
  return operation.code == Opcode::store || operation.code == Opcode::reduce_store;
}

struct RowNeeds {
  std::vector<Id> loads, computed, uniform;  // in the order in which they are met
};

class RowPasses {
 public:
  RowPasses(const Function& function, std::int64_t columns, bool keeps);

  // Along the row, where that has more than one element.
  bool varies(Id id) const;
  int last() const { return last_; }
  // Reductions along rows and stores of rows.
  std::vector<const Operation*> roots(int pass) const;
  const RowNeeds& needs(int pass) const { return needs_[static_cast<std::size_t>(pass)]; }
  bool kept(Id id) const { return kept_.contains(id); }

 private:
  bool reduces_row(const Operation& operation) const;
  void find_levels();
  void visit(Id id, int pass, RowNeeds& needs, std::set<Id>& seen);

  const Function& function_;
  std::int64_t columns_;
  bool keeps_;
  int last_ = 0;
  std::map<Id, const Operation*> definitions_;
  std::map<Id, int> levels_, first_pass_;
  std::set<Id> kept_;
  std::vector<RowNeeds> needs_;
};

}  // namespace aisp::jit::emitting
