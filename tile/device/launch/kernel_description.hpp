// What the host knows of a compiled kernel, whatever its architecture. The planner admits problems,
// estimates times and reports by this description alone; the kernel's own configuration stays in
// the translation unit that instantiates it.
#pragma once

#include <string>

#include "tile/collective/epilogue/activation.hpp"
#include "tile/collective/gemm_config_sm100.hpp"
#include "tile/collective/gemm_config_sm80.hpp"
#include "tile/collective/gemm_config_sm90.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile::device {

using tile::ScheduleKind;

// Fastest first: the planner takes the first family that has a kernel for the problem.
enum class Family {
  sm100,    // TMA and tcgen05
  sm90,     // TMA and wgmma
  sm80,     // cp.async and mma.sync: aligned operands, sm_80 and later
  general,  // any strides and alignment
};

// What an epilogue computes besides storing the accumulators.
struct EpilogueAbilities {
  bool alpha = true;
  bool c = true;  // adds beta C
  BiasAlong bias = BiasAlong::none;
  bool activation = false;  // any of Activation, selected at the launch

  constexpr bool operator==(const EpilogueAbilities&) const = default;
};

struct KernelDescription {
  std::string
      name{};  // no blanks: it is a word of the tuned file; kernels of one name share a shape
  Family family = Family::sm90;
  ScheduleKind schedule = ScheduleKind::whole_tiles;
  EpilogueAbilities epilogue{};
  Element a = Element::bf16, b = Element::bf16, out = Element::bf16;
  Major a_major = Major::k, b_major = Major::k;
  Major out_major = Major::k;  // mn: D is stored transposed
  Scaling scaling = Scaling::none, out_scaling = Scaling::none;
  // The tile of a block, or of the cta_group blocks that compute one together.
  int tile_m = 128, tile_n = 128, tile_k = 64, stages = 4;
  int cta_group = 1;
  int cluster_m = 1, cluster_n = 1;  // tiles that share copies of B, of A
  int math_warpgroups = 2;           // sm90: warpgroups that issue wgmma
  bool ping_pong = false;            // sm90: each of them has a tile of its own
  bool tma_store = true;             // else from registers
  // A cluster starts for every tile, or slice of one, and takes no further ones.
  bool block_per_tile = false;
  int b_panel = 0;  // elements across one swizzled panel of B in shared memory
  int threads = 0, shared_bytes = 0;

  int blocks() const { return cta_group * cluster_m * cluster_n; }  // of a cluster
  bool uses_tma() const { return family == Family::sm100 || family == Family::sm90; }
};

inline KernelDescription description_of(const Sm90Config& c) {
  return {.family = Family::sm90,
          .a = c.a,
          .b = c.b,
          .out = c.out,
          .a_major = c.a_major,
          .b_major = c.b_major,
          .out_major = c.out_major,
          .tile_m = c.tile_m,
          .tile_n = c.tile_n,
          .tile_k = c.tile_k,
          .stages = c.stages,
          .cluster_m = c.cluster_m,
          .cluster_n = c.cluster_n,
          .math_warpgroups = c.math_warpgroups,
          .ping_pong = c.roles == Roles::ping_pong,
          .tma_store = c.store == Store::tma,
          .b_panel = c.b_tile().panel_width(),
          .threads = c.threads(),
          .shared_bytes = c.shared_bytes()};
}

inline KernelDescription description_of(const Sm100Config& c) {
  return {.family = Family::sm100,
          .a = c.a,
          .b = c.b,
          .out = c.out,
          .a_major = c.a_major,
          .b_major = c.b_major,
          .scaling = c.scaling,
          .out_scaling = c.out_scaling,
          .tile_m = c.tile_m,
          .tile_n = c.tile_n,
          .tile_k = c.tile_k,
          .stages = c.stages,
          .cta_group = c.cta_group,
          .cluster_m = c.cluster_m,
          .cluster_n = c.cluster_n,
          .math_warpgroups = 0,
          .tma_store = c.store == Store::tma,
          .b_panel = c.b_tile().panel_width(),
          .threads = c.threads(),
          .shared_bytes = c.shared_bytes()};
}

// mma.sync kernels state their elements beside their configuration.
inline KernelDescription description_of(Family family, const Sm80Config& c, Element a, Element b,
                                        Element out) {
  return {.family = family,
          .a = a,
          .b = b,
          .out = out,
          .a_major = c.a_major,
          .b_major = c.b_major,
          .tile_m = c.tile_m,
          .tile_n = c.tile_n,
          .tile_k = c.tile_k,
          .stages = c.stages,
          .math_warpgroups = 0,
          .tma_store = false,
          .threads = c.threads(),
          .shared_bytes = family == Family::sm80 ? c.shared_bytes(a) : 0};
}

}  // namespace aisp::tile::device
