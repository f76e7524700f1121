// How a thread of the rows schedule gets at its part of a row: where the row begins in memory,
// which of its elements are inside, and how a piece of neighbours is loaded and stored.
#pragma once

#include "jit/emit/block.hpp"
#include "jit/pass/plan.hpp"

namespace aisp::jit::emitting {

class RowAccess : public BlockExpressions {
 public:
  RowAccess(const Function& function, const Signature& signature, const Plan& plan, Text& text);

 protected:
  // What is inside along the row.
  struct Range {
    std::string begin = "0", end;  // by their names
    bool pieces = true;            // a piece is inside or outside as a whole
    bool full = false;             // every piece of the row is inside

    std::string piece() const { return full ? "true" : "column < " + end; }
    std::string element() const {  // "" where there is nothing to ask
      if (full) return "";
      if (pieces) return "column < " + end;
      return (begin == "0" ? "" : "j >= " + begin + " && ") + "j < " + end;
    }
  };

  // The thread's own element of a tile.
  Coordinates own(const Type& type) const;
  const Range& range(const Type& type);
  std::string row_pointer(Id view);
  // "load_piece<…>(row, …" up to where the values go.
  std::string access(const std::string& function, Element element, Id view, const Range& inside);

  const Signature& signature_;
  std::vector<int> shape_;
  std::vector<RowEnd> ends_;
  std::int64_t vector_, per_row_, columns_;
  bool keeps_;
  std::string there_;  // of several rows at once: whether the thread's row is one; "" where it is
  Coordinates axes_;   // of the thread's element

 private:
  bool never_negative(Id id) const;
  std::string stride_of(std::size_t tensor) const;

  std::map<Id, std::string> pointers_;
  std::map<std::pair<int, std::vector<Bound>>, Range> ranges_;
};

}  // namespace aisp::jit::emitting
