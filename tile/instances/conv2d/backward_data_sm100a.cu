// Gradients of x on Blackwell, bf16 and f16.
#include "tile/instances/conv2d/recipes_sm100.cuh"

namespace aisp::tile::device {
namespace {

template <Types types>
struct Tcgen05Data256x128 : Tcgen05BackwardData<shaped(types, shape::tcgen05_256x128_pair)> {
  static constexpr const char* name = "data_tcgen05_256x128_pair";
};
template <Types types>
struct Tcgen05Data128x64 : Tcgen05BackwardData<shaped(types, shape::tcgen05_128x64)> {
  static constexpr const char* name = "data_tcgen05_128x64";
};

}  // namespace

void add_conv2d_backward_data_sm100(ConvTable& table) {
  add_data<Tcgen05Data256x128<types::bf16_b_mn>, Tcgen05Data128x64<types::bf16_b_mn>>(table);
  add_data<Tcgen05Data256x128<types::f16_b_mn>, Tcgen05Data128x64<types::f16_b_mn>>(table);
}

}  // namespace aisp::tile::device
