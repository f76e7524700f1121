// What a problem can ask an epilogue to compute at run time.
#pragma once

namespace aisp::tile {

enum class Activation { none, relu, gelu, silu };  // gelu is the tanh form

// Which index of D selects the element of a bias vector.
enum class BiasAlong { none, columns, rows };

}  // namespace aisp::tile
