// The epilogue of the kernels whose accumulators are in the registers of warps: each thread sends
// its fragments through the tree and stores them straight to global memory.
#pragma once

#include "tile/collective/epilogue/nodes.hpp"
#include "tile/tiled/tiled_mma.cuh"

namespace aisp::tile {

// Strides count elements. Rows: column_stride is 1; otherwise any two strides.
struct FragmentOutput {
  void* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 1, batch_stride = 0;
  Extent extent{};

  TILE_FN std::int64_t index(OutputCoord coord) const {
    return coord.batch * batch_stride + coord.row * row_stride + coord.column * column_stride;
  }
};

// Element by element, for outputs whose rows are not contiguous.
template <Element element, class V>
TILE_DEVICE void scatter_fragment(const FragmentOutput& out, const EpilogueFragment<V>& fragment,
                                  OutputCoord coord) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const OutputCoord at{coord.row + i / 2 * 8, coord.column + i % 2, coord.batch};
    if (!out.extent.holds(at.row, at.column)) continue;
    const V value = fragment.at[i / 2][i % 2];
    static_cast<Code<element>*>(out.data)[out.index(at)] =
        static_cast<Code<element>>(encode_pair<element>(value, value));
  }
}

// alpha A B + beta C, with C at any two strides. C is not read where beta is 0.
template <Element element>
struct StridedLinear : Stateless {
  struct Params {
    float alpha = 1, beta = 0;
    ElementPointer<element> data{};
    std::int64_t row_stride = 0, column_stride = 1, batch_stride = 0;
  };
  template <class V>
  static TILE_FN EpilogueFragment<float> visit(const Params& params, State&,
                                               const EpilogueFragment<V>& accumulators,
                                               OutputCoord coord, Extent extent) {
    EpilogueFragment<float> out{};
    for (int i = 0; i < 4; ++i) {
      const int row = coord.row + i / 2 * 8, column = coord.column + i % 2;
      float value = params.alpha * static_cast<float>(accumulators.at[i / 2][i % 2]);
      if (params.beta != 0 && extent.holds(row, column)) {
        const std::int64_t index = coord.batch * params.batch_stride + row * params.row_stride +
                                   column * params.column_stride;
        const void* const data = params.data;
        const Code<element> code = static_cast<const Code<element>*>(data)[index];
        value += params.beta * decode_pair<element>(join<element>(code, code)).first;
      }
      out.at[i / 2][i % 2] = value;
    }
    return out;
  }
};
static_assert(EpilogueNode<StridedLinear<Element::bf16>>);

// `rows_contiguous`: neighbours of a row move as one access where their address allows it.
template <EpilogueNode Tree_, Element element, bool rows_contiguous = true>
class FragmentEpilogue {
 public:
  using Tree = Tree_;
  struct Params {
    typename Tree::Params tree{};
    FragmentOutput out{};
  };

  TILE_DEVICE explicit FragmentEpilogue(const Params& params) : params_(params) {}

  // The accumulators of the block's tile whose first element is `corner`.
  template <class Mma>
  TILE_DEVICE void store(const WarpAccumulators<Mma>& accumulators, OutputCoord corner) {
#pragma unroll
    for (int m = 0; m < Mma::m_atoms; ++m)
#pragma unroll
      for (int n = 0; n < Mma::n_atoms; ++n)
#pragma unroll
        for (int i = 0; i < Mma::Atom::accumulators; i += 4) {
          const auto& of = accumulators.of[m][n];
          const Cell cell = Mma::accumulator(static_cast<int>(threadIdx.x), m, n, i);
          store_one(
              EpilogueFragment<typename WarpAccumulators<Mma>::Value>{
                  {{of[i], of[i + 1]}, {of[i + 2], of[i + 3]}}},
              {corner.row + cell.row, corner.column + cell.column, corner.batch});
        }
  }
  // By all threads, after the last tile.
  TILE_DEVICE void finish() { Tree::finish(params_.tree, state_); }

 private:
  template <class V>
  TILE_DEVICE void store_one(const EpilogueFragment<V>& accumulators, OutputCoord coord) {
    const FragmentOutput& out = params_.out;
    const auto fragment = Tree::visit(params_.tree, state_, accumulators, coord, out.extent);
    if constexpr (rows_contiguous)
      store_fragment<element>(out.data, out.row_stride, out.batch_stride, fragment, coord,
                              out.extent);
    else
      scatter_fragment<element>(out, fragment, coord);
  }

  const Params& params_;
  typename Tree::State state_{};
};

}  // namespace aisp::tile
