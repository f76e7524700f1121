// One box of a tensor between global and shared memory, for maps of every rank. The library has
// those that it needs; these are the others, and one name for all.
#pragma once

#include "tile/arch/tma.cuh"
#include "tile/arch/tma_im2col.cuh"

namespace aisp::ch14 {

namespace arch = tile::arch;

template <int rank>
struct BoxPlace {
  int at[rank];  // elements, the contiguous index first
};

TILE_DEVICE void load_box(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                          BoxPlace<1> place) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3}], [%2];" ::"r"(arch::shared_address(to)),
      "l"(map), "r"(arch::shared_address(barrier)), "r"(place.at[0])
      : "memory");
}
TILE_DEVICE void load_box(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                          BoxPlace<2> place) {
  arch::tma_load(to, map, barrier, place.at[0], place.at[1]);
}
TILE_DEVICE void load_box(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                          BoxPlace<3> place) {
  arch::tma_load(to, map, barrier, place.at[0], place.at[1], place.at[2]);
}
TILE_DEVICE void load_box(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                          BoxPlace<4> place) {
  arch::tma_load(to, map, barrier, place.at[0], place.at[1], place.at[2], place.at[3]);
}
TILE_DEVICE void load_box(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                          BoxPlace<5> place) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(arch::shared_address(to)),
      "l"(map), "r"(arch::shared_address(barrier)), "r"(place.at[0]), "r"(place.at[1]),
      "r"(place.at[2]), "r"(place.at[3]), "r"(place.at[4])
      : "memory");
}

TILE_DEVICE void store_box(const CUtensorMap* map, const void* from, BoxPlace<1> place) {
  asm volatile(
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%2}], [%1];" ::"l"(map),
      "r"(arch::shared_address(from)), "r"(place.at[0])
      : "memory");
}
TILE_DEVICE void store_box(const CUtensorMap* map, const void* from, BoxPlace<2> place) {
  arch::tma_store(map, from, place.at[0], place.at[1]);
}
TILE_DEVICE void store_box(const CUtensorMap* map, const void* from, BoxPlace<3> place) {
  arch::tma_store(map, from, place.at[0], place.at[1], place.at[2]);
}
TILE_DEVICE void store_box(const CUtensorMap* map, const void* from, BoxPlace<4> place) {
  arch::tma_store(map, from, place.at[0], place.at[1], place.at[2], place.at[3]);
}
TILE_DEVICE void store_box(const CUtensorMap* map, const void* from, BoxPlace<5> place) {
  asm volatile(
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group"
      " [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
      "r"(arch::shared_address(from)), "r"(place.at[0]), "r"(place.at[1]), "r"(place.at[2]),
      "r"(place.at[3]), "r"(place.at[4])
      : "memory");
}

// Pixels for the middle tap of a filter of three in every direction, which are the pixels that the
// walk is at. Channel, then pixel, then image.
inline constexpr int middle_tap = 1;

TILE_DEVICE void load_pixels(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                             BoxPlace<3> place) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4, %5}], [%2], {%6};" ::"r"(arch::shared_address(to)),
      "l"(map), "r"(arch::shared_address(barrier)), "r"(place.at[0]), "r"(place.at[1]),
      "r"(place.at[2]), "h"(std::uint16_t{middle_tap})
      : "memory");
}
TILE_DEVICE void load_pixels(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                             BoxPlace<4> place) {
  arch::tma_load_im2col(to, map, barrier, {place.at[0], place.at[1], place.at[2], place.at[3]},
                        {middle_tap, middle_tap});
}
TILE_DEVICE void load_pixels(void* to, const CUtensorMap* map, arch::MBarrier* barrier,
                             BoxPlace<5> place) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %8, %8};" ::"r"(arch::shared_address(to)),
      "l"(map), "r"(arch::shared_address(barrier)), "r"(place.at[0]), "r"(place.at[1]),
      "r"(place.at[2]), "r"(place.at[3]), "r"(place.at[4]), "h"(std::uint16_t{middle_tap})
      : "memory");
}

}  // namespace aisp::ch14
