// Gradients of x, bf16 and f16.
#include "tile/instances/conv2d/recipes.cuh"

namespace aisp::tile::device {
namespace {

template <Types types>
struct Data128x256 : BackwardData<shaped(types, shape::cooperative_128x256_pair)> {
  static constexpr const char* name = "data_128x256_pair";
};
template <Types types>
struct Data128x128 : BackwardData<shaped(types, shape::ping_pong_128x128_pair)> {
  static constexpr const char* name = "data_128x128_pair";
};
template <Types types>
struct Data256x64 : BackwardData<shaped(types, shape::ping_pong_256x64)> {
  static constexpr const char* name = "data_256x64";
};

}  // namespace

void add_conv2d_backward_data(ConvTable& table) {
  add_data<Data128x256<types::bf16_b_mn>, Data128x128<types::bf16_b_mn>,
           Data256x64<types::bf16_b_mn>>(table);
  add_data<Data128x256<types::f16_b_mn>, Data128x128<types::f16_b_mn>, Data256x64<types::f16_b_mn>>(
      table);
}

}  // namespace aisp::tile::device
