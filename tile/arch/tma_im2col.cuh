// Copies of image pixels for a convolution, done by TMA: it walks over the pixels at
// which the filter is laid, row by row and image by image, and brings some channels of each.
#pragma once

#include "tile/arch/tma.cuh"

namespace aisp::tile::arch {

// Where the first pixel lies: of the images, the pixel that the filter's first tap meets.
struct ImageCoord {
  int channel = 0, column = 0, row = 0, image = 0;
};
// From the filter's first tap to the one whose pixels are wanted.
struct TapOffset {
  std::uint16_t columns = 0, rows = 0;
};

// As many pixels as the map says, from `first` on and each shifted by `offset`. Where the filter
// reaches the end of a row of the map's box it goes on in the next row, then in the next image.
// Pixels outside the images become zeros.
TILE_DEVICE void tma_load_im2col(void* to, const CUtensorMap* map, MBarrier* barrier,
                                 ImageCoord first, TapOffset offset,
                                 CacheHint hint = CacheHint::normal) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8}, %9;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(first.channel), "r"(first.column), "r"(first.row),
      "r"(first.image), "h"(offset.columns), "h"(offset.rows), "l"(static_cast<std::uint64_t>(hint))
      : "memory");
}

// Shared memory -> as many pixels as the map says, from `first` on, in the same order. Those of
// images that do not exist are dropped.
TILE_DEVICE void tma_store_im2col(const CUtensorMap* map, const void* from, ImageCoord first) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group"
      " [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(first.channel), "r"(first.column), "r"(first.row),
      "r"(first.image)
      : "memory");
}

}  // namespace aisp::tile::arch
