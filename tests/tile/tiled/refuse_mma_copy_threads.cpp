// expect: CopyThreads<256, 64, 2>
// 256 threads copy 4 lines of 1024 bytes at once, the tile has 2.
#include "tile/tiled/tiled_copy.hpp"

using namespace aisp;

constexpr tile::OperandTile wide{
    .element = tile::Element::f32, .major = tile::Major::mn, .rows = 256, .k = 2};
constexpr int count = tile::CopyPlan<wide, 256>::count;
