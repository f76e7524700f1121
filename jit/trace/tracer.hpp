// The program that is being traced on this thread: operators and functions append to it.
#pragma once

#include "jit/ir/builder.hpp"
#include "jit/ir/signature.hpp"

namespace aisp::jit {

class Tracer {
 public:
  Tracer(std::string name, const Signature& signature);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  static Tracer& current();  // refuses outside of a program

  Function& function() { return function_; }
  Builder& builder() { return builder_; }
  const Signature& signature() const { return signature_; }
  const Type& type(Id id) const { return function_.type(id); }

  int add_tensor(Parameter::Role role, int rank);
  // An array is one parameter however often it is read; `data` tells arrays apart.
  int array(const void* data, Element element, const std::string& name);
  const std::vector<const void*>& arrays() const { return arrays_; }

  std::int64_t choose(const std::string& name, const std::vector<std::int64_t>& candidates,
                      const Place& place);
  int next_dimension() { return dimensions_++; }
  Id extent(int parameter, int axis, const Place& place);

 private:
  Function function_;
  Builder builder_;
  const Signature& signature_;
  std::vector<const void*> arrays_;
  std::vector<std::pair<std::string, std::int64_t>> chosen_;
  int dimensions_ = 0;
  Tracer* outer_;
};

}  // namespace aisp::jit
