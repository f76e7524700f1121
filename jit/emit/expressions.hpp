// One element of a value as C++: the value's operations become expressions and named constants,
// memory and other threads' results are left to the schedule.
#pragma once

#include <map>
#include <set>

#include "jit/ir/function.hpp"

namespace aisp::jit::emitting {

using Coordinates = std::vector<std::string>;  // one text per axis: "row", "j", "0"

const char* cpp_type(Element element);  // of a value in registers
std::string literal(double number, Element element);
std::string element_word(Element element);  // "Element::bf16"

std::string bare(std::string expression);  // without brackets around the whole of it

// The kernel without named constants that nothing reads.
std::string without_unused(std::string kernel);

class Text {
 public:
  void line(const std::string& text);
  void open(const std::string& text);  // "for (…) {" and what follows goes in by two spaces
  void close(const std::string& text = "}");
  void open_again() { indent_ += "  "; }  // behind "} else {"
  void place(const Place& place);         // #line, where it changed
  std::string take() { return std::move(text_); }

 private:
  std::string text_, indent_ = "  ";
  std::string place_;
};

class Expressions {
 public:
  Expressions(const Function& function, Text& text);
  virtual ~Expressions() = default;

  // The value at these coordinates: a name or a short expression.
  std::string at(Id id, const Coordinates& coordinates);
  // Index and scalar operations, as they come.
  bool uniform(const Operation& operation);
  // Whether an element is inside of all its bounds; "" where it always is.
  std::string inside(const Type& type, const Coordinates& coordinates);

  // Names and expressions of an inner block of code are forgotten behind it.
  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }

  std::string fresh(const std::string& wish);  // a name that is not taken
  std::string name_for(Id id, const std::string& otherwise);
  void remember(Id id, const Coordinates& coordinates, const std::string& expression);
  const Operation* definition(Id id) const;
  bool in_bounds_always(const Bound& bound, int extent) const;
  std::string parameter(std::size_t number) const { return parameters_[number]; }

 protected:
  // Memory, reductions, products, and what is carried.
  virtual std::string leaf(const Operation& operation, Id id, const Coordinates& coordinates) = 0;
  // A value that stands somewhere already: its text, or "".
  virtual std::string standing(Id, const Coordinates&) { return ""; }

  std::string expression(const Operation& operation, const std::vector<std::string>& operands);

  const Function& function_;
  Text& text_;

 private:
  std::map<Id, const Operation*> definitions_;
  std::map<Id, int> uses_;
  std::set<std::string> taken_;
  std::vector<std::string> parameters_;
  std::vector<std::map<std::pair<Id, Coordinates>, std::string>> scopes_;
};

}  // namespace aisp::jit::emitting
