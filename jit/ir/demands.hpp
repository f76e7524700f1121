// Which elements of each value are used, by stores and by what reduces: the bounds that must hold
// for an element to count, followed from there back to the loads.
#pragma once

#include <map>
#include <vector>

#include "jit/ir/index_forms.hpp"

namespace aisp::jit {

// Element i of the axis counts where low <= start + i < high; of no axis (-1): start alone.
struct Constraint {
  int axis = -1;
  Affine start;
  std::int64_t low = 0, high = 0;
  int tensor = -1, tensor_axis = 0;  // whose extent `high` is
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

// One way in which a value is used.
struct Use {
  std::vector<Constraint> constraints;
  bool part = false;    // by a store of a part on purpose
  bool certain = true;  // false behind a condition, which may choose another value
  friend bool operator==(const Use&, const Use&) = default;
};

// A store that leaves out a part on purpose.
inline bool is_partial(const Operation& store) { return !store.attributes.integers.empty(); }

class Demands {
 public:
  Demands(const Function& function, const IndexForms& forms);

  const std::vector<Use>& uses(Id value) const;
  // Of a type whose bounds are those of a value or of a view.
  std::vector<Constraint> constraints(const Type& type) const;

 private:
  void walk(const Region& region);
  void visit(const Operation& operation);
  void loop(const Operation& operation);
  void dot(const Operation& operation);
  void add(Id value, Use use);
  std::vector<Constraint> without_counter(const std::vector<Constraint>& all, Id counter) const;

  const Function& function_;
  const IndexForms& forms_;
  std::map<Id, std::vector<Use>> uses_;
};

}  // namespace aisp::jit
