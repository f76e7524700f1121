#include "jit/pass/simplify.hpp"

#include <map>
#include <set>
#include <tuple>

#include "jit/ir/apply.hpp"

namespace aisp::jit {

namespace {

// The number of a constant is in it as its bits: by value NaN is equivalent to every number, and
// -0.0 to 0.0.
using Key = std::tuple<Opcode, std::vector<Id>, std::vector<std::int64_t>, std::uint64_t, Element,
                       Reduction, std::string>;

class Simplifier {
 public:
  explicit Simplifier(Function function) : function_(std::move(function)) {}

  Function whole() {
    region(function_.body);
    used_.clear();
    mark(function_.body);
    sweep(function_.body);
    return std::move(function_);
  }

 private:
  Id now(Id id) const {
    const auto at = same_.find(id);
    return at == same_.end() ? id : at->second;
  }

  void rename(Operation& operation) {
    for (Id& id : operation.operands) id = now(id);
    for (const Id id : operation.results)
      for (Bound& bound : function_.values[id].type.bounds)
        bound = {bound.axis, now(bound.start), now(bound.extent)};
    for (const Id id : operation.results) {
      Type& type = function_.values[id].type;
      if (type.kind == Kind::tile) type = tile_type(type.element, type.extents, type.bounds);
    }
  }

  // An operation on constants becomes a constant. Floats are folded where f32 gives the same.
  void fold(Operation& operation) {
    const Family family = row_of(operation.code).family;
    const bool arithmetic = family == Family::binary || family == Family::unary;
    if (!arithmetic || operation.results.empty()) return;
    const Type& type = function_.type(operation.results[0]);
    if (type.kind == Kind::tile) return;
    std::vector<double> numbers;
    for (const Id id : operation.operands) {
      const auto at = constants_.find(id);
      if (at == constants_.end()) return;
      numbers.push_back(at->second);
    }
    const double number = apply(operation.code, type.element, numbers);
    if (type.element == Element::f32 && rounded(Element::f32, number) != number) return;
    operation.code = Opcode::constant;
    operation.operands.clear();
    operation.attributes = {};
    operation.attributes.number = number;
    operation.attributes.element = type.element;
    if (type.kind == Kind::index) operation.attributes.integers = {1};
  }

  // x + 0, x * 1, x / 1, a conversion to what it is, a broadcast of one broadcast.
  bool same_as_operand(const Operation& operation) const {
    if (operation.operands.empty() || operation.results.size() != 1) return false;
    const Type &from = function_.type(operation.operands[0]),
               &to = function_.type(operation.results[0]);
    if (from != to) return false;
    if (operation.code == Opcode::to || operation.code == Opcode::broadcast ||
        operation.code == Opcode::reshape)
      return true;
    if (operation.operands.size() != 2) return false;
    const auto second = constants_.find(operation.operands[1]);
    if (second == constants_.end()) return false;
    // x + 0 is no x for the float -0.
    const bool index = to.kind == Kind::index || to.element == Element::s32;
    if (operation.code == Opcode::add || operation.code == Opcode::sub)
      return index && second->second == 0.0;
    return (operation.code == Opcode::mul || operation.code == Opcode::div) &&
           second->second == 1.0;
  }

  void region(Region& region) {
    const std::map<Key, Id> outside = seen_;
    std::vector<Operation> kept;
    for (Operation& operation : region.body) {
      rename(operation);
      for (Region& inner : operation.regions) this->region(inner);
      fold(operation);
      if (operation.code == Opcode::constant)
        constants_[operation.results[0]] = operation.attributes.number;
      if (operation.code == Opcode::broadcast && constants_.contains(operation.operands[0]))
        constants_[operation.results[0]] = constants_[operation.operands[0]];
      if (same_as_operand(operation)) {
        same_[operation.results[0]] = operation.operands[0];
        continue;
      }
      const OpcodeRow& row = row_of(operation.code);
      if (!row.effect && operation.results.size() == 1) {
        const Attributes& own = operation.attributes;
        const Key key{operation.code, operation.operands, own.integers, bits_of(own.number),
                      own.element,    own.reduction,      own.name};
        const auto [at, fresh] = seen_.try_emplace(key, operation.results[0]);
        if (!fresh) {
          same_[operation.results[0]] = at->second;
          std::string& name = function_.values[at->second].name;
          if (name.empty()) name = function_.values[operation.results[0]].name;
          continue;
        }
      }
      kept.push_back(std::move(operation));
    }
    region.body = std::move(kept);
    seen_ = outside;
  }

  void use(Id id) {
    if (!used_.insert(id).second) return;
    for (const Bound& bound : function_.type(id).bounds) {
      use(bound.start);
      use(bound.extent);
    }
  }

  // From the end: what has an effect, and what that needs.
  void mark(const Region& region) {
    for (auto at = region.body.rbegin(); at != region.body.rend(); ++at) {
      bool needed = row_of(at->code).effect;
      for (const Id id : at->results) needed = needed || used_.contains(id);
      if (at->code == Opcode::block) needed = true;  // it makes the grid
      if (!needed) continue;
      for (const Id id : at->results) use(id);
      for (const Region& inner : at->regions) mark(inner);
      for (const Region& inner : at->regions)
        for (const Id id : inner.arguments) use(id);
      for (const Id id : at->operands) use(id);
    }
  }

  void sweep(Region& region) {
    std::erase_if(region.body, [&](const Operation& operation) {
      if (row_of(operation.code).effect || operation.results.empty()) return false;
      for (const Id id : operation.results)
        if (used_.contains(id)) return false;
      return true;
    });
    for (Operation& operation : region.body)
      for (Region& inner : operation.regions) sweep(inner);
  }

  Function function_;
  std::map<Id, Id> same_;
  std::map<Id, double> constants_;
  std::map<Key, Id> seen_;
  std::set<Id> used_;
};

}  // namespace

Function simplify(const Function& function) { return Simplifier(function).whole(); }

}  // namespace aisp::jit
