// The time that a Blackwell recipe takes, in cycles of a multiprocessor. No number here was
// measured by this project: the rates of the matrix unit are published ones of a B200, the others
// are those of the Hopper rule until somebody measures them.
#pragma once

#include <algorithm>
#include <cmath>

#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

struct BlackwellCosts {
  double columns_per_cycle = 2;         // of an instruction (32 bytes of k, up to 256 rows);
  double half_pair = 2;                 // faster by that: a pair with 64 rows in each block
  double shared_bytes_per_cycle = 128;  // that the operands of an instruction are read with
  double issue_cycles = 170;            // from the first product of a tile to the barrier behind it
  double memory_bytes_per_cycle = 25;   // its part of 7 TB/s
  double load_bytes_per_cycle = 72;     // as on Hopper
  double store_elements_per_cycle = 13;
  double direct_store = 0.25;
  double beside = 0.1;
  double start_cycles = 2500, cluster_cycles = 800;
};

// Of the whole problem as the recipe takes it; `multiprocessors` are there.
class BlackwellEstimate {
 public:
  BlackwellEstimate(const RecipeInfo& recipe, const GemmProblem& problem, int multiprocessors,
                    const BlackwellCosts& costs = {})
      : c_(recipe.config),
        group_(recipe.cta_group),
        p_(problem),
        costs_(costs),
        multiprocessors_(multiprocessors),
        clusters_(std::max(1, multiprocessors / blocks())) {}

  int clusters() const { return clusters_; }

  double cycles() const {
    const double level = std::max(1.0, tiles() / clusters_), waves = std::ceil(level);
    const double product = multiply_cycles() + costs_.issue_cycles, store = store_cycles();
    // One accumulator goes out while the next is computed; the last store nobody hides.
    const double tile = std::max({product, store, load_cycles()});
    const double busy = waves * tile + store;
    return costs_.start_cycles + (blocks() > 1 ? costs_.cluster_cycles : 0) +
           std::max(busy, memory_cycles()) + costs_.beside * std::min(busy, memory_cycles());
  }

 private:
  static double parts(std::int64_t extent, int part) {
    return static_cast<double>((extent + part - 1) / part);
  }
  int blocks() const { return group_ * c_.blocks(); }
  double tiles() const {
    return parts(p_.m, c_.tile_m * c_.cluster_m) * parts(p_.n, c_.tile_n * c_.cluster_n) *
           static_cast<double>(p_.batch);
  }
  // In shared memory: an e2m1 beside a wider element has a byte of its own there.
  double k_bytes() const {
    const bool packed = c_.a == Element::e2m1 && c_.b == Element::e2m1;
    return parts(p_.k, c_.tile_k) * c_.tile_k * (packed ? 0.5 : bytes_of(c_.b));
  }

  // Over the whole sum, 32 bytes of k at a time.
  double multiply_cycles() const {
    const bool half = group_ == 2 && c_.tile_m == 128;
    const double unit = c_.tile_n / costs_.columns_per_cycle / (half ? costs_.half_pair : 1);
    const double read = 32.0 * (c_.tile_m + c_.tile_n) / group_ / costs_.shared_bytes_per_cycle;
    return k_bytes() / 32 * std::max(unit, read);
  }
  // Of one block; TMA brings no rows outside the matrix.
  double load_cycles() const {
    const auto rows = [](int tile, std::int64_t extent) {
      return static_cast<double>(std::min<std::int64_t>(tile, extent));
    };
    const double lines =
        rows(c_.tile_m, p_.m) / c_.cluster_n + rows(c_.tile_n, p_.n) / c_.cluster_m;
    return lines / group_ * k_bytes() / costs_.load_bytes_per_cycle;
  }
  double store_cycles() const {
    const double rate = c_.store == Store::direct ? costs_.direct_store : 1;
    return c_.tile_m * c_.tile_n / group_ / (costs_.store_elements_per_cycle * rate);
  }
  double memory_cycles() const {
    const double bits = static_cast<double>(p_.m * p_.k) * bits_of(c_.a) +
                        static_cast<double>(p_.n * p_.k) * bits_of(c_.b) +
                        static_cast<double>(p_.m * p_.n) * bits_of(c_.out);
    return bits / 8 * static_cast<double>(p_.batch) /
           (costs_.memory_bytes_per_cycle * multiprocessors_);
  }

  const GemmConfig& c_;
  int group_;
  const GemmProblem& p_;
  BlackwellCosts costs_;
  int multiprocessors_, clusters_;
};

}  // namespace aisp::tile::device
