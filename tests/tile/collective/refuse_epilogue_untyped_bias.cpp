// expect: could not convert
// Memory without a type has to say which element it holds: untyped().
#include "tile/collective/epilogue/nodes.hpp"

using namespace aisp;

using Tree = tile::Add<tile::Accumulator, tile::ColumnVector<tile::Element::bf16>>;
Tree::Params with(const void* bias) { return {.right = {.data = bias}}; }
