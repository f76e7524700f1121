// The epilogue of the kernels whose sums are in the registers of warps: each thread sends its
// patches through the tree and stores them straight to global memory.
#pragma once

#include "tile/collective/epilogue_nodes.hpp"
#include "tile/tiled/tiled_mma.cuh"

namespace tile {

// Strides count elements. Rows: column_stride is 1; otherwise any two strides.
struct PatchOutput {
  void* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 1, batch_stride = 0;
  Extent extent{};

  TILE_FN std::int64_t index(Place place) const {
    return place.batch * batch_stride + place.row * row_stride + place.column * column_stride;
  }
};

// Element by element, for outputs whose rows are not contiguous.
template <Element element, class V>
TILE_DEVICE void scatter_patch(const PatchOutput& out, const Patch<V>& patch, Place place) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Place at{place.row + i / 2 * 8, place.column + i % 2, place.batch};
    if (!out.extent.holds(at.row, at.column)) continue;
    const V value = patch.at[i / 2][i % 2];
    static_cast<Code<element>*>(out.data)[out.index(at)] =
        static_cast<Code<element>>(encode_pair<element>(value, value));
  }
}

// alpha A B + beta C, with C at any two strides. C is not read where beta is 0.
template <Element element>
struct StridedLinear : Stateless {
  struct Params {
    float alpha = 1, beta = 0;
    const void* data = nullptr;
    std::int64_t row_stride = 0, column_stride = 1, batch_stride = 0;
  };
  template <class V>
  static TILE_FN Patch<float> visit(const Params& params, State&, const Patch<V>& sums, Place place,
                                    Extent extent) {
    Patch<float> out{};
    for (int i = 0; i < 4; ++i) {
      const int row = place.row + i / 2 * 8, column = place.column + i % 2;
      float value = params.alpha * static_cast<float>(sums.at[i / 2][i % 2]);
      if (params.beta != 0 && extent.holds(row, column)) {
        const std::int64_t index = place.batch * params.batch_stride + row * params.row_stride +
                                   column * params.column_stride;
        const Code<element> code = static_cast<const Code<element>*>(params.data)[index];
        value += params.beta * decode_pair<element>(join<element>(code, code)).first;
      }
      out.at[i / 2][i % 2] = value;
    }
    return out;
  }
};
static_assert(EpilogueNode<StridedLinear<Element::bf16>>);

// `rows_contiguous`: neighbours of a row move as one access where their address allows it.
template <EpilogueNode Tree, Element element, bool rows_contiguous = true>
class PatchEpilogue {
 public:
  struct Params {
    typename Tree::Params tree{};
    PatchOutput out{};
  };

  TILE_DEVICE explicit PatchEpilogue(const Params& params) : params_(params) {}

  // The sums of the block's tile whose first element is `corner`.
  template <class Mma>
  TILE_DEVICE void store(const WarpSums<Mma>& sums, Place corner) {
#pragma unroll
    for (int m = 0; m < Mma::m_atoms; ++m)
#pragma unroll
      for (int n = 0; n < Mma::n_atoms; ++n)
#pragma unroll
        for (int i = 0; i < Mma::Atom::sums; i += 4) {
          const auto& of = sums.of[m][n];
          const Cell cell = Mma::sum(static_cast<int>(threadIdx.x), m, n, i);
          store_one(
              Patch<typename WarpSums<Mma>::Value>{{{of[i], of[i + 1]}, {of[i + 2], of[i + 3]}}},
              {corner.row + cell.row, corner.column + cell.column, corner.batch});
        }
  }
  // By all threads, after the last tile.
  TILE_DEVICE void finish() { Tree::finish(params_.tree, state_); }

 private:
  template <class V>
  TILE_DEVICE void store_one(const Patch<V>& sums, Place place) {
    const PatchOutput& out = params_.out;
    const auto patch = Tree::visit(params_.tree, state_, sums, place, out.extent);
    if constexpr (rows_contiguous)
      store_patch<element>(out.data, out.row_stride, out.batch_stride, patch, place, out.extent);
    else
      scatter_patch<element>(out, patch, place);
  }

  const Params& params_;
  typename Tree::State state_{};
};

}  // namespace tile
