// The rule that picks a recipe: an estimate of the time that each recipe takes, in cycles of a
// multiprocessor, and the smallest wins. docs/choosing.md says it in words. A pure function of the
// problem, the machine and the list of recipes.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "tile/device/gemm/estimate_blackwell.hpp"

namespace aisp::tile::device {

struct Machine {
  int multiprocessors = 132;
  int architecture = 90;  // 10 * major + minor
};

struct GemmChoice {
  std::string recipe{};
  LaunchChoice launch{};
};

// All numbers of the rule.
struct CostModel {
  double products_per_cycle = 2048;    // of 16-bit elements, one multiprocessor; 8-bit ones: twice
  double load_bytes_per_cycle = 72;    // that one multiprocessor gets from L2
  double memory_bytes_per_cycle = 20;  // its part of the bandwidth of memory
  double beside = 0.1;                 // of the shorter of both that the longer does not hide
  double start_cycles = 2500;          // of a kernel: launch, barriers, first loads
  double cluster_cycles = 800;         // more to start blocks in clusters
  double cluster = 1.005;              // rate of blocks that take less from L2, and less power
  double store_elements_per_cycle = 13;  // of an output tile by two warpgroups through TMA;
  double turn_store = 0.3;               // of that by one while the other multiplies,
  double turn_cycles = 400;              // to hand over
  double direct_store = 0.25;            // of that from registers
  double slice_bytes_per_cycle = 32;     // accumulators that blocks leave for one another
  double slice_wait_cycles = 4000;       // until they have all come
  double per_column = 16;        // columns' worth of an instruction that reading A costs beside B
  double narrow_tile = 0.70;     // rate of an instruction with fewer than 96 columns, and
  double narrowest_tile = 0.35;  // with fewer than 64: reading A takes longer than multiplying
  double lone_warpgroup = 0.97;  // one multiplies, nothing runs while it waits
  double shared_tile = 0.975;    // two share a tile, nothing runs while both store
  double ragged_tiles = 0.95;    // stream-K: tiles of a wave start and end at different times
  int most_splits = 16;
};

namespace detail {

inline std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// Tiles of a wave form a square of elements: it reads the fewest rows and columns. Whole groups of
// rows only, a power of two.
inline Raster square_waves(const GemmConfig& c, TileGrid grid, int clusters) {
  const double aspect = static_cast<double>(c.tile_n * c.cluster_n) / (c.tile_m * c.cluster_m);
  int group = 1;
  while (2 * group <= grid.m && 2.0 * group * group <= clusters * aspect) group *= 2;
  return {Raster::Along::m, group};
}

inline TileGrid grid_of(const GemmConfig& c, const GemmProblem& p) {
  return {static_cast<int>(ceil_div(p.m, c.tile_m * c.cluster_m)),
          static_cast<int>(ceil_div(p.n, c.tile_n * c.cluster_n))};
}

// One recipe on one problem (as the recipe takes it), by its counts of tiles.
class Estimate {
 public:
  Estimate(const RecipeInfo& recipe, const GemmProblem& problem, const Machine& machine,
           const CostModel& rule)
      : recipe_(recipe), c_(recipe.config), p_(problem), machine_(machine), rule_(rule) {
    grid_ = grid_of(c_, p_);
    tiles_ = ceil_div(p_.m, c_.tile_m * c_.cluster_m) * ceil_div(p_.n, c_.tile_n * c_.cluster_n) *
             p_.batch;
    clusters_ = std::max(1, machine.multiprocessors / c_.blocks());
  }

  Raster raster() const { return square_waves(c_, grid_, clusters_); }

  int most_splits() const {
    if (recipe_.schedule == ScheduleKind::whole_tiles || recipe_.schedule == ScheduleKind::stream_k)
      return 1;
    const std::int64_t that_fit = clusters_ / tiles_;
    const std::int64_t k_blocks = ceil_div(p_.k, c_.tile_k);
    return static_cast<int>(std::max<std::int64_t>(
        1, std::min<std::int64_t>({that_fit, k_blocks / 2, rule_.most_splits})));
  }

  double cycles(int splits) const {
    const double level = std::max(1.0, static_cast<double>(tiles_ * splits) / clusters_);
    const bool streams = recipe_.schedule == ScheduleKind::stream_k;
    const double waves = streams ? level : std::ceil(level);
    const bool slices = splits > 1 || (streams && tiles_ % clusters_ != 0);
    const double product = multiply_cycles(), store = store_cycles();
    // Of two warpgroups that take turns, one stores while the other multiplies; what is left of a
    // store at the end of the kernel nobody hides.
    const bool turns = c_.roles == Roles::ping_pong;
    const double tile =
        turns ? std::max(product, (product + store / rule_.turn_store) / 2 + rule_.turn_cycles)
              : product;
    const double stores = turns ? 2 * store : waves * store;
    // Blocks of a last wave that is not full have more of L2 for each of them.
    const double busy = std::max(waves * tile, level * load_cycles()) / splits + stores;
    const double memory = memory_cycles();
    return rule_.start_cycles + (c_.blocks() > 1 ? rule_.cluster_cycles : 0) +
           std::max(busy, memory) + rule_.beside * std::min(busy, memory) +
           (slices ? reduce_cycles(splits) : 0);
  }

 private:
  // Of one tile, over the whole sum.
  double multiply_cycles() const {
    const double width = bytes_of(c_.b) / 2.0;  // of an element, against 16 bits
    return c_.tile_m * c_.tile_n * padded_k() * width / (rule_.products_per_cycle * rate());
  }
  // TMA brings no rows outside the matrix.
  double load_cycles() const {
    const double a_rows = static_cast<double>(std::min<std::int64_t>(c_.tile_m, p_.m));
    const double b_rows = static_cast<double>(std::min<std::int64_t>(c_.tile_n, p_.n));
    const double bytes =
        a_rows / c_.cluster_n * bytes_of(c_.a) + b_rows / c_.cluster_m * bytes_of(c_.b);
    return bytes * padded_k() / rule_.load_bytes_per_cycle;
  }
  double padded_k() const { return static_cast<double>(ceil_div(p_.k, c_.tile_k) * c_.tile_k); }
  double rate() const {
    double rate = c_.tile_n >= 96   ? 1 - rule_.per_column / c_.tile_n
                  : c_.tile_n >= 64 ? rule_.narrow_tile
                                    : rule_.narrowest_tile;
    if (c_.math_warpgroups == 1)
      rate *= rule_.lone_warpgroup;
    else if (c_.roles == Roles::cooperative)
      rate *= rule_.shared_tile;
    if (recipe_.schedule == ScheduleKind::stream_k) rate *= rule_.ragged_tiles;
    return c_.blocks() > 1 ? rate * rule_.cluster : rate;
  }
  double store_cycles() const {
    const double rate = c_.store == Store::direct ? rule_.direct_store : 1;
    return c_.tile_m * c_.tile_n / (rule_.store_elements_per_cycle * rate);
  }
  double reduce_cycles(int splits) const {
    const double accumulators = 4.0 * c_.tile_m * c_.tile_n;
    const double rounds = recipe_.schedule == ScheduleKind::split_k ? splits : 2;
    return rule_.slice_wait_cycles + rounds * accumulators / rule_.slice_bytes_per_cycle;
  }
  double memory_cycles() const {
    const double elements = static_cast<double>(p_.m * p_.k) * bytes_of(c_.a) +
                            static_cast<double>(p_.n * p_.k) * bytes_of(c_.b) +
                            static_cast<double>(p_.m * p_.n) * bytes_of(c_.out);
    return elements * static_cast<double>(p_.batch) /
           (rule_.memory_bytes_per_cycle * machine_.multiprocessors);
  }

  const RecipeInfo& recipe_;
  const GemmConfig& c_;
  const GemmProblem& p_;
  const Machine& machine_;
  const CostModel& rule_;
  TileGrid grid_{};
  std::int64_t tiles_ = 0;
  int clusters_ = 1;
};

}  // namespace detail

// wgmma is an instruction of sm_90 alone, tcgen05 as compiled here of sm_100; what Ampere has, its
// successors have too, and sm_89 brought the one that writes 8-bit floats.
inline bool runs_on(const RecipeInfo& recipe, const Machine& machine) {
  if (recipe.family == Family::blackwell) return machine.architecture == 100;
  if (recipe.family == Family::hopper) return machine.architecture / 10 == 9;
  const Element out = recipe.config.out;
  return machine.architecture >= (out == Element::e4m3 || out == Element::e5m2 ? 89 : 80);
}

// The recipe's best order of tiles and slices of K for the problem as the recipe takes it.
struct Estimated {
  LaunchChoice launch{};
  double cycles = 0;
};
inline Estimated estimate(const RecipeInfo& recipe, const GemmProblem& problem,
                          const Machine& machine, const CostModel& rule = {}) {
  if (recipe.family == Family::blackwell) {
    const BlackwellEstimate of(recipe, problem, machine.multiprocessors);
    const TileGrid grid = detail::grid_of(recipe.config, problem);
    return {{detail::square_waves(recipe.config, grid, of.clusters()), 1}, of.cycles()};
  }
  const detail::Estimate of(recipe, problem, machine, rule);
  Estimated best{{of.raster(), 1}, of.cycles(1)};
  for (int splits = 2; splits <= of.most_splits(); ++splits)
    if (const double cycles = of.cycles(splits); cycles < best.cycles)
      best = {{of.raster(), splits}, cycles};
  return best;
}

// The first family that takes the problem decides, in it the least time; of equals the first in the
// list. An empty name where no recipe takes it.
inline GemmChoice choose(const GemmProblem& problem, const Machine& machine,
                         std::span<const RecipeInfo> recipes, const CostModel& rule = {}) {
  using enum Family;
  for (const Family family : {blackwell, hopper, multistage, general}) {
    GemmChoice best;
    double least = 0;
    for (const RecipeInfo& recipe : recipes) {
      if (recipe.family != family || !runs_on(recipe, machine)) continue;
      const auto taken = oriented(recipe, problem);
      if (!taken) continue;
      const Estimated now = estimate(recipe, *taken, machine, rule);
      if (!best.recipe.empty() && now.cycles >= least) continue;
      best = {recipe.name, now.launch};
      least = now.cycles;
    }
    if (!best.recipe.empty()) return best;
  }
  return {};
}

}  // namespace aisp::tile::device
