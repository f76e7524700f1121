// expect: store f32 where tf32 is read
// Nothing is stored as tf32.
#include "tile/collective/epilogue/nodes.hpp"

using namespace aisp;

using namespace tile;
using Wrong = AuxStore<Element::tf32, Accumulator>;

void wrong(const Wrong::Params& params, Wrong::State& state) {
  Wrong::visit(params, state, EpilogueFragment<float>{}, OutputCoord{}, Extent{});
}
