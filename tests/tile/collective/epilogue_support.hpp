// For tests of epilogue trees: matrices with canaries around them, and a host stand-in for the
// kernel's loop over the fragments of an accumulator.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tile/collective/epilogue/nodes.hpp"

namespace aisp::epilogue_test {

using tile::Element;
using tile::EpilogueFragment;
using tile::Extent;
using tile::OutputCoord;

// A batch of row-major matrices, each row longer than its columns: all bytes that are no element
// are canaries. `shift` elements ahead of the first one make pairs unaligned.
template <Element element>
struct Guarded {
  using Code = tile::Code<element>;
  static constexpr int margin = 64;
  int batches, rows, columns, stride, shift;
  std::vector<Code> memory;

  Guarded(int batches, int rows, int columns, int padding, int shift = 0)
      : batches(batches), rows(rows), columns(columns), stride(columns + padding), shift(shift) {
    memory.assign(static_cast<std::size_t>(2 * margin + shift + batches * batch_stride()), canary);
  }
  static constexpr Code canary = static_cast<Code>(0xA5A5A5A5u);
  int batch_stride() const { return rows * stride; }
  Code* data() { return memory.data() + margin + shift; }
  std::size_t index(int batch, int row, int column) const {
    return static_cast<std::size_t>(margin + shift + batch * batch_stride() + row * stride +
                                    column);
  }
  Code& code(int batch, int row, int column) { return memory[index(batch, row, column)]; }
  double value(int batch, int row, int column) {
    return tile::decode_pair<element>(code(batch, row, column)).first;
  }
  void fill(std::mt19937& random) {
    std::uniform_real_distribution<float> numbers(-4, 4);
    for (int batch = 0; batch < batches; ++batch)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          code(batch, row, column) =
              static_cast<Code>(tile::encode_pair<element>(numbers(random), 0.0f));
  }
  void expect_canaries() {
    std::vector<bool> is_element(memory.size());
    for (int batch = 0; batch < batches; ++batch)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          is_element[index(batch, row, column)] = true;
    for (std::size_t i = 0; i < memory.size(); ++i)
      ASSERT_TRUE(is_element[i] || memory[i] == canary) << "position " << i;
  }
};

// Accumulators of a batch of outputs, in the order of the output.
template <class V>
struct AccumulatorMatrix {
  int batches, rows, columns;
  std::vector<V> values;
  V at(int batch, int row, int column) const {
    return values[static_cast<std::size_t>((batch * rows + row) * columns + column)];
  }
};

inline AccumulatorMatrix<float> random_accumulators(std::mt19937& random, int batches, int rows,
                                                    int columns) {
  std::normal_distribution<float> numbers(0, 3);
  AccumulatorMatrix<float> accumulators{batches, rows, columns, {}};
  accumulators.values.resize(static_cast<std::size_t>(batches * rows * columns));
  for (float& value : accumulators.values) value = numbers(random);
  return accumulators;
}

// All lanes of all 16x8 atoms that cover the output, each with its own State over its atoms, as in
// a kernel; `use(coord, fragment)` gets what the root returns. What hangs over the edge is NaN (or
// a huge integer): if it mattered it would show.
template <class Tree, class V, class Use>
void visit_all(const typename Tree::Params& params, const AccumulatorMatrix<V>& accumulators,
               Use use) {
  const Extent extent{accumulators.rows, accumulators.columns};
  const V outside = std::is_same_v<V, float> ? static_cast<V>(NAN) : static_cast<V>(1 << 30);
  for (int lane = 0; lane < 32; ++lane) {
    typename Tree::State state;
    for (int batch = 0; batch < accumulators.batches; ++batch)
      for (int row = lane / 4; row < accumulators.rows + 16; row += 16)
        for (int column = 2 * (lane % 4); column < accumulators.columns + 8; column += 8) {
          EpilogueFragment<V> fragment;
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
              fragment.at[i][j] = extent.holds(row + 8 * i, column + j)
                                      ? accumulators.at(batch, row + 8 * i, column + j)
                                      : outside;
          const OutputCoord coord{row, column, batch};
          use(coord, Tree::visit(params, state, fragment, coord, extent));
        }
    Tree::finish(params, state);
  }
}

// Runs the tree and compares each element with `want(batch, row, column)`, in float64.
template <class Tree, class V, class Want>
void expect_tree(const typename Tree::Params& params, const AccumulatorMatrix<V>& accumulators,
                 Want want, double tolerance = 1e-6) {
  std::size_t seen = 0;
  visit_all<Tree>(params, accumulators, [&](OutputCoord coord, const auto& fragment) {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const int row = coord.row + 8 * i, column = coord.column + j;
        if (row >= accumulators.rows || column >= accumulators.columns) continue;
        const double expected = want(coord.batch, row, column);
        const double error = std::abs(static_cast<double>(fragment.at[i][j]) - expected);
        ASSERT_TRUE(error <= tolerance * (1 + std::abs(expected)))
            << fragment.at[i][j] << " for " << expected << " at " << coord.batch << ", " << row
            << ", " << column;
        ++seen;
      }
  });
  EXPECT_EQ(seen, accumulators.values.size());
}

}  // namespace aisp::epilogue_test
