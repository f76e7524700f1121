#include "jit/pass/plan.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

namespace {

// The shape without its leading ones.
std::vector<int> core(std::vector<int> extents) {
  while (!extents.empty() && extents.front() == 1) extents.erase(extents.begin());
  return extents;
}

bool fits(const std::vector<int>& extents, const std::vector<int>& shape) {
  const std::size_t skip = shape.size() - extents.size();
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] != 1 && extents[axis] != shape[skip + axis]) return false;
  return true;
}

std::string at_place(const Function& function, const Operation& operation) {
  return operation.place.line == 0 ? " of " + function.name : " at " + operation.place.text();
}

std::int64_t power_of_two_at_least(std::int64_t number) {
  std::int64_t power = 1;
  while (power < number) power *= 2;
  return power;
}

class Planner {
 public:
  Planner(const Function& function, const Signature& signature)
      : function_(function), signature_(signature) {}

  Plan made() {
    if (const auto reason = no_rows(function_, plan_.shape)) {
      plan_.declined.push_back("rows declined: " + *reason + "; plain (right, and slower)");
      decide("threads", 256, "plain");
      return std::move(plan_);
    }
    plan_.schedule = Schedule::rows;
    rows();
    return std::move(plan_);
  }

 private:
  void decide(const std::string& name, std::int64_t rule, const std::string& why) {
    const auto set = signature_.choices.find(name);
    const bool taken = set != signature_.choices.end();
    plan_.decisions.push_back({name, taken ? set->second : rule, taken ? "set by the call" : why});
    if (taken && set->second < (name == "kept" ? 0 : 1))
      base::refuse(base::Exit::usage, program_prefix(function_), name, " is at least ",
                   name == "kept" ? 0 : 1, ": got ", set->second);
  }

  void refuse_unless(bool good, const std::string& name, const std::string& rule) const {
    if (!good)
      base::refuse(base::Exit::usage, program_prefix(function_), name, " ", rule, ": got ",
                   plan_.get(name));
  }

  void rows() {
    const std::int64_t columns = plan_.shape.back();
    std::int64_t count = 1;
    for (const int extent : plan_.shape) count *= extent;
    const std::int64_t rows = count / columns;
    bool reduces = false;
    for_each(function_.body,
             [&](const Operation& one) { reduces = reduces || one.code == Opcode::reduce; });

    const int widest = vector_width(function_, signature_, plan_.shape);
    decide("vector", widest, "types, alignments and positions");
    const std::int64_t vector = plan_.get("vector");
    refuse_unless(vector <= widest && widest % vector == 0, "vector",
                  base::say("divides ", widest, ", the most that alignments allow"));

    plan_.ends = row_ends(function_, signature_, plan_.shape, vector);
    const bool full = std::all_of(plan_.ends.begin(), plan_.ends.end(),
                                  [](const RowEnd& end) { return end.fills; });
    const std::int64_t pieces = (columns + vector - 1) / vector;
    // Elements of a thread. Where no end is asked for, fewer threads a row hold as much in flight
    // and meet sooner.
    const std::int64_t wanted = !reduces ? 8 : full ? 32 : 16;
    decide("threads_per_row",
           std::clamp<std::int64_t>(power_of_two_at_least((columns + wanted - 1) / wanted),
                                    std::min<std::int64_t>(32, power_of_two_at_least(pieces)),
                                    most_threads),
           base::say(wanted, " elements of a row a thread", full ? ", all of them inside" : ""));
    const std::int64_t per_row = plan_.get("threads_per_row");
    refuse_unless(per_row <= most_threads && power_of_two_at_least(per_row) == per_row,
                  "threads_per_row", base::say("is a power of two up to ", most_threads));

    const std::int64_t chunks = (pieces + per_row - 1) / per_row;
    decide("kept", chunks * vector <= 64 ? 1 : 0,
           base::say(chunks * vector, " elements a thread",
                     chunks * vector <= 64 ? " stay in registers" : ": rows are read once a pass"));
    // Whole warps, up to four of them, of which each has one row or several.
    const std::int64_t at_once_rule =
        per_row > 32 ? 1 : std::clamp(power_of_two_at_least(rows), 32 / per_row, 128 / per_row);
    decide("rows_at_once", at_once_rule, base::say(rows, " rows a block"));
    const std::int64_t at_once = plan_.get("rows_at_once");
    refuse_unless(at_once * per_row <= most_threads && at_once * per_row % 32 == 0 &&
                      (at_once == 1 || per_row <= 32),
                  "rows_at_once",
                  base::say("makes whole warps, up to ", most_threads,
                            " threads, and is 1 where a row has more than a warp"));
  }

  const Function& function_;
  const Signature& signature_;
  Plan plan_;
};

}  // namespace

std::int64_t Plan::get(const std::string& name) const {
  for (const Decision& decision : decisions)
    if (decision.name == name) return decision.value;
  return 0;
}

std::string Plan::text() const {
  std::string result =
      base::say("schedule = ", schedule == Schedule::rows ? "rows" : "plain", "\n");
  for (const Decision& decision : decisions)
    result += base::say(decision.name, " = ", decision.value, " (", decision.why, ")\n");
  for (const std::string& line : declined) result += line + "\n";
  return result;
}

std::optional<std::string> no_rows(const Function& function, std::vector<int>& shape) {
  shape.clear();
  std::optional<std::string> reason;
  std::vector<int> stored;
  const auto decline = [&](const Operation& operation, const std::string& what) {
    if (!reason) reason = what + at_place(function, operation);
  };
  for (const Operation& operation : function.body.body) {
    if (!operation.regions.empty()) decline(operation, "a loop or if");
    if (operation.code == Opcode::dot) decline(operation, "a product");
    if (operation.code == Opcode::transpose) decline(operation, "a transpose");
    for (const Id id : operation.results) {
      const std::vector<int>& extents = function.type(id).extents;
      if (extents.size() > shape.size())
        shape.insert(shape.begin(), extents.size() - shape.size(), 1);
      for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        int& own = shape[shape.size() - extents.size() + axis];
        own = std::max(own, extents[axis]);
      }
    }
  }
  if (shape.empty() && !reason) reason = "no tile in " + function.name;
  if (reason) return reason;
  for (const Operation& operation : function.body.body) {
    for (const Id id : operation.results)
      if (!fits(function.type(id).extents, shape))
        decline(operation, base::say("the tile ", shape_text(function.type(id).extents),
                                     " besides ", shape_text(shape)));
    if (operation.code == Opcode::reshape && core(function.type(operation.operands[0]).extents) !=
                                                 core(function.type(operation.results[0]).extents))
      decline(operation, "a reshape");
    if (operation.code == Opcode::reduce) {
      const std::vector<int>& extents = function.type(operation.operands[0]).extents;
      const auto axis = operation.attributes.integers[0];
      if (axis + 1 != static_cast<std::int64_t>(extents.size()))
        decline(operation, base::say("a reduction along axis ", axis));
    }
    if (operation.code == Opcode::store || operation.code == Opcode::reduce_store) {
      int parameter = 0;
      for (const Operation& view : function.body.body)
        if (view.code == Opcode::view && view.results[0] == operation.operands[1])
          parameter = static_cast<int>(view.attributes.integers[0]);
      if (std::find(stored.begin(), stored.end(), parameter) != stored.end())
        decline(operation, "a second store to " +
                               function.parameters[static_cast<std::size_t>(parameter)].name);
      stored.push_back(parameter);
    }
  }
  return reason;
}

static bool is_along_rows(const Function& function, const Operation& view,
                          const std::vector<int>& shape) {
  return view.code == Opcode::view && function.type(view.results[0]).extents.back() > 1 &&
         function.type(view.results[0]).extents.back() == shape.back();
}

std::vector<bool> placed_tensors(const Function& function, const Plan& plan) {
  std::vector<bool> placed(function.parameters.size());
  if (plan.schedule != Schedule::rows) return placed;
  for (const Operation& view : function.body.body)
    if (is_along_rows(function, view, plan.shape))
      placed[static_cast<std::size_t>(view.attributes.integers[0])] = true;
  return placed;
}

int vector_width(const Function& function, const Signature& signature,
                 const std::vector<int>& shape) {
  int smallest = 16, largest = 1;
  const auto along_rows = [&](const Operation& view) {
    return is_along_rows(function, view, shape);
  };
  const auto facts_of = [&](const Operation& view) -> const TensorFacts& {
    return signature.tensors[static_cast<std::size_t>(view.attributes.integers[0])];
  };
  for (const Operation& view : function.body.body)
    if (along_rows(view)) {
      smallest = std::min(smallest, bytes_of(facts_of(view).element));
      largest = std::max(largest, bytes_of(facts_of(view).element));
    }
  int width = std::min(16 / smallest, largest == 4 ? 8 : 16);
  for (const Operation& view : function.body.body) {
    if (!along_rows(view)) continue;
    const TensorFacts& facts = facts_of(view);
    const auto rank = view.operands.size() / 2;
    const std::int64_t steps = divisor(function.values[view.operands[rank - 1]].affine);
    const int bytes = bytes_of(facts.element);
    while (width > 1 && (!facts.contiguous || (steps != 0 && steps % width != 0) ||
                         facts.alignment % std::min(16, width * bytes) != 0))
      width /= 2;
  }
  return width;
}

Plan make_plan(const Function& function, const Signature& signature) {
  return Planner(function, signature).made();
}

}  // namespace aisp::jit
