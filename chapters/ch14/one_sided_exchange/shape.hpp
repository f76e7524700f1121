// The sizes of one_sided_exchange, and what of the work is whose.
#pragma once

#include <cstdint>

#include "lab/case/case.hpp"

namespace aisp::ch14 {

inline constexpr int most_ranks = 16;

// `count` things in a row, shared out among `parts`: part p has those from first(p) on.
struct Shares {
  std::int64_t count = 0;
  int parts = 1;
  std::int64_t first(int part) const { return count * part / parts; }
  std::int64_t of(int part) const { return first(part + 1) - first(part); }
  std::int64_t most() const { return (count + parts - 1) / parts; }
};

// Variant "halo": a grid of rows x columns, so many steps of a stencil. A rank has some of the
// rows.
struct HaloShape {
  int rows = 0, columns = 0, steps = 0, ranks = 0;
  explicit HaloShape(const lab::Size& size)
      : rows(static_cast<int>(size.dims.at(0))),
        columns(static_cast<int>(size.dims.at(1))),
        steps(static_cast<int>(size.dims.at(2))),
        ranks(static_cast<int>(size.dims.at(3))) {}
  Shares slabs() const { return {rows, ranks}; }
};

// Variant "gemm": C = A B over k that is cut into one slice for each rank. A rank gets some of the
// rows of C, in whole pairs of tiles: two blocks share what they load of B.
struct ProductShape {
  static constexpr int tile = 128, paired = 2;
  int m = 0, n = 0, k = 0, ranks = 0;
  explicit ProductShape(const lab::Size& size)
      : m(static_cast<int>(size.dims.at(0))),
        n(static_cast<int>(size.dims.at(1))),
        k(static_cast<int>(size.dims.at(2))),
        ranks(static_cast<int>(size.dims.at(3))) {}
  int slice() const { return k / ranks; }
  int m_pairs() const { return (m + paired * tile - 1) / (paired * tile); }
  int m_tiles() const { return paired * m_pairs(); }
  int n_tiles() const { return (n + tile - 1) / tile; }
  int tiles() const { return m_tiles() * n_tiles(); }
  Shares pairs() const { return {m_pairs(), ranks}; }
  int first_tile_row(int rank) const { return paired * static_cast<int>(pairs().first(rank)); }
  int first_row(int rank) const {
    const int row = first_tile_row(rank) * tile;
    return row < m ? row : m;
  }
  int rows_of(int rank) const { return first_row(rank + 1) - first_row(rank); }
  std::int64_t most_rows() const { return pairs().most() * paired * tile; }
};

}  // namespace aisp::ch14
