// From products of different sizes to one launch: every product has its own tensor maps in device
// memory, and the schedule hands out the tiles of all of them.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan.cuh"
#include "tile/schedule/group_tiles.hpp"

namespace aisp::tile::device {

template <GemmConfig config, class Tree>
struct GroupedRecipe
    : GemmRecipe<config, Tree, Grouped, SharedOperands<config>, GroupMaps, GroupOutput> {};

// Tables that the kernel reads, one behind the other in one allocation of device memory.
class GroupTables {
 public:
  template <class T>
  std::size_t add(const std::vector<T>& table) {
    const std::size_t at = (bytes_.size() + 127) / 128 * 128;  // a tensor map wants 64
    bytes_.resize(at + table.size() * sizeof(T));
    std::memcpy(bytes_.data() + at, table.data(), table.size() * sizeof(T));
    return at;
  }
  const char* upload(PlanMemory& plan) const {
    return static_cast<const char*>(plan.copy_of(bytes_.data(), bytes_.size()));
  }

 private:
  std::vector<char> bytes_;
};

// A group without rows or columns has nothing to describe.
inline bool is_empty(const GemmProblem& problem) { return problem.m == 0 || problem.n == 0; }

template <GemmConfig config>
ProductMaps product_maps(const GemmProblem& problem) {
  ProductMaps maps{};
  const BatchMaps operands = operand_maps<config>(problem);
  maps.a = operands.a;
  maps.b = operands.b;
  describe_output<config>(maps.out, in_memory(problem.d, problem.m, problem.n, 1));
  return maps;
}

inline void admit_group(const GemmConfig& config, const GemmProblem& p, const GemmProblem& first,
                        std::size_t group) {
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, "gemm_grouped: group ", group, ": ", why...);
  };
  if (p.k < 1) refused("k is ", p.k, "; a product needs at least 1, fill D with zeros instead");
  if (p.batch != 1) refused("has a batch of ", p.batch, "; give each matrix its own group");
  if (p.beta != 0) refused("beta is ", p.beta, "; grouped kernels do not read C");
  if (p.alpha != first.alpha)
    refused("alpha is ", p.alpha, " and that of group 0 ", first.alpha, "; it must be one for all");
  if (is_empty(p)) return;
  admit(p);
  if (const std::string why = recipe_refuses(config, p); !why.empty()) refused(why);
}

// An empty function where no group has anything to compute.
template <class Recipe>
GemmRun plan_grouped(std::span<const GemmProblem> problems,
                     const typename Recipe::Tree::Params& tree = {}, const Raster& raster = {},
                     const Allocate& allocate = {}) {
  constexpr GemmConfig config = Recipe::config;
  static_assert(config.store == Store::tma, "each group's own map clips its output");
  std::vector<ProductMaps> maps;
  std::vector<Extent> extents;
  std::vector<ProductSize> sizes;
  for (const GemmProblem& p : problems) {
    admit_group(config, p, problems[0], sizes.size());
    maps.push_back(is_empty(p) ? ProductMaps{} : product_maps<config>(p));
    extents.push_back({static_cast<int>(p.m), static_cast<int>(p.n)});
    sizes.push_back({p.m, p.n, p.k});
  }
  const GroupRecords records = group_records(sizes, {.m = config.tile_m * config.cluster_m,
                                                     .n = config.tile_n * config.cluster_n,
                                                     .k = config.tile_k});
  if (records.tiles == 0) return {};

  GroupTables tables;
  const std::size_t maps_at = tables.add(maps), extents_at = tables.add(extents);
  const std::size_t groups_at = tables.add(records.groups);
  PlanMemory plan(allocate);
  const char* memory = tables.upload(plan);
  const auto* products = reinterpret_cast<const ProductMaps*>(memory + maps_at);
  const GemmParams<Recipe> params{
      .operands = {products},
      .epilogue = {.tree = tree_of_problem<typename Recipe::Tree>(problems[0], tree),
                   .out = {products, reinterpret_cast<const Extent*>(memory + extents_at)}},
      .schedule = records.params(reinterpret_cast<const GroupTiles*>(memory + groups_at), raster)};
  const int clusters = Grouped::clusters(params.schedule, resident_clusters(kernel_of<Recipe>()));
  return FittedGemm<Recipe>{params, clusters, plan.take()}.run();
}

}  // namespace aisp::tile::device
