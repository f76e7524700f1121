// expect: StoreOfMajor<aisp::tile::Store::direct, aisp::tile::Major::mn>
// Threads store rows; a transposed output needs staging.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.out_major = tile::Major::mn, .store = tile::Store::direct};
static_assert(tile::admitted<config>);
