#include "lab/judge/attention_reference.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/host/every_cpu.hpp"
#include "base/parallel.hpp"

namespace aisp::lab {
namespace {

// A block of scores (128 KiB) stays in L2, a panel of keys or values for it in L1.
constexpr std::int64_t rows_at_once = 64, keys_at_once = 256;
constexpr std::int64_t group = 4, panel = 16;  // of rows and columns that one set of sums covers

// Eight doubles; the compiler maps them to whatever vectors a clone's target has.
using Vector = double __attribute__((vector_size(64)));
using Bits = std::int64_t __attribute__((vector_size(64)));
struct alignas(64) Row {
  double columns[panel];
};
using Panels = std::vector<Row>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// to (4 rows of `to_stride`, 16) = a (4 rows of `a_stride`, depth) * b (depth, 16); `add`: +=.
AISP_ON_EVERY_CPU void multiply(const double* a, std::int64_t a_stride, const Row* b,
                                std::int64_t depth, double* to, std::int64_t to_stride, bool add) {
  Vector sums[group][2] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* columns = reinterpret_cast<const Vector*>(b[k].columns);
    for (int row = 0; row < group; ++row) {
      const double factor = a[row * a_stride + k];
      sums[row][0] += factor * columns[0];
      sums[row][1] += factor * columns[1];
    }
  }
  for (int row = 0; row < group; ++row) {
    auto* columns = reinterpret_cast<Vector*>(to + row * to_stride);
    columns[0] = add ? columns[0] + sums[row][0] : sums[row][0];
    columns[1] = add ? columns[1] + sums[row][1] : sums[row][1];
  }
}

// values[i] = exp(values[i] - shift) for a multiple of eight values up to shift; returns their sum.
// 2^n e^r with |r| <= ln(2) / 2 and eleven terms of the series: good to 1e-14. What is more than
// 693 below the shift counts as that.
AISP_ON_EVERY_CPU double exponentials(double* values, std::int64_t count, double shift) {
  constexpr double inverse_factorials[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                           1.0 / 5040,     1.0 / 720,     1.0 / 120,    1.0 / 24,
                                           1.0 / 6,        1.0 / 2,       1.0,          1.0};
  constexpr double to_integer = 0x1.8p52;  // adding it leaves the integer in the low bits
  Vector sums = {};
  auto* each = reinterpret_cast<Vector*>(values);
  for (std::int64_t i = 0; i < count / 8; ++i) {
    Vector power = (each[i] - shift) * 0x1.71547652b82fep+0;  // log2(e)
    const Vector least = Vector{} - 1000.0;
    power = power < least ? least : power;
    const Vector shifted = power + to_integer;
    const Vector r = (power - (shifted - to_integer)) * 0x1.62e42fefa39efp-1;  // ln(2)
    Vector series = Vector{} + 1.0 / 479001600;
    for (const double coefficient : inverse_factorials) series = series * r + coefficient;
    const Bits scale = (reinterpret_cast<Bits>(shifted) + 1023) << 52;
    each[i] = series * reinterpret_cast<Vector>(scale);
    sums += each[i];
  }
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum;
}

// Rows [first, first + rows) of (rows, columns) as panels of 16 rows, (panel, column, 16): the keys
// of a head. The last panel is filled up with zeros.
Panels rows_as_panels(const HostTensor& whole, std::int64_t first, std::int64_t rows,
                      std::int64_t columns) {
  const std::int64_t panels = (rows + panel - 1) / panel;
  Panels packed(at(panels * columns));
  base::parallel_ranges(
      panels,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin * panel; row < std::min(end * panel, rows); ++row)
          for (std::int64_t column = 0; column < columns; ++column)
            packed[at(row / panel * columns + column)].columns[row % panel] =
                whole[(first + row) * columns + column];
      },
      32);
  return packed;
}

// The same as panels of 16 columns, (panel, row, 16): the values of a head.
Panels columns_as_panels(const HostTensor& whole, std::int64_t first, std::int64_t rows,
                         std::int64_t columns) {
  Panels packed(at(columns / panel * rows));
  base::parallel_ranges(
      rows,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          for (std::int64_t column = 0; column < columns; ++column)
            packed[at(column / panel * rows + row)].columns[column % panel] =
                whole[(first + row) * columns + column];
      },
      512);
  return packed;
}

// 64 queries of one head against all keys they see: the softmax of what was seen so far is kept up
// to date, block of keys by block of keys.
class QueryBlock {
 public:
  QueryBlock(const AttentionShape& shape, const PairFunctions& functions)
      : shape_(shape),
        functions_(functions),
        size_(shape.head_size),
        q_(at(rows_at_once * size_ / panel)),
        scores_(at(rows_at_once * keys_at_once / panel)),
        o_(at(rows_at_once * size_ / panel)) {}

  // `row` is that of q and o in their tensors, `query` that in the sequence.
  void compute(const HostTensor& q, const Panels& keys, const Panels& values, std::int64_t row,
               std::int64_t query, double* o) {
    head_ = row / shape_.queries;
    query_ = query;
    rows_ = std::min(rows_at_once, shape_.queries - query);
    load(q, row);
    SeenKeys seen{shape_.keys, 0};
    for (std::int64_t i = 0; i < rows_; ++i) {
      seen_[i] = seen_keys(shape_, query + i);
      if (seen_[i].last <= seen_[i].first) continue;
      seen = {std::min(seen.first, seen_[i].first), std::max(seen.last, seen_[i].last)};
    }
    for (std::int64_t key = seen.first / panel * panel; key < seen.last; key += keys_at_once)
      add_keys(keys, values, key, std::min(keys_at_once, seen.last - key));
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < size_; ++j)
        o[row * size_ + i * size_ + j] = sum_[i] > 0 ? o_data()[i * size_ + j] / sum_[i] : 0.0;
  }

 private:
  double* q_data() { return q_.data()->columns; }
  double* scores_data() { return scores_.data()->columns; }
  double* o_data() { return o_.data()->columns; }

  void load(const HostTensor& q, std::int64_t row) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(size_));
    std::fill(q_.begin(), q_.end(), Row{});
    for (std::int64_t i = 0; i < rows_ * size_; ++i) q_data()[i] = scale * q[row * size_ + i];
    std::fill(o_.begin(), o_.end(), Row{});
    std::fill(std::begin(sum_), std::end(sum_), 0.0);
    std::fill(std::begin(largest_), std::end(largest_), -std::numeric_limits<double>::infinity());
  }

  // The part of a row of a block of keys that the shape lets it see.
  struct Range {
    std::int64_t from, to;
  };
  Range range(std::int64_t row, std::int64_t first, std::int64_t count) const {
    const std::int64_t width = (count + panel - 1) / panel * panel;
    const std::int64_t from = std::clamp<std::int64_t>(seen_[row].first - first, 0, width);
    return {from, std::clamp<std::int64_t>(seen_[row].last - first, from, width)};
  }
  PairRow pairs(std::int64_t row, std::int64_t first, Range range) const {
    return {head_ / shape_.heads, head_ % shape_.heads, query_ + row, first + range.from,
            range.to - range.from};
  }

  // Asks the mask for all rows of a block; whether any of them sees any key.
  bool any_seen(std::int64_t first, std::int64_t count) {
    bool any = false;
    for (std::int64_t row = 0; row < rows_; ++row) {
      const Range in = range(row, first, count);
      bool* const masked = masked_[row];
      functions_.mask(pairs(row, first, in), masked + in.from);
      any = any || std::find(masked + in.from, masked + in.to, true) != masked + in.to;
    }
    return any;
  }

  // Keys [first, first + count), first a multiple of 16.
  void add_keys(const Panels& keys, const Panels& values, std::int64_t first, std::int64_t count) {
    if (functions_.mask && !any_seen(first, count)) return;
    for (std::int64_t key = 0; key < count; key += panel)
      for (std::int64_t row = 0; row < rows_; row += group)
        multiply(q_data() + row * size_, size_, &keys[at((first + key) / panel * size_)], size_,
                 scores_data() + row * keys_at_once + key, keys_at_once, false);
    for (std::int64_t row = 0; row < rows_; ++row) weigh(row, first, count);
    for (std::int64_t column = 0; column < size_; column += panel)
      for (std::int64_t row = 0; row < rows_; row += group)
        multiply(scores_data() + row * keys_at_once, keys_at_once,
                 &values[at(column / panel * shape_.keys + first)], count,
                 o_data() + row * size_ + column, size_, true);
  }

  // The row's scores become weights relative to the largest score so far.
  void weigh(std::int64_t row, std::int64_t first, std::int64_t count) {
    double* scores = scores_data() + row * keys_at_once;
    const std::int64_t width = (count + panel - 1) / panel * panel;
    const Range in = range(row, first, count);
    const auto [from, to] = in;
    if (from == to) {
      std::fill(scores, scores + width, 0.0);
      return;
    }
    if (functions_.score) functions_.score(pairs(row, first, in), scores + from);
    if (functions_.mask)
      for (std::int64_t key = from; key < to; ++key)
        if (!masked_[row][key]) scores[key] = -std::numeric_limits<double>::infinity();
    const double before = largest_[row];
    largest_[row] = std::max(before, *std::max_element(scores + from, scores + to));
    if (largest_[row] == -std::numeric_limits<double>::infinity()) {
      std::fill(scores, scores + width, 0.0);
      return;
    }
    const double unseen = largest_[row] - 1e6;
    std::fill(scores, scores + from, unseen);
    std::fill(scores + to, scores + width, unseen);
    const double shrunk = std::exp(before - largest_[row]);
    if (shrunk != 1.0)
      for (std::int64_t j = 0; j < size_; ++j) o_data()[row * size_ + j] *= shrunk;
    sum_[row] = sum_[row] * shrunk + exponentials(scores, width, largest_[row]);
  }

  const AttentionShape& shape_;
  const PairFunctions& functions_;
  std::int64_t size_, rows_ = 0;
  std::int64_t head_ = 0, query_ = 0;  // of all sequences; of the first row
  Panels q_, scores_, o_;              // (64, size), (64, 256), (64, size)
  SeenKeys seen_[rows_at_once];
  double largest_[rows_at_once], sum_[rows_at_once];
  bool masked_[rows_at_once][keys_at_once];  // false where a mask hides the key
};

}  // namespace

void attention_reference(const AttentionShape& shape, const HostTensor& q, const HostTensor& k,
                         const HostTensor& v, std::vector<double>& o,
                         const PairFunctions& functions) {
  const std::int64_t sharing = shape.heads / shape.kv_heads;
  const std::int64_t blocks = (shape.queries + rows_at_once - 1) / rows_at_once;
  o.resize(at(shape.batch * shape.heads * shape.queries * shape.head_size));
  for (std::int64_t head = 0; head < shape.batch * shape.kv_heads; ++head) {
    const Panels keys = rows_as_panels(k, head * shape.keys, shape.keys, shape.head_size);
    const Panels values = columns_as_panels(v, head * shape.keys, shape.keys, shape.head_size);
    // Blocks of a causal mask differ in length: whoever is free takes the next, longest first.
    std::atomic<std::int64_t> taken = 0;
    base::parallel_ranges(
        sharing * blocks,
        [&](std::int64_t, std::int64_t) {
          QueryBlock block(shape, functions);
          for (std::int64_t unit; (unit = taken++) < sharing * blocks;) {
            const std::int64_t query = (blocks - 1 - unit / sharing) * rows_at_once;
            const std::int64_t query_head = head * sharing + unit % sharing;
            block.compute(q, keys, values, query_head * shape.queries + query, query, o.data());
          }
        },
        1);
  }
}

}  // namespace aisp::lab
