// expect: Node::visit(params, state, accumulators, coord, extent)
// A node of a tree has to say what becomes of a fragment.
#include "tile/collective/epilogue/tree.hpp"

using namespace aisp;

struct Mute : tile::Stateless {
  struct Params {};
};

struct Wrong : tile::Relu<Mute> {};
