// Gradients of filters, bf16 and f16. Tiles of 192 columns: those of 3 x 3 taps and 64 channels are
// three of them.
#include "tile/instances/conv2d/recipes.cuh"

namespace aisp::tile::device {
namespace {

constexpr Sm90Config cooperative_128x192{.tile_n = 192, .stages = 5, .store = Store::direct};
constexpr Sm90Config single_64x192{
    .tile_m = 64, .tile_n = 192, .stages = 6, .math_warpgroups = 1, .store = Store::direct};

// Few filters.
template <Types types>
struct Weights64x192 : BackwardWeights<shaped(types, single_64x192), SplitKScatter> {
  static constexpr const char* name = "weights_split_k_64x192";
};
template <Types types>
struct Weights128x192 : BackwardWeights<shaped(types, cooperative_128x192), SplitKScatter> {
  static constexpr const char* name = "weights_split_k_128x192";
};

}  // namespace

void add_conv2d_backward_weights(ConvTable& table) {
  add_weights<Weights64x192<types::bf16_both_mn>, Weights128x192<types::bf16_both_mn>>(table);
  add_weights<Weights64x192<types::f16_both_mn>, Weights128x192<types::f16_both_mn>>(table);
}

}  // namespace aisp::tile::device
