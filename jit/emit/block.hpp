// What both schedules say in the same words: which block this is, extents, elements in memory.
#pragma once

#include "jit/emit/expressions.hpp"
#include "jit/ir/signature.hpp"

namespace aisp::jit::emitting {

class BlockExpressions : public Expressions {
 public:
  using Expressions::Expressions;

  // element_at of one element of a view.
  std::string element(Id view, const Coordinates& coordinates);
  // store_at or combine_at of one element; `condition` may be empty.
  std::string store(const Operation& operation, const std::string& condition,
                    const std::string& value, const Coordinates& coordinates);
  std::size_t tensor_of(Id view) const;

 protected:
  std::string leaf(const Operation& operation, Id id, const Coordinates& coordinates) override;
  std::string positions(Id view, const Coordinates& coordinates);  // ", start + i, …"

 private:
  std::string block(const Operation& operation);
};

std::string neutral(Reduction reduction, Element element);
const char* combine_word(Reduction reduction);  // "Sum"

// The head of a kernel up to "{".
std::string head(const Function& function, const BlockExpressions& names, const std::string& name,
                 int threads);

}  // namespace aisp::jit::emitting
