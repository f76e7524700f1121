// The time that a kernel for sm_90, sm_80 or of any family but sm_100 takes, in cycles of an SM,
// from counts of its tiles. The constants were fitted to measurements on an H200.
#pragma once

#include "tile/device/gemm/estimate_parts.hpp"

namespace aisp::tile::device {

struct CostsSm90 {
  double products_per_cycle = 2048;     // of 16-bit elements, one SM; 8-bit ones: twice
  double load_bytes_per_cycle = 72;     // that one SM gets from L2
  double missing_bytes_per_cycle = 30;  // of rows outside the matrix, which TMA fills with zeros,
  double free_rows = 48;                // but for so many of A
  double narrow_reload = 0.4;           // of a further tile's loads, where tiles have few columns
  double memory_bytes_per_cycle = 20;   // its part of the bandwidth of memory
  double beside = 0.1;                  // of the shorter of both that the longer does not hide
  double start_cycles = 2500;           // of a kernel: launch, barriers, first loads
  double cluster_cycles = 800;          // more to start blocks in clusters
  double block_cycles = 2000;           // to start a block behind another, where none is persistent
  double cluster = 1.005;               // rate of blocks that take less from L2, and less power
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

// One kernel on one problem, as the kernel takes it.
class EstimateSm90 {
 public:
  EstimateSm90(const KernelDescription& kernel, const GemmProblem& problem, int multiprocessors,
               const CostsSm90& costs)
      : c_(kernel),
        p_(problem),
        costs_(costs),
        multiprocessors_(multiprocessors),
        count_(kernel, problem, multiprocessors) {}

  Raster raster() const { return detail::square_waves(c_, count_.grid, count_.clusters); }

  int most_splits() const {
    if (c_.schedule == ScheduleKind::whole_tiles || c_.schedule == ScheduleKind::stream_k) return 1;
    const std::int64_t that_fit = count_.clusters / std::max<std::int64_t>(1, count_.tiles);
    const std::int64_t k_blocks = detail::ceil_div(p_.k, c_.tile_k);
    return static_cast<int>(std::max<std::int64_t>(
        1, std::min<std::int64_t>({that_fit, k_blocks / 2, costs_.most_splits})));
  }

  double cycles(int splits) const {
    const double level =
        std::max(1.0, static_cast<double>(count_.tiles * splits) / count_.clusters);
    const bool streams = c_.schedule == ScheduleKind::stream_k;
    const double waves = streams ? level : std::ceil(level);
    const bool slices = splits > 1 || (streams && count_.tiles % count_.clusters != 0);
    const double multiply = multiply_cycles(), store = store_cycles();
    // In ping-pong one warpgroup stores while the other multiplies; nothing hides what is left of
    // a store at the end of the kernel.
    const double tile =
        c_.ping_pong
            ? std::max(multiply, (multiply + store / costs_.turn_store) / 2 + costs_.turn_cycles)
            : multiply;
    const double stores = (c_.ping_pong ? 2 * store : waves * store) +
                          (c_.block_per_tile ? (waves - 1) * costs_.block_cycles : 0);
    // Blocks of a last wave that is not full have more of L2 for each of them.
    const double busy = std::max(waves * tile, level * load_cycles()) / splits + stores;
    const double memory =
        detail::memory_bytes(c_, p_) / (costs_.memory_bytes_per_cycle * multiprocessors_);
    return costs_.start_cycles + (c_.blocks() > 1 ? costs_.cluster_cycles : 0) +
           std::max(busy, memory) + costs_.beside * std::min(busy, memory) +
           level * missing_cycles() / splits + reload_cycles(waves) / splits +
           (slices ? reduce_cycles(splits) : 0);
  }

 private:
  // Of one tile, over the whole sum.
  double multiply_cycles() const {
    const double width = bytes_of(c_.b) / 2.0;  // of an element, against 16 bits
    return c_.tile_m * c_.tile_n * padded_k() * width / (costs_.products_per_cycle * rate());
  }
  // TMA brings no rows outside the matrix.
  double load_cycles() const {
    const double a_rows = static_cast<double>(std::min<std::int64_t>(c_.tile_m, p_.m));
    const double b_rows = static_cast<double>(std::min<std::int64_t>(c_.tile_n, p_.n));
    const double bytes =
        a_rows / c_.cluster_n * bytes_of(c_.a) + b_rows / c_.cluster_m * bytes_of(c_.b);
    return bytes * padded_k() / costs_.load_bytes_per_cycle;
  }
  // Measured beside loads that memory bounds: zeros are not hidden behind them.
  double missing_cycles() const {
    const auto missing = [](int tile, std::int64_t extent) {
      const std::int64_t tiles = std::max<std::int64_t>(1, detail::ceil_div(extent, tile));
      return static_cast<double>(tiles * tile - extent) / static_cast<double>(tiles);
    };
    const double of_a = std::max(0.0, missing(c_.tile_m, p_.m) - costs_.free_rows);
    const double bytes = of_a / c_.cluster_n * bytes_of(c_.a) +
                         missing(c_.tile_n, p_.n) / c_.cluster_m * bytes_of(c_.b);
    return bytes * padded_k() / costs_.missing_bytes_per_cycle;
  }
  // Few columns: every further tile brings the whole of A's rows again for them.
  double reload_cycles(double waves) const {
    return c_.tile_n < 64 ? (waves - 1) * costs_.narrow_reload * load_cycles() : 0;
  }
  double padded_k() const {
    return static_cast<double>(detail::ceil_div(p_.k, c_.tile_k) * c_.tile_k);
  }
  double rate() const {
    double rate = c_.tile_n >= 96   ? 1 - costs_.per_column / c_.tile_n
                  : c_.tile_n >= 64 ? costs_.narrow_tile
                                    : costs_.narrowest_tile;
    if (c_.math_warpgroups == 1)
      rate *= costs_.lone_warpgroup;
    else if (!c_.ping_pong)
      rate *= costs_.shared_tile;
    if (c_.schedule == ScheduleKind::stream_k) rate *= costs_.ragged_tiles;
    return c_.blocks() > 1 ? rate * costs_.cluster : rate;
  }
  // The activation is computed on the way from the accumulators to the staging.
  double store_cycles() const {
    const double rate = c_.tma_store ? 1 : costs_.direct_store;
    return c_.tile_m * c_.tile_n *
           (1 / (costs_.store_elements_per_cycle * rate) +
            detail::activation_cycles(p_.activation));
  }
  double reduce_cycles(int splits) const {
    const double accumulators = 4.0 * c_.tile_m * c_.tile_n;
    const double rounds = c_.schedule == ScheduleKind::split_k ? splits : 2;
    return costs_.slice_wait_cycles + rounds * accumulators / costs_.slice_bytes_per_cycle;
  }

  const KernelDescription& c_;
  const GemmProblem& p_;
  const CostsSm90& costs_;
  int multiprocessors_;
  detail::TileCount count_;
};

}  // namespace aisp::tile::device
