#include "sim/program/special.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aisp::sim {
namespace {

struct SpecialRow {
  std::string_view name;
  Special what;
};

constexpr std::array special_rows{
    SpecialRow{"%laneid", Special::laneid},
    SpecialRow{"%warpid", Special::warpid},
    SpecialRow{"%nwarpid", Special::nwarpid},
    SpecialRow{"%smid", Special::smid},
    SpecialRow{"%nsmid", Special::nsmid},
    SpecialRow{"%lanemask_eq", Special::lanemask_eq},
    SpecialRow{"%lanemask_lt", Special::lanemask_lt},
    SpecialRow{"%lanemask_le", Special::lanemask_le},
    SpecialRow{"%lanemask_gt", Special::lanemask_gt},
    SpecialRow{"%lanemask_ge", Special::lanemask_ge},
    SpecialRow{"%cluster_ctarank", Special::cluster_ctarank},
    SpecialRow{"%cluster_nctarank", Special::cluster_nctarank},
    SpecialRow{"%dynamic_smem_size", Special::dynamic_smem_size},
    SpecialRow{"%total_smem_size", Special::total_smem_size},
    SpecialRow{"%aggr_smem_size", Special::aggr_smem_size},
    // Offsets 0 and 1 name areas inside the reserved part; both begin where it begins.
    SpecialRow{"%reserved_smem_offset_begin", Special::reserved_smem_offset},
    SpecialRow{"%reserved_smem_offset_0", Special::reserved_smem_offset},
    SpecialRow{"%reserved_smem_offset_1", Special::reserved_smem_offset},
};

// .x, .y and .z follow each other in the enumeration.
constexpr std::array vectors{
    SpecialRow{"%tid", Special::tid_x},
    SpecialRow{"%ntid", Special::ntid_x},
    SpecialRow{"%ctaid", Special::ctaid_x},
    SpecialRow{"%nctaid", Special::nctaid_x},
    SpecialRow{"%clusterid", Special::clusterid_x},
    SpecialRow{"%nclusterid", Special::nclusterid_x},
    SpecialRow{"%cluster_ctaid", Special::cluster_ctaid_x},
    SpecialRow{"%cluster_nctaid", Special::cluster_nctaid_x},
};

bool is_numbered(std::string_view name, std::string_view stem) {
  return name.starts_with(stem) && name.size() > stem.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(stem.size()), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

bool changes(std::string_view name) {
  constexpr std::array names{"%clock",       "%clock64",        "%clock_hi",
                             "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"};
  if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  if (name.ends_with("_64")) name.remove_suffix(3);  // %pm0_64
  return is_numbered(name, "%pm") || is_numbered(name, "%envreg");
}

using Names = std::unordered_map<std::string_view, SpecialName>;

// Lives as long as the program: the keys point into it.
const Names& all_names() {
  static const auto spelled = [] {
    std::vector<std::pair<std::string, SpecialName>> list;
    for (const SpecialRow& row : vectors) {
      const std::string stem(row.name);
      for (int at = 0; at < 3; ++at)
        list.emplace_back(
            stem + '.' + "xyz" [at], SpecialName {
              SpecialName::Kind::slot, static_cast<Special>(static_cast<int>(row.what) + at)
            });
      list.emplace_back(stem + ".w", SpecialName{SpecialName::Kind::zero, Special::count});
    }
    return list;
  }();
  static const Names names = [] {
    Names map;
    for (const auto& [name, special] : spelled) map.emplace(name, special);
    for (const SpecialRow& row : special_rows)
      map.emplace(row.name, SpecialName{SpecialName::Kind::slot, row.what});
    map.emplace("%gridid", SpecialName{SpecialName::Kind::wide_slot, Special::gridid});
    map.emplace("%is_explicit_cluster",
                SpecialName{SpecialName::Kind::predicate, Special::is_explicit_cluster});
    return map;
  }();
  return names;
}

}  // namespace

SpecialName find_special(std::string_view name) {
  if (name.empty() || name[0] != '%') return {};
  const auto found = all_names().find(name);
  if (found != all_names().end()) return found->second;
  if (changes(name)) return {SpecialName::Kind::changing, Special::count};
  return {};
}

bool is_special_vector(std::string_view name) {
  return std::any_of(vectors.begin(), vectors.end(),
                     [&](const SpecialRow& row) { return row.name == name; });
}

int special_bits(const SpecialName& special) {
  if (special.kind == SpecialName::Kind::predicate) return 1;
  return special.kind == SpecialName::Kind::wide_slot ? 64 : 32;
}

}  // namespace aisp::sim
