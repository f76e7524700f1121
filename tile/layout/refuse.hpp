// How the layout algebra says no: a rule and the two numbers that break it. At run time that is an
// exception with a sentence; in a constant expression it ends the evaluation; and `admit` carries
// the rule and the numbers in a template argument, where every compiler prints them.
#pragma once

#include <cstdio>
#include <exception>

#include "tile/layout/target.hpp"

namespace aisp::tile {

enum class LayoutRule {
  none,
  fits_capacity,
  fits_depth,
  fits_int,
  mode_not_empty,
  mode_exists,
  shape_and_stride_congruent,
  extent_at_least_one,
  stride_not_negative,
  coordinate_fits_shape,
  same_rank,
  same_size,
  inner_within_outer,
  stride_and_extent_divide,
  extent_is_multiple,
  modes_do_not_carry,
  strides_nest,
  tile_divides,
  recast_divides,
  recast_units_are_whole,
  swizzle_bits_apart,
  swizzle_fits_offsets,
  swizzle_is_named,
  access_is_aligned,
  text_is_layout,
};

// What a rule says, with a place for each of its two numbers.
inline const char* sentence(LayoutRule rule) {
  switch (rule) {
    case LayoutRule::none:
      return "nothing is refused (%lld, %lld)";
    case LayoutRule::fits_capacity:
      return "a tuple of %lld leaves exceeds the capacity of %lld";
    case LayoutRule::fits_depth:
      return "parentheses nested %lld deep exceed the limit of %lld";
    case LayoutRule::fits_int:
      return "size or reach %lld does not fit an int (at most %lld)";
    case LayoutRule::mode_not_empty:
      return "mode %lld of %lld is an empty tuple";
    case LayoutRule::mode_exists:
      return "there is no mode %lld in a tuple of rank %lld";
    case LayoutRule::shape_and_stride_congruent:
      return "shape (%lld leaves) and stride (%lld leaves) are not nested alike";
    case LayoutRule::extent_at_least_one:
      return "extent %lld of leaf %lld is below 1";
    case LayoutRule::stride_not_negative:
      return "stride %lld of leaf %lld is negative";
    case LayoutRule::coordinate_fits_shape:
      return "a coordinate of %lld leaves is not nested like its shape of %lld leaves";
    case LayoutRule::same_rank:
      return "ranks %lld and %lld must be equal";
    case LayoutRule::same_size:
      return "sizes %lld and %lld must be equal";
    case LayoutRule::inner_within_outer:
      return "the inner layout reaches %lld indices, the outer one has only %lld";
    case LayoutRule::stride_and_extent_divide:
      return "compose: inner stride %lld and outer extent %lld do not divide one another";
    case LayoutRule::extent_is_multiple:
      return "compose: inner extent %lld is no multiple of the %lld steps left in the outer mode";
    case LayoutRule::modes_do_not_carry:
      return "compose: inner modes together reach %lld in an outer mode of extent %lld";
    case LayoutRule::strides_nest:
      return "complement: stride %lld is no multiple of %lld, the reach of the modes below it";
    case LayoutRule::tile_divides:
      return "a tile of %lld does not divide an extent of %lld";
    case LayoutRule::recast_divides:
      return "recast: %lld and %lld do not divide one another";
    case LayoutRule::recast_units_are_whole:
      return "recast: %lld old elements do not make whole new ones of %lld each";
    case LayoutRule::swizzle_bits_apart:
      return "a swizzle of %lld bits needs a shift of as many, not %lld";
    case LayoutRule::swizzle_fits_offsets:
      return "a swizzle reaches bit %lld, an offset has only %lld";
    case LayoutRule::swizzle_is_named:
      return "no swizzle spans %lld bytes of %lld-bit elements; spans are 16, 32, 64 and 128 bytes";
    case LayoutRule::access_is_aligned:
      return "offset %lld is not aligned to an access of %lld bytes";
    case LayoutRule::text_is_layout:
      return "the text is no layout at position %lld of %lld";
  }
  return "unknown rule (%lld, %lld)";
}

struct Refusal {
  LayoutRule rule = LayoutRule::none;
  long long first = 0, second = 0;
  TILE_FN explicit operator bool() const { return rule != LayoutRule::none; }
};

class Refused : public std::exception {
 public:
  explicit Refused(const Refusal& refusal) : refusal_(refusal) {
    std::snprintf(text_, sizeof text_, sentence(refusal.rule), refusal.first, refusal.second);
  }
  const char* what() const noexcept override { return text_; }
  const Refusal& refusal() const { return refusal_; }

 private:
  Refusal refusal_;
  char text_[160];
};

// Does nothing where nothing is refused. A constant evaluation ends here; of a throw g++ would
// print only the names of the numbers, of a bad shift it prints the operands: "(4 << -6)".
TILE_FN void settle(LayoutRule rule, long long first, long long second) {
  if (rule == LayoutRule::none) return;
  if (__builtin_is_constant_evaluated()) first <<= -second;
#ifdef __CUDA_ARCH__
  __trap();
#else
  throw Refused(Refusal{rule, first, second});
#endif
}

TILE_FN void require(bool holds, LayoutRule rule, long long first, long long second) {
  if (!holds) settle(rule, first, second);
}

// For constants: admit<try_complement(a, 64).refusal>() prints the rule and the numbers under nvcc
// too.
template <Refusal refusal>
TILE_FN void admit() {
  static_assert(refusal.rule == LayoutRule::none,
                "layouts refused: the rule and its two numbers stand in the template argument");
}

}  // namespace aisp::tile
