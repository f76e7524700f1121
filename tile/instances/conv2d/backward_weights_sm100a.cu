// Gradients of filters on Blackwell, bf16 and f16. Tiles are few and their sums long, and no recipe
// splits a sum: narrow tiles give more SMs one.
#include "tile/instances/conv2d/recipes_sm100.cuh"

namespace aisp::tile::device {
namespace {

constexpr Sm100Config weights_256x128_pair{
    .tile_m = 256, .tile_n = 128, .stages = 6, .cta_group = 2, .store = Store::direct};
constexpr Sm100Config weights_128x64{.tile_n = 64, .stages = 8, .store = Store::direct};

template <Types types>
struct Tcgen05Weights256x128
    : Tcgen05BackwardWeights<shaped(types, weights_256x128_pair), Persistent> {
  static constexpr const char* name = "weights_tcgen05_256x128_pair";
};
template <Types types>
struct Tcgen05Weights128x64 : Tcgen05BackwardWeights<shaped(types, weights_128x64), Persistent> {
  static constexpr const char* name = "weights_tcgen05_128x64";
};

}  // namespace

void add_conv2d_backward_weights_sm100(ConvTable& table) {
  add_weights<Tcgen05Weights256x128<types::bf16_both_mn>,
              Tcgen05Weights128x64<types::bf16_both_mn>>(table);
  add_weights<Tcgen05Weights256x128<types::f16_both_mn>, Tcgen05Weights128x64<types::f16_both_mn>>(
      table);
}

}  // namespace aisp::tile::device
