// A warp's fragments of one k step, and their product. Fragments are read from an operand tile in
// shared memory by ldmatrix where the atom and the element allow it, else by each lane for itself.
#pragma once

#include <type_traits>

#include "tile/arch/ldmatrix.cuh"
#include "tile/atom/ldmatrix.hpp"
#include "tile/atom/multiply.cuh"
#include "tile/tiled/operand_layout.hpp"
#include "tile/tiled/tiled_mma.hpp"

namespace aisp::tile {

enum class Side { a, b };

template <class Mma, Side side>
struct FragmentShape {
  using Atom = typename Mma::Atom;
  static constexpr bool is_a = side == Side::a;
  static constexpr int atoms = is_a ? Mma::m_atoms : Mma::n_atoms;
  static constexpr int atom_rows = is_a ? Atom::m : Atom::n;
  static constexpr int registers = is_a ? Atom::a_registers : Atom::b_registers;
  static TILE_FN Cell cell(int lane, int reg, int at) {
    if constexpr (is_a)
      return Atom::a(lane, reg, at);
    else
      return Atom::b(lane, reg, at);
  }
  TILE_DEVICE static int first_row() {
    const Cell corner = Mma::corner(static_cast<int>(threadIdx.x) / 32);
    return is_a ? corner.row : corner.column;
  }
};

// One k step of one operand, for all atoms of the warp.
template <class Mma, Side side>
struct Fragment {
  using Shape = FragmentShape<Mma, side>;
  std::uint32_t at[Mma::k_atoms][Shape::atoms][Shape::registers];  // (K_ATOMS, MN_ATOMS, MMA_AB)
};

template <class Mma>
struct WarpAccumulators {
  using Value = typename Mma::Atom::ElementAccumulator;
  Value of[Mma::m_atoms][Mma::n_atoms][Mma::Atom::accumulators];  // (M_ATOMS, N_ATOMS, MMA_C)

  TILE_DEVICE void clear() {
#pragma unroll
    for (auto& row : of)
#pragma unroll
      for (auto& atom : row)
#pragma unroll
        for (auto& value : atom) value = 0;
  }
};

template <class Mma>
TILE_DEVICE void multiply_step(WarpAccumulators<Mma>& accumulators, const Fragment<Mma, Side::a>& a,
                               const Fragment<Mma, Side::b>& b) {
#pragma unroll
  for (int k = 0; k < Mma::k_atoms; ++k)
#pragma unroll
    for (int m = 0; m < Mma::m_atoms; ++m)
#pragma unroll
      for (int step = 0; step < Mma::n_atoms; ++step) {
        // Back and forth, so that the last registers of B are the next ones too.
        const int n = m % 2 == 0 ? step : Mma::n_atoms - 1 - step;
        multiply(typename Mma::Atom{}, accumulators.of[m][n], a.at[k][m], b.at[k][n]);
      }
}

// By ldmatrix, in blocks of 16 rows and 32 bytes of k. The swizzle is worked out once. K-major: a
// step flips bits of the chunk's number, a block is added. MN-major: one offset per block, a step
// is added.
template <class Mma, Side side, OperandTile tile>
class MatrixReader {
  using Shape = FragmentShape<Mma, side>;
  using Block = LdMatrixX4;
  static constexpr bool k_major = tile.major == Major::k;
  static constexpr int blocks = Shape::atoms * Shape::atom_rows / Block::rows;
  static constexpr int chunks = 2 / Mma::k_atoms;  // 16-byte columns of k in an atom

 public:
  TILE_DEVICE MatrixReader() {
    const int lane = static_cast<int>(threadIdx.x) % 32, row = Shape::first_row();
    if constexpr (k_major) {
      const Cell at = Block::k_major(lane);
      offset_[0] = line_offset<tile>(row + at.row, at.column * 16);
    } else {
      const Cell at = Block::mn_major(lane);
#pragma unroll
      for (int block = 0; block < blocks; ++block)
        offset_[block] =
            line_offset<tile>(at.row, (row + block * Block::rows) * 2 + at.column * 16);
    }
  }

  TILE_DEVICE void read(Fragment<Mma, side>& to, const char* tile_smem, int step) const {
    const std::uint32_t start = arch::shared_address(tile_smem);  // (BLK_MN, BLK_K)
    constexpr int width = width_of(tile.swizzle);
    const int byte = step * Block::k_bytes;
    const std::uint32_t of_step =
        ((start + offset_[0]) ^ (byte % width)) + byte / width * tile.panel_bytes();
#pragma unroll
    for (int block = 0; block < blocks; ++block) {
      std::uint32_t four[Block::registers];  // (2, 2): rows 8 h on of 16-byte column c at h + 2 c
      if constexpr (k_major)
        arch::ldmatrix_x4(four, of_step + block * Block::rows * width);
      else
        arch::ldmatrix_x4_trans(four, start + offset_[block] + step * Mma::step_k * width);
      spread(to, four, block);
    }
  }

 private:
  TILE_DEVICE static void spread(Fragment<Mma, side>& to, const std::uint32_t (&four)[4],
                                 int block) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int half = i % 2, chunk = i / 2;
      if constexpr (side == Side::a)
        to.at[chunk / chunks][block][half + 2 * (chunk % chunks)] = four[i];
      else
        to.at[chunk / chunks][2 * block + half][chunk % chunks] = four[i];
    }
  }

  static_assert(!k_major || width_of(tile.swizzle) >= Block::k_bytes);
  int offset_[k_major ? 1 : blocks];
};

// By each lane: vectors of registers with one load where k is contiguous, else element by element.
template <class Mma, Side side, OperandTile tile>
class LaneReader {
  using Shape = FragmentShape<Mma, side>;
  using Atom = typename Mma::Atom;
  static constexpr int element_bytes = bytes_of(Atom::element);

 public:
  TILE_DEVICE void read(Fragment<Mma, side>& to, const char* tile_smem, int step) const {
#pragma unroll
    for (int k = 0; k < Mma::k_atoms; ++k)
#pragma unroll
      for (int atom = 0; atom < Shape::atoms; ++atom)
#pragma unroll
        for (int reg = 0; reg < Shape::registers; reg += Atom::vector_registers)
          if constexpr (tile.major == Major::k)
            read_vector(to.at[k][atom], tile_smem, reg, atom, step * Mma::step_k + k * Atom::k);
          else
            gather_vector(to.at[k][atom], tile_smem, reg, atom, step * Mma::step_k + k * Atom::k);
  }

 private:
  using Vector = std::conditional_t<Atom::vector_registers == 1, std::uint32_t,
                                    std::conditional_t<Atom::vector_registers == 2, uint2, uint4>>;

  TILE_DEVICE void read_vector(std::uint32_t (&to)[Shape::registers], const char* tile_smem,
                               int reg, int atom, int k) const {
    const Cell cell = Shape::cell(lane_, reg, 0);
    const int offset = line_offset<tile>(row_ + cell.row, (k + cell.column) * element_bytes) +
                       atom * Shape::atom_rows * width_of(tile.swizzle);
    const Vector vector = *reinterpret_cast<const Vector*>(tile_smem + offset);
    static_assert(sizeof vector == 4 * Atom::vector_registers);
    if constexpr (Atom::vector_registers == 1) {
      to[reg] = vector;
    } else {
      to[reg] = vector.x;
      to[reg + 1] = vector.y;
      if constexpr (Atom::vector_registers == 4) {
        to[reg + 2] = vector.z;
        to[reg + 3] = vector.w;
      }
    }
  }

  TILE_DEVICE void gather_vector(std::uint32_t (&to)[Shape::registers], const char* tile_smem,
                                 int first, int atom, int k) const {
#pragma unroll
    for (int reg = first; reg < first + Atom::vector_registers; ++reg) {
      to[reg] = 0;
#pragma unroll
      for (int at = 0; at < Atom::per_register; ++at) {
        const Cell cell = Shape::cell(lane_, reg, at);
        const int row = row_ + atom * Shape::atom_rows + cell.row;
        const auto* from = reinterpret_cast<const Code<Atom::element>*>(
            tile_smem + line_offset<tile>(k + cell.column, row * element_bytes));
        to[reg] |= std::uint32_t{*from} << 8 * element_bytes * at;
      }
    }
  }

  int lane_ = static_cast<int>(threadIdx.x) % 32;
  int row_ = Shape::first_row();
};

// ldmatrix transposes 16-bit elements only.
template <class Mma, Side side, OperandTile tile>
using FragmentReader =
    std::conditional_t<Mma::Atom::of_matrices &&
                           (tile.major == Major::k || bytes_of(tile.element) == 2),
                       MatrixReader<Mma, side, tile>, LaneReader<Mma, side, tile>>;

}  // namespace aisp::tile
