// What a Sm90Config must keep. Every building block that takes a configuration asks for it
// (`admitted`), so that a wrong one does not compile, whichever block meets it first. The message
// holds the numbers: each rule has them as template arguments, which the compiler prints. The first
// broken rule is the only one that speaks, and blocks leave their bodies out where one is broken:
// what would follow from it is noise.
#pragma once

#include "tile/arch/limits.hpp"
#include "tile/collective/gemm_config_sm90.hpp"
#include "tile/collective/rules.hpp"

namespace aisp::tile {

namespace rules {

template <int tile_m, int tile_n, int tile_k, int stages, int cluster_m, int cluster_n,
          int math_warpgroups, int out_buffers>
struct Counts {
  static constexpr bool kept = tile_m > 0 && tile_n > 0 && tile_k > 0 && stages > 0 &&
                               cluster_m > 0 && cluster_n > 0 && math_warpgroups > 0 &&
                               out_buffers > 0;
  struct Said {
    static_assert(kept,
                  "tile_m, tile_n, tile_k, stages, cluster_m, cluster_n, math_warpgroups and "
                  "out_buffers must each be at least 1");
  };
};
template <Element a, Element b>
struct ElementPair {
  static constexpr bool fp8(Element e) { return e == Element::e4m3 || e == Element::e5m2; }
  static constexpr bool kept = (a == b && a != Element::f32 && a != Element::s32) ||
                               (fp8(a) && fp8(b)) ||
                               (bytes_of(a) == 1 && (b == Element::bf16 || b == Element::f16));
  struct Said {
    static_assert(kept, "wgmma has no product of these two elements");
  };
};
template <Element element, Major major>
struct MajorOfElement {
  static constexpr bool kept = major == Major::k || bytes_of(element) == 2;
  struct Said {
    static_assert(kept, "wgmma reads MN-major operands of 16-bit elements only; use Major::k");
  };
};
template <int math_warpgroups>
struct PingPong {
  static constexpr bool kept = math_warpgroups == 2;
  struct Said {
    static_assert(kept, "in Roles::ping_pong two math warpgroups take turns: math_warpgroups = 2");
  };
};
template <int tile_m, int rows_per_warpgroup>
struct TileM {
  static constexpr bool kept = rows_per_warpgroup >= 64 && rows_per_warpgroup % 64 == 0;
  struct Said {
    static_assert(kept,
                  "each math warpgroup needs a multiple of 64 rows of tile_m, the m of wgmma");
  };
};
template <int tile_n>
struct TileN {
  static constexpr bool kept =
      tile_n >= 8 && tile_n <= 256 && (tile_n % 16 == 0 || tile_n == 8 || tile_n == 24);
  struct Said {
    static_assert(kept,
                  "tile_n must be 8, 24 or a multiple of 16 and at most 256, an n of one wgmma");
  };
};
template <int loader_registers, int math_registers>
struct RegisterSteps {
  static constexpr bool one(int registers) {
    return registers >= 24 && registers <= 256 && registers % 8 == 0;
  }
  static constexpr bool kept = one(loader_registers) && one(math_registers);
  struct Said {
    static_assert(kept,
                  "loader_registers and math_registers are multiples of 8 from 24 to 256, as "
                  "setmaxnreg takes them");
  };
};
template <int threads>
struct Threads {
  static constexpr bool kept = threads <= arch::limits_of(90).threads_per_block;
  struct Said {
    static_assert(kept, "a block has at most 1024 threads, 128 of them load: math_warpgroups <= 7");
  };
};
template <int registers, int of_multiprocessor>
struct Registers {
  static constexpr bool kept = registers <= of_multiprocessor;
  struct Said {
    static_assert(kept,
                  "loader_registers + math_warpgroups * math_registers exceed the registers that a "
                  "block may have");
  };
};
template <int accumulators, int registers>
struct AccumulatorsFit {
  static constexpr bool kept = accumulators + 24 <= registers;
  struct Said {
    static_assert(kept,
                  "the accumulators of a thread do not fit its registers: lower tile_m or tile_n");
  };
};
template <Store store, Major out_major>
struct StoreOfMajor {
  static constexpr bool kept = store == Store::tma || out_major == Major::k;
  struct Said {
    static_assert(kept, "a transposed output is stored by TMA; use Store::tma");
  };
};

// Of main loops that release a slot when the products of the next one are issued.
template <int stages>
struct StagesAhead {
  static constexpr bool kept = stages >= 2;
  struct Said {
    static_assert(kept, "a slot is released behind the next one: a ring of at least 2 stages");
  };
};
// Of the main loop that collects accumulators, and of the others.
template <bool promote, bool collects>
struct Promotes {
  static constexpr bool kept = promote == collects;
  struct Said {
    static_assert(kept, "Sm90Config::promote goes with PromotedAccumulators, and only with it");
  };
};
// Of the main loop that widens A in registers.
template <Element a, Element b>
struct NarrowA {
  static constexpr bool kept = bytes_of(a) == 1 && bytes_of(b) == 2;
  struct Said {
    static_assert(kept, "RegisterOperand multiplies an A of 8 bits by a B of 16");
  };
};
// Of products whose operands both lie in shared memory.
template <Element a, Element b>
struct EqualWidths {
  static constexpr bool kept = bytes_of(a) == bytes_of(b);
  struct Said {
    static_assert(kept,
                  "wgmma reads operands of one width from shared memory; a narrow A is widened in "
                  "registers: RegisterOperand");
  };
};

template <bool speaks, Sm90Config c, int budget>
TILE_FN bool gemm_rules_kept() {
  using Positive = Counts<c.tile_m, c.tile_n, c.tile_k, c.stages, c.cluster_m, c.cluster_n,
                          c.math_warpgroups, c.out_buffers>;
  if constexpr (!Positive::kept)
    return kept<speaks, Positive>();
  else
    return kept<speaks, ElementPair<c.a, c.b>, MajorOfElement<c.a, c.a_major>,
                MajorOfElement<c.b, c.b_major>,
                PingPong<c.roles == Roles::ping_pong ? c.math_warpgroups : 2>,
                TileM<c.tile_m, c.rows_of_warpgroup()>, TileN<c.tile_n>,
                TileK<c.tile_k, 32 / bytes_of(c.b)>,
                Panels<c.a_tile().line_bytes(), width_of(c.a_tile().swizzle)>,
                Panels<c.b_tile().line_bytes(), width_of(c.b_tile().swizzle)>,
                ClusterSize<c.cluster_m, c.cluster_n>,
                MulticastParts<c.a_tile().lines(), 8 * c.cluster_n>,
                MulticastParts<c.b_tile().lines(), 8 * c.cluster_m>, Threads<c.threads()>,
                RegisterSteps<c.loader_registers, c.math_registers>,
                Registers<c.block_registers(), arch::limits_of(90).registers_per_block>,
                AccumulatorsFit<c.accumulators(), c.math_registers>,
                StoreOfMajor<c.store, c.out_major>, SharedMemory<c.shared_bytes(), budget>>();
}

}  // namespace rules

// True, or the compile ends with the first broken rule and its numbers. `budget` is what one block
// of a Hopper multiprocessor may have.
template <Sm90Config config, int budget = arch::limits_of(90).shared_per_block>
constexpr bool admitted = rules::gemm_rules_kept<true, config, budget>();

// The same question, asked silently.
template <Sm90Config config>
constexpr bool keeps_rules =
    rules::gemm_rules_kept<false, config, arch::limits_of(90).shared_per_block>();

// What the sizes of a block's members come from: where the configuration is refused, one from which
// nothing else can be wrong.
template <Sm90Config config>
constexpr Sm90Config sizes_from = keeps_rules<config> ? config : Sm90Config{};

}  // namespace aisp::tile
