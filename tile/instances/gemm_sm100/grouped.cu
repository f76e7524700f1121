// Blackwell, GEMMs of different sizes in one launch: one kernel for each type.
#include "tile/device/gemm/grouped.cuh"
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {
namespace {

// Groups may have few rows: one block for a tile wastes the fewest.
template <Types types>
struct Tcgen05Tile128x128Grouped
    : Sm100GroupedRecipe<shaped(types, shape::tcgen05_128x128), Linear<types.out>> {
  static constexpr const char* name = "tcgen05_128x128_grouped";
};

}  // namespace

void add_grouped_sm100(GroupedTable& table) {
  add_grouped<Tcgen05Tile128x128Grouped<types::bf16>, Tcgen05Tile128x128Grouped<types::f16>,
              Tcgen05Tile128x128Grouped<types::e4m3_to_bf16>>(table);
}

}  // namespace aisp::tile::device
