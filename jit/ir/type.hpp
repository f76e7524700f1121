// What a value is. A tile's extents are known when compiling; which of its elements lie inside of
// the tensors they came from is known when running: bounds say it by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jit/ir/element.hpp"

namespace aisp::jit {

using Id = int;  // a value of one function

// constant + sum of coefficient * symbol; symbols are index values that are no sums themselves:
// extents, loop counters, quotients, and the number of this block (block's result is number *
// size).
struct Affine {
  std::int64_t constant = 0;
  std::vector<std::pair<Id, std::int64_t>> terms;  // by ascending symbol, no zeros

  bool is_constant() const { return terms.empty(); }
  friend bool operator==(const Affine&, const Affine&) = default;
};
Affine sum(const Affine& a, const Affine& b, std::int64_t times = 1);  // a + times * b
Affine scaled(const Affine& a, std::int64_t times);
// The largest number that divides it whatever the symbols are; 0 for the constant 0.
std::int64_t divisor(const Affine& a);

// Element i of the axis is inside where 0 <= start + i < extent. An element of a tile is inside
// where all of its bounds hold; the others take no part in reductions and are not stored.
struct Bound {
  int axis = 0;
  Id start = 0, extent = 0;
  friend auto operator<=>(const Bound&, const Bound&) = default;
};

enum class Kind { index, scalar, tile, view };

struct Type {
  Kind kind = Kind::index;
  Element element = Element::s32;
  std::vector<int> extents;   // of a tile and a view, 1 to 3
  std::vector<Bound> bounds;  // sorted; of a tile
  friend bool operator==(const Type&, const Type&) = default;

  int rank() const { return static_cast<int>(extents.size()); }
  std::int64_t size() const;
};

inline constexpr int most_axes = 3;

Type index_type();
Type scalar_type(Element element);
Type tile_type(Element element, std::vector<int> extents, std::vector<Bound> bounds = {});

std::string shape_text(const std::vector<int>& extents);  // "(1, 4096)"

}  // namespace aisp::jit
