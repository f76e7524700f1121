// The time that a kernel for sm_100 takes, in cycles of an SM. No constant here was measured by
// this project: the rates of the tensor cores are published ones of a B200, the others are those of
// sm_90 until they are measured.
#pragma once

#include "tile/device/gemm/estimate_parts.hpp"

namespace aisp::tile::device {

struct CostsSm100 {
  double columns_per_cycle = 2;         // of an instruction (32 bytes of k, up to 256 rows);
  double half_pair = 2;                 // faster by that: a pair with 64 rows in each block
  double shared_bytes_per_cycle = 128;  // that the operands of an instruction are read with
  double issue_cycles = 170;            // from the first MMA of a tile to the barrier behind it
  double memory_bytes_per_cycle = 25;   // its part of 7 TB/s
  double load_bytes_per_cycle = 72;     // as on Hopper
  double store_elements_per_cycle = 13;
  double direct_store = 0.25;
  double beside = 0.1;
  double start_cycles = 2500, cluster_cycles = 800;
};

// One kernel on one problem, as the kernel takes it.
class EstimateSm100 {
 public:
  EstimateSm100(const KernelDescription& kernel, const GemmProblem& problem, int multiprocessors,
                const CostsSm100& costs)
      : c_(kernel),
        p_(problem),
        costs_(costs),
        multiprocessors_(multiprocessors),
        count_(kernel, problem, multiprocessors) {}

  Raster raster() const { return detail::square_waves(c_, count_.grid, count_.clusters); }

  double cycles() const {
    const double level = std::max(1.0, static_cast<double>(count_.tiles) / count_.clusters);
    const double waves = std::ceil(level);
    const double multiply = multiply_cycles() + costs_.issue_cycles, store = store_cycles();
    // One accumulator is stored while the next is computed; nothing hides the last store.
    const double tile = std::max({multiply, store, load_cycles()});
    const double busy = waves * tile + store;
    const double memory =
        detail::memory_bytes(c_, p_) / (costs_.memory_bytes_per_cycle * multiprocessors_);
    return costs_.start_cycles + (c_.blocks() > 1 ? costs_.cluster_cycles : 0) +
           std::max(busy, memory) + costs_.beside * std::min(busy, memory);
  }

 private:
  // In shared memory: an e2m1 beside a wider element has a byte of its own there.
  double k_bytes() const {
    const bool packed = c_.a == Element::e2m1 && c_.b == Element::e2m1;
    return static_cast<double>(detail::ceil_div(p_.k, c_.tile_k) * c_.tile_k) *
           (packed ? 0.5 : bytes_of(c_.b));
  }
  // Over the whole sum, 32 bytes of k at a time.
  double multiply_cycles() const {
    const bool half = c_.cta_group == 2 && c_.tile_m == 128;
    const double unit = c_.tile_n / costs_.columns_per_cycle / (half ? costs_.half_pair : 1);
    const double read =
        32.0 * (c_.tile_m + c_.tile_n) / c_.cta_group / costs_.shared_bytes_per_cycle;
    return k_bytes() / 32 * std::max(unit, read);
  }
  // Of one block; TMA brings no rows outside the matrix.
  double load_cycles() const {
    const auto rows = [](int tile, std::int64_t extent) {
      return static_cast<double>(std::min<std::int64_t>(tile, extent));
    };
    const double lines =
        rows(c_.tile_m, p_.m) / c_.cluster_n + rows(c_.tile_n, p_.n) / c_.cluster_m;
    return lines / c_.cta_group * k_bytes() / costs_.load_bytes_per_cycle;
  }
  // The activation is computed on the way from tensor memory to the staging.
  double store_cycles() const {
    const double rate = c_.tma_store ? 1 : costs_.direct_store;
    return c_.tile_m * c_.tile_n / c_.cta_group *
           (1 / (costs_.store_elements_per_cycle * rate) +
            detail::activation_cycles(p_.activation));
  }

  const KernelDescription& c_;
  const GemmProblem& p_;
  const CostsSm100& costs_;
  int multiprocessors_;
  detail::TileCount count_;
};

}  // namespace aisp::tile::device
