// expect: PointsTo<aisp::tile::Element::bf16, float>
// An f32 bias for a node that reads bf16.
#include "tile/collective/epilogue/nodes.hpp"

using namespace aisp;

using Tree = tile::Silu<tile::Add<tile::Accumulator, tile::ColumnVector<tile::Element::bf16>>>;
Tree::Params with(const float* bias) { return {.of = {.right = {.data = bias}}}; }
