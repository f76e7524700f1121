// The program that is being traced on this thread: operators and functions append to it.
#pragma once

#include "jit/ir/builder.hpp"
#include "jit/ir/signature.hpp"

namespace aisp::jit {

// Device memory behind an array parameter, bound when the program is traced.
struct BoundArray {
  const void* data = nullptr;
  std::size_t count = 0;
};

// A number that tuning may set: what it was set to, and what may be tried.
struct Choice {
  std::string name;
  std::int64_t chosen = 0;
  std::vector<std::int64_t> candidates;
};

class Tracer {
 public:
  Tracer(std::string name, const Signature& signature, Place place = {});
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  static Tracer& current();  // refuses outside of a program

  Function& function() { return function_; }
  const Function& function() const { return function_; }
  Builder& builder() { return builder_; }
  const Signature& signature() const { return signature_; }
  const Type& type(Id id) const { return function_.type(id); }

  int add_tensor(Parameter::Role role, int rank);
  // An array is one parameter however often it is read.
  int array(const BoundArray& array, Element element, const std::string& name);
  const std::vector<BoundArray>& arrays() const { return arrays_; }

  // The class of an axis that is loaded whole, which the function then depends on.
  std::int64_t whole(int parameter, std::size_t axis);
  // Bit `axis` of each tensor: those that were asked for.
  const std::vector<unsigned>& whole_axes() const { return whole_axes_; }
  const std::vector<Choice>& choices() const { return chosen_; }

  std::int64_t choose(const std::string& name, const std::vector<std::int64_t>& candidates,
                      const Place& place);
  int next_dimension() { return dimensions_++; }
  Id extent(int parameter, int axis, const Place& place);

 private:
  Function function_;
  Builder builder_;
  const Signature& signature_;
  std::vector<BoundArray> arrays_;
  std::vector<unsigned> whole_axes_;
  std::vector<Choice> chosen_;
  int dimensions_ = 0;
  Tracer* outer_;
};

}  // namespace aisp::jit
