// What all tests of schedules ask: is every k-block of every output tile handed out once, do the
// slices of a tile agree, and does a run in which owners wait come to its end?
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "tile/schedule/tile_space.hpp"

namespace aisp::tile {

using Walk = std::vector<WorkTile>;                        // the work of one cluster, in order
using TileName = std::tuple<int, int, int>;                // batch, m, n
using TileLengths = std::map<TileName, int>;               // k-blocks of each output tile
using Slices = std::map<TileName, std::vector<WorkTile>>;  // along K

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int from(int low, int high) {  // both included
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }
  Raster raster() { return {static_cast<Raster::Along>(from(0, 2)), from(1, 9)}; }
  TileSpace space(int most_k) {
    return {{from(1, 14), from(1, 14)}, from(1, 3), from(0, most_k), raster()};
  }

 private:
  std::mt19937 engine_;
};

template <TileSchedule S>
std::vector<Walk> walks(const typename S::Params& params, int clusters) {
  std::vector<Walk> all(clusters);
  for (int cluster = 0; cluster < clusters; ++cluster) {
    S schedule(params, cluster, clusters);
    for (WorkTile work; schedule.next(work);) all[cluster].push_back(work);
    WorkTile none;
    EXPECT_FALSE(schedule.next(none)) << "work after the end";
  }
  return all;
}

inline TileName name(const WorkTile& work) { return {work.batch, work.m, work.n}; }

inline TileLengths lengths(const TileSpace& space) {
  TileLengths all;
  for (int batch = 0; batch < space.batch; ++batch)
    for (int m = 0; m < space.grid.m; ++m)
      for (int n = 0; n < space.grid.n; ++n) all[{batch, m, n}] = space.k_blocks;
  return all;
}

inline Slices slices_of(const std::vector<Walk>& walks) {
  Slices all;
  for (const Walk& walk : walks)
    for (const WorkTile& work : walk) all[name(work)].push_back(work);
  for (auto& [tile, slices] : all)
    std::sort(slices.begin(), slices.end(),
              [](const WorkTile& a, const WorkTile& b) { return a.slice < b.slice; });
  return all;
}

// Every tile is there, its slices are numbered along K, leave no gap and say the same of it.
inline void expect_each_k_block_once(const std::vector<Walk>& walks, const TileLengths& expected) {
  const Slices all = slices_of(walks);
  ASSERT_EQ(all.size(), expected.size());
  for (const auto& [tile, slices] : all) {
    ASSERT_TRUE(expected.contains(tile));
    int slice = 0, k = 0;
    for (const WorkTile& work : slices) {
      EXPECT_EQ(work.slice, slice++);
      EXPECT_EQ(work.slices, static_cast<int>(slices.size()));
      EXPECT_EQ(work.slot, slices[0].slot);
      EXPECT_EQ(work.k_first, k);
      EXPECT_TRUE(work.k_count > 0 || slices.size() == 1) << "an empty slice";
      k += work.k_count;
    }
    EXPECT_EQ(k, expected.at(tile));
  }
}

// The workspace slots in use; fails where two slices have the same.
inline std::set<int> slots_in_use(const std::vector<Walk>& walks) {
  std::set<int> used;
  for (const Walk& walk : walks)
    for (const WorkTile& work : walk)
      if (work.slice > 0) {
        EXPECT_TRUE(used.insert(work.slot + work.slice - 1).second) << "two slices in one slot";
      }
  return used;
}

// Runs every cluster as far as it gets, again and again. A work never becomes impossible once it
// was possible, so where this comes to the end, every other interleaving does too.
inline bool comes_to_its_end(const std::vector<Walk>& walks) {
  std::vector<std::size_t> done(walks.size());
  std::map<TileName, int> arrived;
  const auto may_run = [&](const WorkTile& work) {
    return work.slice > 0 || arrived[name(work)] == work.slices - 1;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t cluster = 0; cluster < walks.size(); ++cluster)
      while (done[cluster] < walks[cluster].size() && may_run(walks[cluster][done[cluster]])) {
        const WorkTile& work = walks[cluster][done[cluster]++];
        if (work.slice > 0) ++arrived[name(work)];
        moved = true;
      }
  }
  for (std::size_t cluster = 0; cluster < walks.size(); ++cluster)
    if (done[cluster] < walks[cluster].size()) return false;
  return true;
}

inline int k_blocks_of(const Walk& walk) {
  int sum = 0;
  for (const WorkTile& work : walk) sum += work.k_count;
  return sum;
}

}  // namespace aisp::tile
