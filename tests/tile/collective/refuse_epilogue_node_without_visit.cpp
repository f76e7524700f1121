// expect: Node::visit(params, state, sums, place, extent)
// A node of a tree has to say what becomes of a patch.
#include "tile/collective/epilogue_tree.hpp"

struct Mute : tile::Stateless {
  struct Params {};
};

struct Wrong : tile::Relu<Mute> {};
