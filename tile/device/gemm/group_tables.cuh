// What a launch of products of different sizes reads from device memory: every product's tensor
// maps, its extent and its place among the tiles.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "tile/collective/epilogue/output.cuh"
#include "tile/device/gemm/admit.hpp"
#include "tile/device/launch/plan_memory.hpp"
#include "tile/schedule/group_tiles.hpp"

namespace aisp::tile::device {

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

inline void admit_group(const KernelDescription& kernel, const GemmProblem& p,
                        const GemmProblem& first, std::size_t group) {
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, "gemm_grouped: group ", group, ": ", why...);
  };
  if (p.batch != 1) refused("has a batch of ", p.batch, "; give each matrix its own group");
  if (p.beta != 0) refused("beta is ", p.beta, "; grouped kernels do not read C");
  if (p.has_epilogue()) refused("has a bias or an activation; grouped kernels compute neither");
  if (p.alpha != first.alpha)
    refused("alpha is ", p.alpha, " and that of group 0 ", first.alpha, "; it must be one for all");
  admit_stated(p);
  if (is_empty(p)) return;  // it has nothing to describe
  admit(p);
  if (const std::string why = tma_kernel_refuses(kernel, p); !why.empty()) refused(why);
}

struct GroupsOnDevice {
  const ProductMaps* products = nullptr;
  const Extent* extents = nullptr;
  Grouped::Params schedule{};  // without tiles: no group has anything to compute
};

// `maps` describes one product that is not empty: GemmProblem -> ProductMaps.
template <class Maps>
GroupsOnDevice groups_on_device(std::span<const GemmProblem> problems,
                                const KernelDescription& kernel, Maps maps, const Raster& raster,
                                PlanMemory& plan) {
  std::vector<ProductMaps> products;
  std::vector<Extent> extents;
  std::vector<ProductSize> sizes;
  for (const GemmProblem& p : problems) {
    admit_group(kernel, p, problems[0], sizes.size());
    products.push_back(is_empty(p) ? ProductMaps{} : maps(p));
    extents.push_back({static_cast<int>(p.m), static_cast<int>(p.n)});
    sizes.push_back({p.m, p.n, p.k});
  }
  const GroupRecords records = group_records(sizes, {.m = kernel.tile_m * kernel.cluster_m,
                                                     .n = kernel.tile_n * kernel.cluster_n,
                                                     .k = kernel.tile_k});
  if (records.tiles == 0) return {};
  GroupTables tables;
  const std::size_t maps_at = tables.add(products), extents_at = tables.add(extents);
  const std::size_t groups_at = tables.add(records.groups);
  const char* memory = tables.upload(plan);
  return {reinterpret_cast<const ProductMaps*>(memory + maps_at),
          reinterpret_cast<const Extent*>(memory + extents_at),
          records.params(reinterpret_cast<const GroupTiles*>(memory + groups_at), raster)};
}

}  // namespace aisp::tile::device
