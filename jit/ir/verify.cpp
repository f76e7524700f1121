#include "jit/ir/verify.hpp"

#include <map>
#include <set>

#include "base/refuse.hpp"
#include "jit/ir/infer.hpp"
#include "jit/ir/print.hpp"

namespace aisp::jit {

namespace {

class Verifier {
 public:
  explicit Verifier(const Function& function) : function_(function) {}
  // A function of numbers has arguments and ends in what it gives; a program has neither.
  void whole() {
    const std::vector<Id>& arguments = function_.body.arguments;
    visible_.insert(arguments.begin(), arguments.end());
    ever_ = visible_;
    region(function_.body, !arguments.empty());
  }

 private:
  template <class... Parts>
  [[noreturn]] void fault(const Operation& operation, const Parts&... parts) const {
    base::refuse(base::Exit::usage, place_prefix(function_, operation), name_of(operation.code),
                 ": ", parts...);
  }

  void define(const Operation& operation, Id id) {
    if (id < 0 || id >= static_cast<Id>(function_.values.size()))
      fault(operation, "there is no value ", id);
    if (!ever_.insert(id).second) fault(operation, "value ", id, " is defined twice");
    visible_.insert(id);
  }

  void parameter_of(const Operation& operation) const {
    const bool names_one = operation.code == Opcode::extent || operation.code == Opcode::view ||
                           operation.code == Opcode::gather;
    if (!names_one) return;
    const auto& integers = operation.attributes.integers;
    const auto count = static_cast<std::int64_t>(function_.parameters.size());
    if (integers.empty() || integers[0] < 0 || integers[0] >= count)
      fault(operation, "there is no such parameter; the program has ", count);
    if (operation.code == Opcode::extent) {
      const Parameter& own = function_.parameters[static_cast<std::size_t>(integers[0])];
      if (integers.size() != 2 || integers[1] < 0 || integers[1] >= own.rank)
        fault(operation, own.name, " has ", own.rank, " axes");
    }
  }

  void memory_role(const Operation& operation, const Id view, bool writes) const {
    const auto at = owner_.find(view);
    if (at == owner_.end()) return;
    const Parameter& parameter = function_.parameters[at->second];
    if (writes != (parameter.role == Parameter::Role::output))
      fault(operation, parameter.name, writes ? " is read only" : " is written only");
  }

  void operation(const Operation& operation) {
    const OpcodeRow& row = row_of(operation.code);
    if (row.operands >= 0 && static_cast<int>(operation.operands.size()) != row.operands)
      fault(operation, "takes ", row.operands, " operands: got ", operation.operands.size());
    if (static_cast<int>(operation.regions.size()) != row.regions)
      fault(operation, "has ", row.regions, " regions: got ", operation.regions.size());
    for (const Id id : operation.operands)
      if (!visible_.contains(id)) fault(operation, "value ", id, " is not defined before its use");
    parameter_of(operation);
    if (operation.code == Opcode::load) memory_role(operation, operation.operands[0], false);
    if (operation.code == Opcode::store || operation.code == Opcode::reduce_store)
      memory_role(operation, operation.operands[1], true);
    inner(operation);
    types(operation);
    for (const Id id : operation.results) define(operation, id);
    if (operation.code == Opcode::view)
      owner_[operation.results[0]] = static_cast<std::size_t>(operation.attributes.integers[0]);
  }

  void inner(const Operation& operation) {
    for (const Region& region : operation.regions) {
      const std::set<Id> outside = visible_;
      for (const Id id : region.arguments) define(operation, id);
      this->region(region, true);
      visible_ = outside;
      std::vector<Type> wanted;
      for (const Id id : operation.results) wanted.push_back(function_.type(id));
      std::vector<Type> given;
      for (const Id id : region.body.back().operands) given.push_back(function_.type(id));
      if (wanted != given) fault(operation, "a region yields other types than the results have");
    }
    if (operation.code != Opcode::loop) return;
    const auto& arguments = operation.regions[0].arguments;
    if (arguments.size() + 1 != operation.operands.size())
      fault(operation, "carries ", operation.operands.size() - 2, " values, the region takes ",
            arguments.size() - 1);
    for (std::size_t at = 1; at < arguments.size(); ++at) {
      const Type &from = function_.type(operation.operands[at + 1]),
                 &to = function_.type(arguments[at]);
      if (from.kind != to.kind || from.element != to.element || from.extents != to.extents)
        fault(operation, "a carried value begins as ", print_type(from), " and goes on as ",
              print_type(to));
    }
  }

  void types(const Operation& operation) const {
    std::vector<Type> wanted;
    try {
      wanted = infer(function_, operation);
    } catch (const base::Refusal& refusal) {
      fault(operation, refusal.what());
    }
    if (wanted.size() != operation.results.size())
      fault(operation, "gives ", wanted.size(), " values: got ", operation.results.size());
    for (std::size_t at = 0; at < wanted.size(); ++at)
      if (wanted[at] != function_.type(operation.results[at]))
        fault(operation, "gives ", print_type(wanted[at]), ", the value is ",
              print_type(function_.type(operation.results[at])));
  }

  void region(const Region& region, bool nested) {
    for (const Operation& one : region.body) {
      const bool last = &one == &region.body.back();
      if ((one.code == Opcode::yield) != (nested && last))
        fault(one, nested ? "a region ends in its one yield" : "stands outside of any region");
      operation(one);
    }
    if (nested && region.body.empty())
      base::refuse(base::Exit::usage, function_.name, ": a region ends in its one yield");
  }

  const Function& function_;
  std::set<Id> visible_, ever_;
  std::map<Id, std::size_t> owner_;
};

}  // namespace

std::string place_prefix(const Function& function, const Operation& operation) {
  return operation.place.line == 0 ? program_prefix(function) : operation.place.text() + ": ";
}

std::string program_prefix(const Function& function) {
  return (function.place.line == 0 ? "" : function.place.text() + ": ") + function.name + ": ";
}

void verify(const Function& function) { Verifier(function).whole(); }

}  // namespace aisp::jit
