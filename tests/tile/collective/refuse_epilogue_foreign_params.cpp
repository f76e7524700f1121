// expect: const aisp::tile::Unary<aisp::tile::Accumulator, aisp::tile::detail::Rectified>::Params&
// The parameters of one tree given to another.
#include "tile/collective/epilogue/nodes.hpp"

using namespace aisp;

using namespace tile;

void wrong(const Scaled<Accumulator>::Params& params, Relu<Accumulator>::State& state) {
  Relu<Accumulator>::visit(params, state, EpilogueFragment<float>{}, OutputCoord{}, Extent{});
}
