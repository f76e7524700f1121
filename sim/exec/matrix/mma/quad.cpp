// mma.m8n8k4 on f16: four independent products, one per quad pair of lanes. Ampere and later have
// no unit for it: the hardware chains fused multiply-adds in f32, in order of k, and adds C last.
#include <bit>
#include <cmath>

#include "base/number/format.hpp"
#include "sim/exec/matrix/maps.hpp"
#include "sim/exec/matrix/mma/form.hpp"
#include "sim/exec/matrix/mma/run.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

constexpr int side = 8, depth = 4, pairs = 4;

struct Tile {
  float a[side][depth], b[depth][side], c[side][side];
};

float half_of(const Warp& warp, const Ref* refs, int lane, int at) {
  const std::uint32_t word = warp.read<std::uint32_t>(refs[at / 2])[lane];
  return static_cast<float>(base::decode<base::f16>(word >> at % 2 * 16 & 0xffffu));
}

float& element(float (&matrix)[side][side], MatrixElement place) {
  return matrix[place.row][place.column];
}

void load(const Warp& warp, const MmaForm& form, const Ref* a, int lane, Tile& tile) {
  const Ref* b = a + 2;
  const Ref* c = b + 2;
  for (int at = 0; at < depth; ++at) {
    const MatrixElement in_a = quad_a(lane, at, !form.a_column_major);
    const MatrixElement in_b = quad_b(lane, at, form.b_row_major);
    tile.a[in_a.row][in_a.column] = half_of(warp, a, lane, at);
    tile.b[in_b.row][in_b.column] = half_of(warp, b, lane, at);
  }
  const bool is_f16 = form.c == Type::f16;
  for (int at = 0; at < side; ++at)
    element(tile.c, quad_c(lane, at, is_f16)) =
        is_f16 ? half_of(warp, c, lane, at) : warp.read<float>(c[at])[lane];
}

void multiply(Tile& tile, bool to_f16) {
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      float sum = to_f16 ? -0.0f : 0.0f;  // only the sign of a zero tells the two apart
      for (int i = 0; i < depth; ++i) sum = std::fma(tile.a[row][i], tile.b[i][column], sum);
      tile.c[row][column] = sum + tile.c[row][column];
    }
  }
}

std::uint32_t to_half(float value) {
  return std::isnan(value) ? 0x7fffu : base::encode<base::f16>(value);
}
std::uint32_t to_word(float value) {
  return std::isnan(value) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(value);
}

}  // namespace

Flow run_mma_quad(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<MmaForm>(op);
  const bool to_f16 = form.d == Type::f16;
  const int results = to_f16 ? 4 : 8;
  const Ref* d = warp.list(op);
  Tile tiles[pairs];
  for (int lane = 0; lane < lanes; ++lane)
    load(warp, form, d + results, lane, tiles[quad_pair(lane)]);
  for (Tile& tile : tiles) multiply(tile, to_f16);
  for (int reg = 0; reg < results; ++reg) {
    if (d[reg] == no_ref) continue;
    auto* words = warp.write<std::uint32_t>(d[reg]);
    for (int lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      Tile& tile = tiles[quad_pair(lane)];
      words[lane] = to_f16 ? to_half(element(tile.c, quad_c(lane, 2 * reg, true))) |
                                 to_half(element(tile.c, quad_c(lane, 2 * reg + 1, true))) << 16
                           : to_word(element(tile.c, quad_c(lane, reg, false)));
    }
  }
  warp.counters->tensor_operations += 2ull * pairs * side * side * depth;
  return Flow::next;
}

}  // namespace aisp::sim
