// expect: const tile::Unary<tile::Accumulator, tile::detail::Rectified>::Params&
// The parameters of one tree given to another.
#include "tile/collective/epilogue_nodes.hpp"

using namespace tile;

void wrong(const Scaled<Accumulator>::Params& params, Relu<Accumulator>::State& state) {
  Relu<Accumulator>::visit(params, state, Patch<float>{}, Place{}, Extent{});
}
