// GEMMs of different sizes in one launch: one kernel for each type.
#include "tile/device/gemm/grouped.cuh"
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {
namespace {

// Groups may have few rows: two blocks side by side along n waste none of them.
constexpr Sm90Config shape_of_groups{
    .tile_n = 128, .stages = 6, .cluster_n = 2, .roles = Roles::ping_pong};

template <Types types>
struct PingPong128x128Grouped
    : Sm90GroupedRecipe<shaped(types, shape_of_groups), Linear<types.out>> {
  static constexpr const char* name = "ping_pong_128x128_grouped";
};

}  // namespace

void add_grouped_sm90(GroupedTable& table) {
  add_grouped<PingPong128x128Grouped<types::bf16>, PingPong128x128Grouped<types::f16>,
              PingPong128x128Grouped<types::e4m3_to_bf16>>(table);
}

}  // namespace aisp::tile::device
