// Which of many things behave alike: each is a set of what it does, and one that leaves out some of
// what another does (a ring whose last stage was never reached) counts as the same.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

namespace aisp::lab {

// For each of `all` the largest set among them that holds it. Does not depend on their order.
template <class T>
std::vector<std::set<T>> absorbed(const std::vector<std::set<T>>& all) {
  std::vector<std::set<T>> kinds(all);
  std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  std::vector<std::set<T>> result;
  for (const auto& one : all)
    // Larger ones come first, and one set always holds it: itself.
    result.push_back(*std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
      return std::includes(kind.begin(), kind.end(), one.begin(), one.end());
    }));
  return result;
}

}  // namespace aisp::lab
