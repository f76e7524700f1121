// Traced values. They are symbols: an operator records what is to be computed, and the place it
// was written at. No value has a truth or a number on the host.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <vector>

#include "jit/ir/opcode.hpp"
#include "jit/ir/type.hpp"

namespace aisp::jit {

inline constexpr Element f32 = Element::f32, f16 = Element::f16, bf16 = Element::bf16,
                         tf32 = Element::tf32, e4m3 = Element::e4m3, e5m2 = Element::e5m2,
                         s8 = Element::s8, s32 = Element::s32;

namespace detail {
template <class>
inline constexpr bool never = false;
}  // namespace detail

// Numbers of one shape, or one number for the whole block.
class Tile {
 public:
  explicit Tile(Id id) : id_(id) {}
  Id id() const { return id_; }

  Tile to(Element element, std::source_location at = std::source_location::current()) const;
  Tile named(const std::string& name) const;  // what it is called in the kernel's text
  std::vector<int> extents() const;

  template <class Never = void>
  explicit operator bool() const {
    static_assert(detail::never<Never>,
                  "a traced value has no truth on the host: choose with where(condition, a, b)");
    return false;
  }

 private:
  Id id_;
};

// A position, the same for the whole block.
class Index {
 public:
  explicit Index(Id id) : id_(id) {}
  Id id() const { return id_; }

  template <class Never = void>
  explicit operator bool() const {
    static_assert(detail::never<Never>,
                  "a traced index has no truth on the host: choose with where(condition, a, b)");
    return false;
  }

 private:
  Id id_;
};

// An axis of a tile. The type of its own keeps integers numbers: max(v, 0) is the larger of v and
// 0, max(v, axis(0)) the largest along axis 0. axis(-1) is the last one.
class Axis {
 public:
  explicit constexpr Axis(int number) : number_(number) {}
  constexpr int number() const { return number_; }

 private:
  int number_;
};
constexpr Axis axis(int number) { return Axis(number); }

struct Whole {};
inline constexpr Whole whole{};  // as much as the axis has

// An extent of a tile: a number that is known when compiling, a choice among them.
class Size {
 public:
  template <std::integral Number>
  Size(Number number) : number_(static_cast<std::int64_t>(number)) {}
  Size(Index index, std::source_location at = std::source_location::current());
  Size(Whole) : whole_(true) {}
  bool is_whole() const { return whole_; }
  std::int64_t number() const { return number_; }

 private:
  std::int64_t number_ = 0;
  bool whole_ = false;
};
using Sizes = std::vector<Size>;

// An operand of index arithmetic: an index or an integer.
class IndexArg {
 public:
  IndexArg(Index index) : id_(index.id()) {}
  template <std::integral Number>
  IndexArg(Number number) : id_(of(static_cast<std::int64_t>(number))) {}
  Id id() const { return id_; }

 private:
  static Id of(std::int64_t number);
  Id id_;
};
using Starts = std::vector<IndexArg>;

// An operand of an operator or a function, with the place where it was written.
class Arg {
 public:
  Arg(Tile tile, std::source_location at = std::source_location::current())
      : id_(tile.id()), at_(at) {}
  Arg(Index index, std::source_location at = std::source_location::current());
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> Arg(
      Number number, std::source_location at = std::source_location::current())
      : number_(static_cast<double>(number)), integer_(std::integral<Number>), at_(at) {}

  bool is_number() const { return id_ < 0; }
  bool is_integer() const { return integer_; }
  double number() const { return number_; }
  Id id() const { return id_; }  // of a traced value
  const std::source_location& at() const { return at_; }

 private:
  Id id_ = -1;
  double number_ = 0.0;
  bool integer_ = false;
  std::source_location at_;
};

namespace detail {
// Along an axis; `function` is the one that messages name.
Tile reduced(const Arg& x, Axis axis, Reduction reduction, const std::string& function);
}  // namespace detail

}  // namespace aisp::jit
