// Host side of the grouped schedule: records from the sizes of the products.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/refuse.hpp"
#include "tile/schedule/grouped.hpp"

namespace aisp::tile {

struct ProductSize {
  std::int64_t m = 0, n = 0, k = 0;  // elements
};

struct GroupRecords {
  std::vector<GroupTiles> groups{};
  int tiles = 0;  // of all groups

  // `groups_on_device` holds a copy of `groups`.
  Grouped::Params params(const GroupTiles* groups_on_device, Raster raster) const {
    return {groups_on_device, static_cast<int>(groups.size()), tiles, raster};
  }
};

// `tile` is the cluster's tile (m, n, k) in elements.
inline GroupRecords group_records(std::span<const ProductSize> sizes, ProductSize tile) {
  if (tile.m < 1 || tile.n < 1 || tile.k < 1)
    base::refuse(base::Exit::usage, "a tile of ", tile.m, 'x', tile.n, 'x', tile.k,
                 " holds nothing; every extent must be at least 1");
  const auto tiles = [](std::int64_t extent, std::int64_t tile) {
    return extent / tile + (extent % tile != 0);
  };
  // Half of what an int holds: a cluster's last step must not leave it.
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
  GroupRecords records;
  std::int64_t first = 0;
  for (const ProductSize& size : sizes) {
    if (size.m < 0 || size.n < 0 || size.k < 0)
      base::refuse(base::Exit::usage, "group ", records.groups.size(),
                   " has a negative extent: ", size.m, 'x', size.n, 'x', size.k,
                   "; an empty group has extent 0");
    const std::int64_t m = tiles(size.m, tile.m), n = tiles(size.n, tile.n);
    const std::int64_t k = tiles(size.k, tile.k);
    if (m > most || n > most || k > most || (m > 0 && n > (most - first) / m))
      base::refuse(base::Exit::usage, "group ", records.groups.size(), " of ", m, 'x', n, 'x', k,
                   " tiles after ", first, " others: more than ", most,
                   "; use larger tiles or several launches");
    records.groups.push_back({.first_tile = static_cast<int>(first),
                              .m = static_cast<int>(m),
                              .n = static_cast<int>(n),
                              .k_blocks = static_cast<int>(k)});
    first += m * n;
  }
  records.tiles = static_cast<int>(first);
  return records;
}

}  // namespace aisp::tile
