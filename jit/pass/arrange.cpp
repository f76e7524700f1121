#include "jit/pass/arrange.hpp"

#include <map>

namespace aisp::jit {

namespace {

class Arranger {
 public:
  explicit Arranger(const Function& function) : function_(function) {}

  void region(Region& region) {
    for (Operation& operation : region.body)
      for (Region& inner : operation.regions) this->region(inner);
    Open open{&region, {}, {}, std::vector<bool>(region.body.size())};
    for (std::size_t at = 0; at < region.body.size(); ++at)
      for (const Id id : region.body[at].results) open.defines[id] = at;
    for (std::size_t at = 0; at < region.body.size(); ++at)
      if (stays(region.body[at])) place(open, at);
    for (std::size_t at = 0; at < region.body.size(); ++at) place(open, at);  // what nobody needs
    region.body = std::move(open.arranged);
  }

 private:
  struct Open {
    Region* region;
    std::map<Id, std::size_t> defines;
    std::vector<Operation> arranged;
    std::vector<bool> placed;
  };

  static bool stays(const Operation& operation) {
    return row_of(operation.code).effect || !operation.regions.empty() ||
           operation.results.empty() || operation.code == Opcode::block;  // blocks make the grid
  }

  void place(Open& open, std::size_t at) {
    if (open.placed[at]) return;
    open.placed[at] = true;
    needs_of(open, open.region->body[at]);
    open.arranged.push_back(std::move(open.region->body[at]));
  }

  void needs_of(Open& open, const Operation& operation) {
    for (const Id id : operation.operands) need(open, id);
    for (const Id id : operation.results) bounds_of(open, id);
    for (const Region& inner : operation.regions) {
      for (const Id id : inner.arguments) bounds_of(open, id);
      for (const Operation& one : inner.body) needs_of(open, one);
    }
  }
  void need(Open& open, Id id) {
    place_defining(open, id);
    bounds_of(open, id);
  }
  void bounds_of(Open& open, Id id) {
    for (const Bound& bound : function_.type(id).bounds)
      for (const Id end : {bound.start, bound.extent}) place_defining(open, end);
  }
  void place_defining(Open& open, Id id) {
    const auto found = open.defines.find(id);
    if (found != open.defines.end()) place(open, found->second);
  }

  const Function& function_;
};

// Values are numbered as they stand: bounds and sums of indices are ordered by number.
class Numberer {
 public:
  explicit Numberer(Function& function) : old_(std::move(function.values)) {
    function.values.clear();
    region(function.body, function.values);
    for (std::size_t at = 0; at < function.values.size(); ++at) {
      Value value =
          function.values[at];  // a copy: the list may grow while its symbols are looked up
      const auto now = [&](Id id) { return number(id, function.values); };
      Affine affine{value.affine.constant, {}};
      for (const auto& [symbol, times] : value.affine.terms)
        affine = sum(affine, {0, {{now(symbol), 1}}}, times);
      value.affine = affine;
      for (Bound& bound : value.type.bounds)
        bound = {bound.axis, now(bound.start), now(bound.extent)};
      if (value.type.kind == Kind::tile)
        value.type = tile_type(value.type.element, value.type.extents, value.type.bounds);
      function.values[at] = std::move(value);
    }
  }

 private:
  Id number(Id id, std::vector<Value>& values) {
    const auto [at, fresh] = numbers_.try_emplace(id, static_cast<Id>(values.size()));
    if (fresh) values.push_back(old_[static_cast<std::size_t>(id)]);
    return at->second;
  }
  void region(Region& region, std::vector<Value>& values) {
    for (Id& id : region.arguments) id = number(id, values);
    for (Operation& operation : region.body) {
      for (Id& id : operation.operands) id = number(id, values);
      for (Region& inner : operation.regions) this->region(inner, values);
      for (Id& id : operation.results) id = number(id, values);
    }
  }

  std::vector<Value> old_;
  std::map<Id, Id> numbers_;
};

}  // namespace

Function arrange(Function function) {
  Region body = std::move(function.body);
  Arranger(function).region(body);
  function.body = std::move(body);
  Numberer{function};
  return function;
}

}  // namespace aisp::jit
