// Where the output tiles go.
#pragma once

#include "tile/collective/epilogue/tree.hpp"
#include "tile/collective/load/operand_maps.cuh"

namespace aisp::tile {

// Which of an output's maps a subtile uses: subtiles are powers of two wide, the widest has number
// 0.
template <class Config>
TILE_FN int map_number(const Config& config, const OperandTile& subtile) {
  int number = 0;
  for (int columns = config.widest_subtile(); columns > subtile.k; columns /= 2) ++number;
  return number;
}

// Of one product or a batch of equal ones.
struct BatchOutput {
  CUtensorMap maps[4];  // Store::tma: for subtiles of each width
  void* data = nullptr;
  std::int64_t stride = 0, batch_stride = 0;  // Store::direct: of rows, in elements
  Extent extent{};

  TILE_DEVICE Extent enter(int) const { return extent; }
  template <class Config>
  TILE_DEVICE const CUtensorMap* map(int, const Config& config, const OperandTile& subtile) const {
    return &maps[map_number(config, subtile)];
  }
  TILE_DEVICE static int depth(int batch) { return batch; }
};

// Of products of different sizes.
struct GroupOutput {
  const ProductMaps* products;
  const Extent* extents;

  TILE_DEVICE Extent enter(int group) const {
    for (const CUtensorMap& map : products[group].out) arch::acquire_tensor_map(&map);
    return extents[group];
  }
  template <class Config>
  TILE_DEVICE const CUtensorMap* map(int group, const Config& config,
                                     const OperandTile& subtile) const {
    return &products[group].out[map_number(config, subtile)];
  }
  TILE_DEVICE static int depth(int) { return 0; }
};

}  // namespace aisp::tile
