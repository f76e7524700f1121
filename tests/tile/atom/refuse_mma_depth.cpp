// expect: MmaSyncShape<aisp::tile::Element::bf16, 12>
// mma.sync takes 16 or 32 bytes of k of 16-bit elements, not 24.
#include "tile/atom/mma_sm80.hpp"

using namespace aisp;

constexpr int registers = tile::MmaSync<tile::Element::bf16, 12>::a_registers;
