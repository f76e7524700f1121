// What an Sm100Config must keep, said as the rules of Sm90Config are: the first broken rule speaks,
// with the numbers as its template arguments, and nothing else.
#pragma once

#include "tile/collective/gemm_config_sm100.hpp"
#include "tile/collective/rules.hpp"

namespace aisp::tile {

namespace rules {

template <int tile_m, int tile_n, int tile_k, int stages, int cluster_m, int cluster_n,
          int accumulators, int out_buffers, int residents>
struct Tcgen05Counts {
  static constexpr bool kept = tile_m > 0 && tile_n > 0 && tile_k > 0 && stages > 0 &&
                               cluster_m > 0 && cluster_n > 0 && accumulators > 0 &&
                               out_buffers > 0 && residents > 0;
  struct Said {
    static_assert(kept,
                  "tile_m, tile_n, tile_k, stages, cluster_m, cluster_n, accumulators, out_buffers "
                  "and residents must each be at least 1");
  };
};
template <Element a, Element b, Scaling scaling>
struct Tcgen05Elements {
  static constexpr bool kept = scaling == Scaling::none
                                   ? tcgen05_multiplies(a, b)
                                   : tcgen05_scales(a, scaling) && tcgen05_scales(b, scaling);
  struct Said {
    static_assert(kept, "tcgen05.mma has no product of these two elements with these scales");
  };
};
template <Element element, Major major>
struct Tcgen05Major {
  static constexpr bool kept =
      major == Major::k || (bytes_of(element) <= 2 && bits_of(element) >= 8);
  struct Said {
    static_assert(kept, "MN-major operands are of 8 or 16 bits; others use Major::k");
  };
};

// With block scales: 128 rows in each block, columns that begin with a column of the scales, whole
// groups of four scales, and of elements that copies give a byte of their own 128 at a time.
template <bool scaled, int block_m, int tile_n, int tile_k, int k_of_group>
struct Tcgen05Scales {
  static constexpr bool kept =
      !scaled || (block_m == 128 && tile_n % 32 == 0 && tile_k % k_of_group == 0);
  struct Said {
    static_assert(kept,
                  "with block scales a block has 128 rows (tile_m 128, or 256 in a pair), tile_n "
                  "is a multiple of 32 and tile_k one of k_of_group");
  };
};
template <bool scaled, Store store, int columns, int k_of_group>
struct Tcgen05ScaledOutput {
  static constexpr bool kept = !scaled || (store == Store::direct && columns % k_of_group == 0);
  struct Said {
    static_assert(kept,
                  "an output with block scales is stored from registers (Store::direct), and "
                  "tile_n is a multiple of the elements of four scales");
  };
};
TILE_FN int scaled_k(const Sm100Config& c) {
  const bool widened = c.scaled() && !c.packs() && (bits_of(c.a) < 8 || bits_of(c.b) < 8);
  return widened ? 128 : scales_in_group * scaled_together(c.scaling);
}
template <int tile_m, int cta_group>
struct Tcgen05TileM {
  static constexpr bool kept =
      (cta_group == 1 || cta_group == 2) && tcgen05_has_m(tile_m, cta_group);
  struct Said {
    static_assert(kept,
                  "tile_m is the m of tcgen05.mma: 64 or 128 in one block (cta_group 1), 128 or "
                  "256 in a pair (cta_group 2)");
  };
};
template <int tile_n, int step>
struct Tcgen05TileN {
  static constexpr bool kept = tile_n % step == 0 && tile_n <= 256;
  struct Said {
    static_assert(kept, "tile_n is the n of tcgen05.mma: a multiple of step, at most 256");
  };
};
// A block waits for its columns: those of all that are to run at once must be there.
template <int residents, int allocation, int columns>
struct Tcgen05Residents {
  static constexpr bool kept = residents * allocation <= columns;
  struct Said {
    static_assert(kept,
                  "residents * columns that a block allocates (a power of two) exceed tensor "
                  "memory: fewer residents or accumulators");
  };
};

// Of the main loop that multiplies from tensor memory, and of the others.
template <bool a_in_tmem, bool reads_tmem>
struct AInTmem {
  static constexpr bool kept = a_in_tmem == reads_tmem;
  struct Said {
    static_assert(kept, "Sm100Config::a_in_tmem goes with Tcgen05CopiedA, and only with it");
  };
};

// 8-bit elements along n: steps of 16 in one block, of 32 in a pair.
TILE_FN int tcgen05_tile_step(const Sm100Config& c) {
  const int step = tcgen05_step_n(tcgen05_kind(c.b), c.tile_m, c.cta_group);
  const bool narrow = bytes_of(c.b) == 1 && c.b_major == Major::mn;
  return narrow && step < 16 * c.cta_group ? 16 * c.cta_group : step;
}

template <bool speaks, Sm100Config c, int budget>
TILE_FN bool sm100_rules_kept() {
  using Positive = Tcgen05Counts<c.tile_m, c.tile_n, c.tile_k, c.stages, c.cluster_m, c.cluster_n,
                                 c.accumulators, c.out_buffers, c.residents>;
  using Rows = Tcgen05TileM<c.tile_m, c.cta_group>;
  if constexpr (!Positive::kept || !Rows::kept)
    return kept<speaks, Positive, Rows>();
  else
    return kept<speaks, Tcgen05Elements<c.a, c.b, c.scaling>,
                Tcgen05Scales<c.scaled(), c.block_m(), c.tile_n, c.tile_k, scaled_k(c)>,
                Tcgen05ScaledOutput<c.out_scaling != Scaling::none, c.store, c.part(0).columns,
                                    scales_in_group * scaled_together(c.out_scaling)>,
                Tcgen05Major<c.a, c.a_major>, Tcgen05Major<c.b, c.b_major>,
                Tcgen05TileN<c.tile_n, tcgen05_tile_step(c)>, TileK<c.tile_k, 32 / bytes_of(c.b)>,
                Panels<c.a_tile().line_bytes(), width_of(c.a_tile().swizzle)>,
                Panels<c.b_tile().line_bytes(), width_of(c.b_tile().swizzle)>,
                ClusterSize<c.cta_group * c.cluster_m, c.cluster_n>,
                MulticastParts<c.a_tile().lines(), 8 * c.cluster_n>,
                MulticastParts<c.b_tile().lines(), 8 * c.cluster_m>,
                TmemFits<c.tmem().end(), tmem_columns>,
                Tcgen05Residents<c.residents, c.tmem().allocation(), tmem_columns>,
                SharedMemory<c.shared_bytes(), budget / c.residents>>();
}

}  // namespace rules

// True, or the compile ends with the first broken rule and its numbers. `budget` is what one block
// of a Blackwell multiprocessor may have.
template <Sm100Config config, int budget = arch::limits_of(100).shared_per_block>
constexpr bool sm100_admitted = rules::sm100_rules_kept<true, config, budget>();

// The same question, asked silently.
template <Sm100Config config>
constexpr bool sm100_keeps_rules =
    rules::sm100_rules_kept<false, config, arch::limits_of(100).shared_per_block>();

// What the sizes of a block's members come from: where the configuration is refused, one from which
// nothing else can be wrong.
template <Sm100Config config>
constexpr Sm100Config sm100_sizes_from = sm100_keeps_rules<config> ? config : Sm100Config{};

}  // namespace aisp::tile
