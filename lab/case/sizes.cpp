#include "lab/case/sizes.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

using Extents = std::vector<std::int64_t>;

// More elements than any machine holds; products of extents stay far from overflow below it.
constexpr std::int64_t most_elements = std::int64_t{1} << 50;

std::int64_t parse_extent(const std::string& text, const std::string& size) {
  const auto in = [&] { return text == size ? std::string() : " in '" + size + "'"; };
  if (text.empty())
    base::refuse(base::Exit::usage, "--sizes: an extent is missing in '", size,
                 "'; write 4096x4096x8192");
  const auto value = base::parse_integer(text);
  const bool digits =
      text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos &&
      text != "-";
  if (!value && digits)
    base::refuse(base::Exit::usage, "--sizes: '", text, "'", in(), " does not fit 64 bits");
  if (!value)
    base::refuse(base::Exit::usage, "--sizes: '", text, "'", in(),
                 " is not a whole number; write 4096x4096x8192 or 4096 4096 8192");
  if (*value < 1)
    base::refuse(base::Exit::usage, "--sizes: '", text, "'", in(), " must be at least 1");
  return *value;
}

Extents parse_size(const std::vector<std::string>& extents, const std::string& size) {
  Extents dims;
  std::int64_t product = 1;
  for (const auto& text : extents) {
    dims.push_back(parse_extent(text, size));
    if (dims.back() > most_elements / product)
      base::refuse(base::Exit::usage, "--sizes: '", size,
                   "' multiplies to more than 2^50 elements");
    product *= dims.back();
  }
  return dims;
}

}  // namespace

void require_variant(const Target& target, const std::string& variant) {
  if (variant.empty() || std::count(target.variants.begin(), target.variants.end(), variant) != 0)
    return;
  if (target.variants.empty() || target.variants == std::vector<std::string>{""})
    base::refuse(base::Exit::usage, target.id(), " has no variants, and so none called '", variant,
                 "'; leave --variant out");
  const auto near = base::nearest(variant, target.variants);
  base::refuse(base::Exit::usage, target.id(), " has no variant '", variant, "'; ",
               near ? "did you mean " + *near + "? " : "", "it has ",
               base::join(target.variants, ", "));
}

std::vector<Extents> parse_sizes(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::string text = base::join(words, " ");
  if (text.find_first_of("x,") == std::string::npos) return {parse_size(words, text)};
  std::vector<Extents> sizes;
  for (const auto& word : words)
    for (const auto& size : base::split(word, ','))
      sizes.push_back(parse_size(base::split(size, 'x'), size));
  return sizes;
}

std::vector<Size> sizes_to_run(const Target& target, const std::string& variant, bool quick,
                               const std::vector<Extents>& given) {
  require_variant(target, variant);
  std::vector<Size> sizes;
  if (given.empty()) {
    for (const auto& size : quick ? target.quick : target.full)
      if (variant.empty() || size.variant == variant) sizes.push_back(size);
    return sizes;
  }
  for (const auto& dims : given)
    if (dims.size() != target.axes.size())
      base::refuse(base::Exit::usage, "--sizes gives ", dims.size(),
                   dims.size() == 1 ? " extent" : " extents", " but ", target.id(), " takes ",
                   target.axes.size(), target.axes.empty() ? "" : ": ",
                   base::join(target.axes, " "));
  for (const auto& each : target.variants)
    if (variant.empty() || each == variant)
      for (const auto& dims : given) sizes.push_back({each, dims});
  return sizes;
}

}  // namespace aisp::lab
