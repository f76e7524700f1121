// Appends operations to a function; their types are inferred, what does not fit is refused with
// the place: "gemm.cpp:22: dot: …".
#pragma once

#include <functional>
#include <set>

#include "jit/ir/function.hpp"

namespace aisp::jit {

class Builder {
 public:
  explicit Builder(Function& function) : function_(function) {}

  // `subject` is what the user called, where that says more than the operation's name.
  Id value(Opcode code, std::vector<Id> operands, Attributes attributes = {}, Place place = {},
           const std::string& subject = {});
  void effect(Opcode code, std::vector<Id> operands, Attributes attributes = {}, Place place = {},
              const std::string& subject = {});

  const Place& last_place() const { return last_place_; }  // of what was appended last

  Id index(std::int64_t number, Place place = {});
  Id scalar(double number, Element element, Place place = {});

  // The body takes the counter and the carried values and gives the next ones.
  using Body = std::function<std::vector<Id>(const std::vector<Id>&)>;
  std::vector<Id> loop(Id extent, Id step, std::vector<Id> carried, const Body& body, Place place);
  using Side = std::function<std::vector<Id>()>;
  std::vector<Id> branch(Id condition, const Side& then, const Side& otherwise, Place place);

 private:
  std::vector<Id> append(Operation operation, const std::string& subject);
  Region region(const std::function<std::vector<Id>()>& body);

  Function& function_;
  std::vector<Region> open_;
  Place last_place_;
  std::set<Id> outermost_;  // values of the outermost region
};

}  // namespace aisp::jit
