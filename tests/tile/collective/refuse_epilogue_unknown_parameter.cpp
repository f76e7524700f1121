// expect: has no non-static data member named
// A sum has a left and a right side; neither is called bias.
#include "tile/collective/epilogue/nodes.hpp"

using namespace aisp;

using namespace tile;

const Add<Accumulator, ColumnVector<Element::bf16>>::Params wrong{.bias = {}};
