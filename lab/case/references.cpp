#include "lab/case/references.hpp"

#include <algorithm>

#include "base/host/every_cpu.hpp"
#include "base/parallel.hpp"

namespace aisp::lab {
namespace {

constexpr std::int64_t rows_at_once = 4, columns_at_once = 16, depth_at_once = 256;

// Eight doubles; the compiler maps them to whatever vectors a clone's target has.
using Vector = double __attribute__((vector_size(64)));
struct alignas(64) Row {
  double columns[columns_at_once];
};

// tile (4, 16) += a (4 rows of stride `stride`, depth) * b (depth, 16).
AISP_ON_EVERY_CPU void add_block(const double* a, std::int64_t stride, const Row* b,
                                 std::int64_t depth, Row* tile) {
  Vector sums[rows_at_once][2] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* columns = reinterpret_cast<const Vector*>(b[k].columns);
    for (int row = 0; row < rows_at_once; ++row) {
      const double factor = a[row * stride + k];
      sums[row][0] += factor * columns[0];
      sums[row][1] += factor * columns[1];
    }
  }
  for (int row = 0; row < rows_at_once; ++row) {
    auto* columns = reinterpret_cast<Vector*>(tile[row].columns);
    columns[0] += sums[row][0];
    columns[1] += sums[row][1];
  }
}

// b as panels of 16 columns, (panel, k, 16), the last one filled up with zeros.
std::vector<Row> packed(const HostTensor& b, bool b_is_nk, std::int64_t n, std::int64_t k) {
  const std::int64_t panels = (n + columns_at_once - 1) / columns_at_once;
  std::vector<Row> rows(static_cast<std::size_t>(panels * k));
  base::parallel_ranges(
      panels,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t panel = first; panel < last; ++panel)
          for (std::int64_t at = 0; at < k; ++at)
            for (std::int64_t j = 0; j < columns_at_once; ++j) {
              const std::int64_t column = panel * columns_at_once + j;
              rows[static_cast<std::size_t>(panel * k + at)].columns[j] = column >= n ? 0.0
                                                                          : b_is_nk
                                                                              ? b[column * k + at]
                                                                              : b[at * n + column];
            }
      },
      1);
  return rows;
}

// Rows [first, last) of a in float64, with zero rows up to a multiple of four.
std::vector<double> widened(const HostTensor& a, std::int64_t first, std::int64_t last,
                            std::int64_t k) {
  const std::int64_t groups = (last - first + rows_at_once - 1) / rows_at_once;
  std::vector<double> rows(static_cast<std::size_t>(groups * rows_at_once * k));
  for (std::int64_t i = 0; i < (last - first) * k; ++i)
    rows[static_cast<std::size_t>(i)] = a[first * k + i];
  return rows;
}

}  // namespace

void gemm_reference(const HostTensor& a, const HostTensor& b, bool b_is_nk, std::int64_t m,
                    std::int64_t n, std::int64_t k, std::vector<double>& c) {
  const auto panels = packed(b, b_is_nk, n, k);
  c.assign(static_cast<std::size_t>(m * n), 0.0);
  base::parallel_ranges(
      m,
      [&](std::int64_t first, std::int64_t last) {
        const auto rows = widened(a, first, last, k);
        // A slab of 256 k of one panel (32 KiB) stays in L1 while all rows pass over it.
        for (std::int64_t from = 0; from < k; from += depth_at_once) {
          const std::int64_t depth = std::min(depth_at_once, k - from);
          for (std::int64_t column = 0; column < n; column += columns_at_once) {
            const Row* slab =
                &panels[static_cast<std::size_t>(column / columns_at_once * k + from)];
            const std::int64_t width = std::min(columns_at_once, n - column);
            for (std::int64_t row = first; row < last; row += rows_at_once) {
              Row tile[rows_at_once] = {};
              add_block(&rows[static_cast<std::size_t>((row - first) * k + from)], k, slab, depth,
                        tile);
              for (std::int64_t i = 0; i < std::min(rows_at_once, last - row); ++i)
                for (std::int64_t j = 0; j < width; ++j)
                  c[static_cast<std::size_t>((row + i) * n + column + j)] += tile[i].columns[j];
            }
          }
        }
      },
      rows_at_once);
}

}  // namespace aisp::lab
