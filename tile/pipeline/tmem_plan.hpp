// Which columns of tensor memory hold what: a value, made region by region, that a kernel asks for
// addresses and for the number of columns to allocate. What overlaps or does not fit does not
// compile, and the message holds the numbers:
//   constexpr TmemPlan plan = TmemPlan{}.with("scores", 128).with("sums", 256);
//   static_assert(admitted_tmem<plan>);
//   arch::tmem_at(base, 0, plan.first("sums"));
#pragma once

#include "tile/arch/limits.hpp"

namespace aisp::tile {

inline constexpr int tmem_columns = arch::limits_of(100).tensor_columns;  // of an SM

struct TmemName {
  char text[16] = {};
  constexpr TmemName() = default;
  TILE_FN TmemName(const char* name) {
    for (int i = 0; i < 15 && name[i] != 0; ++i) text[i] = name[i];
  }
  constexpr bool operator==(const TmemName&) const = default;
};

struct TmemRegion {
  TmemName name{};
  int first = 0, columns = 0;
  TILE_FN int end() const { return first + columns; }
  constexpr bool operator==(const TmemRegion&) const = default;
};

struct TmemPlan {
  static constexpr int most = 8;
  TmemRegion regions[most] = {};
  int count = 0;

  // Behind all others, or from a column of its own on.
  TILE_FN TmemPlan with(TmemName name, int columns) const { return with(name, end(), columns); }
  TILE_FN TmemPlan with(TmemName name, int first, int columns) const {
    TmemPlan more = *this;
    if (count < most) more.regions[count] = {name, first, columns};
    ++more.count;
    return more;
  }

  TILE_FN int end() const {
    int end = 0;
    for (int i = 0; i < count && i < most; ++i)
      if (regions[i].end() > end) end = regions[i].end();
    return end;
  }
  // To allocate: a power of two from 32 on.
  TILE_FN int allocation() const {
    int columns = 32;
    while (columns < end()) columns *= 2;
    return columns;
  }
  // -1: there is none.
  TILE_FN int first(TmemName name) const {
    for (int i = 0; i < count; ++i)
      if (regions[i].name == name) return regions[i].first;
    return -1;
  }
  constexpr bool operator==(const TmemPlan&) const = default;
};

namespace rules {

template <int regions, int most>
struct TmemRegions {
  static constexpr bool kept = regions <= most;
  struct Said {
    static_assert(kept, "a plan of tensor memory has at most most regions");
  };
};
template <int end, int columns>
struct TmemFits {
  static constexpr bool kept = end <= columns;
  struct Said {
    static_assert(kept,
                  "the regions of tensor memory end behind its last column: fewer "
                  "accumulators or a smaller tile_n");
  };
};
// [first, end) of two regions.
template <TmemName one, int first, int end, TmemName other, int other_first, int other_end>
struct TmemApart {
  static constexpr bool kept = end <= other_first || other_end <= first;
  struct Said {
    static_assert(kept, "two regions of tensor memory overlap: give one a later first column");
  };
};

template <TmemPlan plan, int one, int other>
TILE_FN bool tmem_apart() {
  if constexpr (one >= plan.count) {
    return true;
  } else if constexpr (other >= plan.count) {
    return tmem_apart<plan, one + 1, one + 2>();
  } else {
    constexpr TmemRegion a = plan.regions[one], b = plan.regions[other];
    using Rule = TmemApart<a.name, a.first, a.end(), b.name, b.first, b.end()>;
    if constexpr (!Rule::kept) return sizeof(typename Rule::Said) == 0;
    return tmem_apart<plan, one, other + 1>();
  }
}

template <TmemPlan plan>
TILE_FN bool tmem_plan_kept() {
  using Regions = TmemRegions<plan.count, TmemPlan::most>;
  using Fits = TmemFits<plan.end(), tmem_columns>;
  if constexpr (!Regions::kept)
    return sizeof(typename Regions::Said) == 0;
  else if constexpr (!Fits::kept)
    return sizeof(typename Fits::Said) == 0;
  else
    return tmem_apart<plan, 0, 1>();
}

}  // namespace rules

// True, or the compile ends with the broken rule and its numbers.
template <TmemPlan plan>
constexpr bool admitted_tmem = rules::tmem_plan_kept<plan>();

static_assert(TmemPlan{}.with("a", 96).with("b", 64).first("b") == 96);
static_assert(TmemPlan{}.with("a", 96).with("b", 64).allocation() == 256);

}  // namespace aisp::tile
