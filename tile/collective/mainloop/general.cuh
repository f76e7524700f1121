// The main loop for what no other takes: any strides, any alignment, any two elements. Elements are
// loaded one by one under a predicate, converted exactly to the format they meet in, and laid
// K-major in shared memory; from there on it is a tiled product like any other.
#pragma once

#include "tile/atom/widen.hpp"
#include "tile/collective/gemm_config_sm80.hpp"
#include "tile/collective/mainloop/warp_main_loop.hpp"
#include "tile/tiled/tiled_mma.cuh"

namespace aisp::tile {

// Strides count elements and may be anything; none needs to be 1.
struct GeneralMatrix {
  const void* data = nullptr;
  std::int64_t row_stride = 0, k_stride = 0, batch_stride = 0;
  int rows = 0, k = 0;  // rows along m or n
};

// Simt where the accumulators must be those of f32 products, else the matrix unit.
template <Element a, Element b>
using GeneralAtom = std::conditional_t<
    meeting_element(a, b) == Element::f32, Simt<Element::f32>,
    MmaSync<meeting_element(a, b) == Element::f32 ? Element::tf32 : meeting_element(a, b)>>;

// What one thread brings of an operand's k-blocks: neighbours along the index with the smaller
// stride.
template <Element from, OperandTile tile, int threads>
class PredicatedLoad {
  static constexpr int count = tile.rows * tile.k / threads;
  static_assert(threads % tile.rows == 0 && threads % tile.k == 0 &&
                tile.rows * tile.k % threads == 0);
  using Value = Code<tile.element>;

 public:
  TILE_DEVICE PredicatedLoad(const GeneralMatrix& matrix, int row, int batch, int k)
      : k_stride_(matrix.k_stride), rows_left_(matrix.rows - row), k_left_(matrix.k - k) {
    const int thread = static_cast<int>(threadIdx.x);
    const bool along_k = matrix.k_stride <= matrix.row_stride;
    row_ = along_k ? thread / tile.k : thread % tile.rows;
    k_ = along_k ? thread % tile.k : thread / tile.rows;
    row_step_ = along_k ? threads / tile.k : 0;
    k_step_ = along_k ? 0 : threads / tile.rows;
    from_ = static_cast<const Code<from>*>(matrix.data) + batch * matrix.batch_stride +
            (row + row_) * matrix.row_stride + (k + k_) * matrix.k_stride;
    step_ = row_step_ * matrix.row_stride + k_step_ * matrix.k_stride;
  }

  // The next k-block into registers; zeros outside the matrix.
  TILE_DEVICE void load() {
    const Code<from>* at = from_;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const bool inside = row_ + i * row_step_ < rows_left_ && k_ + i * k_step_ < k_left_;
      value_[i] = inside ? widen<from, tile.element>(*at) : Value{0};
      at += step_;
    }
    from_ += tile.k * k_stride_;
    k_left_ -= tile.k;
  }
  TILE_DEVICE void store(char* to) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const int byte = (k_ + i * k_step_) * bytes_of(tile.element);
      *reinterpret_cast<Value*>(to + line_offset<tile>(row_ + i * row_step_, byte)) = value_[i];
    }
  }

 private:
  const Code<from>* from_;
  std::int64_t step_, k_stride_;
  int rows_left_, k_left_, row_, k_, row_step_, k_step_;
  Value value_[count];  // (BLK_MN * BLK_K / THREADS)
};

template <Element a_element, Element b_element>
class General {
 public:
  static constexpr bool loads_operands = true;
  using Atom = GeneralAtom<a_element, b_element>;
  static constexpr Sm80Config config{.tile_m = 64,
                                     .tile_n = 64,
                                     .tile_k = 64 / bytes_of(Atom::element),
                                     .stages = 1,
                                     .warps_m = 2,
                                     .warps_n = 4,
                                     .blocks_per_sm = bytes_of(Atom::element) == 1 ? 1 : 2};
  using Mma = TiledMma<Atom, config.tiling()>;
  using Accumulators = WarpAccumulators<Mma>;
  static constexpr OperandTile a_tile = config.a_tile(Atom::element);
  static constexpr OperandTile b_tile = config.b_tile(Atom::element);
  using ACopy = PredicatedLoad<a_element, a_tile, Mma::threads>;
  using BCopy = PredicatedLoad<b_element, b_tile, Mma::threads>;

  struct Shared {
    alignas(1024) char a[a_tile.bytes()];  // (BLK_M, BLK_K)
    alignas(1024) char b[b_tile.bytes()];  // (BLK_N, BLK_K)
  };

  TILE_DEVICE explicit General(Shared& shared) : shared_(shared) {}

  // accumulators = A B over the next `k_blocks` of both loads.
  TILE_DEVICE void multiply(Accumulators& accumulators, ACopy a_load, BCopy b_load,
                            int k_blocks) const {
    accumulators.clear();
    if (k_blocks == 0) return;
    a_load.load();
    b_load.load();
    for (; k_blocks > 0; --k_blocks) {
      __syncthreads();  // the k-block before has been read
      a_load.store(shared_.a);
      b_load.store(shared_.b);
      __syncthreads();
      if (k_blocks > 1) {  // on its way while this one is multiplied
        a_load.load();
        b_load.load();
      }
#pragma unroll
      for (int step = 0; step < Mma::steps; ++step) {
        Fragment<Mma, Side::a> a_step;  // (K_ATOMS, M_ATOMS, MMA_A)
        Fragment<Mma, Side::b> b_step;  // (K_ATOMS, N_ATOMS, MMA_B)
        a_reader_.read(a_step, shared_.a, step);
        b_reader_.read(b_step, shared_.b, step);
        multiply_step(accumulators, a_step, b_step);
      }
    }
  }

 private:
  Shared& shared_;
  FragmentReader<Mma, Side::a, a_tile> a_reader_;
  FragmentReader<Mma, Side::b, b_tile> b_reader_;
};

static_assert(WarpMainLoop<General<Element::bf16, Element::bf16>>);

}  // namespace aisp::tile
