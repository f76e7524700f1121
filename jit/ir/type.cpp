#include "jit/ir/type.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.hpp"

namespace aisp::jit {

Affine sum(const Affine& a, const Affine& b, std::int64_t times) {
  std::map<Id, std::int64_t> terms(a.terms.begin(), a.terms.end());
  for (const auto& [symbol, coefficient] : b.terms) terms[symbol] += times * coefficient;
  Affine result{a.constant + times * b.constant, {}};
  for (const auto& term : terms)
    if (term.second != 0) result.terms.push_back(term);
  return result;
}

Affine scaled(const Affine& a, std::int64_t times) { return sum({}, a, times); }

std::int64_t divisor(const Affine& a) {
  std::int64_t common = std::abs(a.constant);
  for (const auto& term : a.terms) common = std::gcd(common, term.second);
  return common;
}

std::int64_t Type::size() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Type index_type() { return {}; }
Type scalar_type(Element element) { return {Kind::scalar, element, {}, {}}; }
Type tile_type(Element element, std::vector<int> extents, std::vector<Bound> bounds) {
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  return {Kind::tile, element, std::move(extents), std::move(bounds)};
}

std::string shape_text(const std::vector<int>& extents) {
  std::vector<std::string> words;
  for (const int extent : extents) words.push_back(std::to_string(extent));
  return "(" + base::join(words, ", ") + ")";
}

}  // namespace aisp::jit
