// The kernel's parts can be replaced one at a time: a main loop, a schedule and a node of the
// epilogue that only this file knows, each with everything else unchanged, then all of them
// together. Prints "ok" and returns 0 when every element is right.
#include "tests/tile/kernels/hopper_check.cuh"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::Roles;
using tile::Sm90Config;
using tile::Sm90Recipe;

// A main loop with weights: every second k-block counts twice. It has one product under way at a
// time, which no other part notices.
template <Sm90Config config>
class AlternatingWeights {
 public:
  static constexpr bool loads_operands = false;

  TILE_DEVICE AlternatingWeights(tile::Sm90Buffers<config>& buffers, tile::ClusterCoord coord,
                                 int first_row)
      : buffers_(buffers), ring_(buffers.ring, coord), first_row_(first_row) {}

  TILE_DEVICE void multiply(tile::Accumulators<config>& accumulators, int k_blocks) {
    accumulators.keep();
    for (int k = 0; k < k_blocks; ++k, ++at_) {
      ring_.wait(at_);
      for (int time = 0; time <= k % 2; ++time) {
        tile::arch::wgmma_fence();
        tile::multiply_tiles<config>(accumulators, buffers_.a[at_.slot], buffers_.b[at_.slot],
                                     first_row_, k > 0);
        tile::arch::wgmma_commit();
        tile::arch::wgmma_wait<0>();
      }
      ring_.release(at_);
    }
  }
  TILE_DEVICE void finish(tile::Accumulators<config>& accumulators) { accumulators.keep(); }
  TILE_DEVICE void skip(int k_blocks) { at_ += k_blocks; }

 private:
  tile::Sm90Buffers<config>& buffers_;
  tile::Sm90OperandRing<config> ring_;
  tile::RingState<config.stages> at_ = tile::RingState<config.stages>::reader();
  int first_row_;
};

// A schedule: down the columns of the grid, each begun one row further down than the last, so that
// neighbours in time share neither rows nor columns.
class Diagonals {
 public:
  using Params = tile::TileSpace;
  static constexpr tile::ScheduleKind kind = tile::ScheduleKind::whole_tiles;
  static TILE_FN Params params(const tile::TileSpace& tiles, const tile::LaunchChoice&) {
    return tiles;
  }

  TILE_FN Diagonals(const Params& params, int cluster, int clusters)
      : tiles_(params), tile_(cluster), step_(clusters) {}

  TILE_FN bool next(tile::WorkTile& work) {
    if (tile_ >= tiles_.count()) return false;
    const int in_product = tile_ % tiles_.grid.count(), column = in_product / tiles_.grid.m;
    work = {.m = (in_product + column) % tiles_.grid.m,
            .n = column,
            .batch = tile_ / tiles_.grid.count(),
            .k_count = tiles_.k_blocks};
    tile_ += step_;
    return true;
  }
  static TILE_FN int clusters(const Params& params, int fit) {
    return params.count() < fit ? params.count() : fit;
  }
  static TILE_FN int slots(const Params&, int) { return 0; }

 private:
  Params tiles_;
  int tile_, step_;
};
static_assert(tile::TileSpaceSchedule<Diagonals>);

// A node of the epilogue: keeps what is on and below the diagonal, as attention scores that must
// not see the future.
template <tile::EpilogueNode X>
struct LowerTriangle {
  struct Params {
    typename X::Params of{};
    float above = 0;
  };
  using State = typename X::State;
  template <class V>
  TILE_INLINE static TILE_FN tile::EpilogueFragment<float> visit(
      const Params& params, State& state, const tile::EpilogueFragment<V>& accumulators,
      tile::OutputCoord coord, tile::Extent extent) {
    auto fragment = X::visit(params.of, state, accumulators, coord, extent);
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        if (coord.column + column > coord.row + 8 * row) fragment.at[row][column] = params.above;
    return fragment;
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state);
  }
};
static_assert(tile::EpilogueNode<LowerTriangle<tile::Accumulator>>);

DotProduct unchanged(DotProduct sum, int, int, int) { return sum; }
DotProduct lower_triangle(DotProduct sum, int, int row, int column) {
  return column > row ? DotProduct{-7, 0} : sum;
}
// A as the weighted main loop sees it.
template <int tile_k>
DotProduct weighted(Numbers a, Numbers b) {
  std::vector<double> twice = a;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (k / tile_k % 2 == 1) twice[k] *= 2;
  return dot_product(twice, b);
}

template <class Recipe, class Dot, class Then>
void run(const char* what, const typename Recipe::Tree::Params& tree, Dot dot, Then then) {
  const Size size{300, 200, 271, 2};
  Product<Recipe> product(size);
  product.run(what, tree);
  check_each(what, product.a, product.b, product.d, size.batch, dot, then);
}

template <Sm90Config config>
void run_all(const char* what) {
  using tile::Accumulator;
  using tile::Persistent;
  using Lower = LowerTriangle<Accumulator>;
  using Weights = AlternatingWeights<config>;
  constexpr int k = config.tile_k;
  run<Sm90Recipe<config, Accumulator, Persistent, Weights>>(what, {}, weighted<k>, unchanged);
  run<Sm90Recipe<config, Accumulator, Diagonals>>(what, {}, dot_product, unchanged);
  const typename Lower::Params tree{.of = {}, .above = -7};
  run<Sm90Recipe<config, Lower, Persistent>>(what, tree, dot_product, lower_triangle);
  run<Sm90Recipe<config, Lower, Diagonals, Weights>>(what, tree, weighted<k>, lower_triangle);
}

}  // namespace

int main() {
  constexpr Sm90Config cooperative{.out = Element::f32, .tile_n = 64, .stages = 3};
  run_all<cooperative>("own parts, cooperative");
  constexpr Sm90Config ping_pong{
      .out = Element::f32, .tile_n = 64, .stages = 3, .cluster_m = 2, .roles = Roles::ping_pong};
  run_all<ping_pong>("own parts, ping-pong in clusters");
  std::puts("ok");
}
