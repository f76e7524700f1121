#include "app/layout_banks.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "tile/layout/banks.hpp"
#include "tile/layout/modes.hpp"

namespace aisp::app {
namespace {

using tile::Element;

constexpr std::array elements = {Element::bf16, Element::f16, Element::tf32, Element::e4m3,
                                 Element::e5m2, Element::s8,  Element::f32,  Element::s32};
constexpr int widest_access = 16;

// The layout's modes as extents, and the index of a coordinate: the first mode runs fastest.
struct Modes {
  std::vector<int> extent, step;

  explicit Modes(const tile::Layout& layout) {
    for (int mode = 0, below = 1; mode < rank(layout); ++mode) {
      extent.push_back(size(tile::mode(layout, mode)));
      step.push_back(below);
      below *= extent.back();
    }
  }
};

// Whether the elements from `index` on along a mode are neighbours in memory, the first of them at
// a multiple of their number.
bool together(const tile::Swizzled& layout, int index, int step, int count) {
  const int first = layout(index);
  if (first % count != 0) return false;
  for (int i = 1; i < count; ++i)
    if (layout(index + i * step) != first + i) return false;
  return true;
}

// The mode along which every run of `count` elements can be read at once.
std::optional<int> vector_mode(const tile::Swizzled& layout, const Modes& modes, int count) {
  for (int mode = 0; mode < static_cast<int>(modes.extent.size()); ++mode) {
    const int extent = modes.extent[mode], step = modes.step[mode];
    bool all = extent % count == 0;
    for (int index = 0; all && index < size(layout); ++index)
      if (index / step % extent % count == 0) all = together(layout, index, step, count);
    if (all) return mode;
  }
  return std::nullopt;
}

// Lane after lane along `along`, `vector` elements of mode `of` each; past its end on along the
// others. Where the tile has fewer reads than a warp has lanes, the last lanes read the first
// again.
std::array<int, tile::warp_lanes> offsets_along(const tile::Swizzled& layout, const Modes& modes,
                                                int along, int of, int vector) {
  std::array<int, tile::warp_lanes> offsets{};
  for (int lane = 0; lane < tile::warp_lanes; ++lane) {
    int rest = lane, index = 0;
    const auto take = [&](int mode) {
      const int width = mode == of ? vector : 1, count = modes.extent[mode] / width;
      index += rest % count * width * modes.step[mode];
      rest /= count;
    };
    take(along);
    for (int mode = 0; mode < static_cast<int>(modes.extent.size()); ++mode)
      if (mode != along) take(mode);
    offsets[static_cast<std::size_t>(lane)] = layout(index);
  }
  return offsets;
}

std::string line(const tile::Swizzled& layout, const Modes& modes, int along, int of, int vector,
                 int element_bytes) {
  auto bytes = offsets_along(layout, modes, along, of, vector);
  for (int& offset : bytes) offset *= element_bytes;
  const tile::BankAccess access = tile::bank_access(bytes.data(), vector * element_bytes);
  return fmt::format("  along mode {}, {:2} bytes a lane: {:2} {}, {}\n", along,
                     vector * element_bytes, access.wavefronts,
                     access.wavefronts == 1 ? "wavefront" : "wavefronts",
                     access.conflicts() > 0 ? fmt::format("{} without conflicts", access.phases)
                                            : std::string("no conflicts"));
}

}  // namespace

Element element_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Element element : elements) {
    names.emplace_back(name_of(element));
    if (name == names.back()) return element;
  }
  base::refuse(base::Exit::usage, "layout --element takes ", base::join(names, ", "), ", not '",
               name, "'");
}

std::string bank_report(const tile::Swizzled& layout, Element element) {
  const int bytes = bytes_of(element), vector = widest_access / bytes;
  const Modes modes(layout.layout);
  std::string out =
      fmt::format("bank conflicts of a warp, {} of {} bytes:\n", name_of(element), bytes);
  const int count = static_cast<int>(modes.extent.size());
  for (int mode = 0; mode < count; ++mode)
    if (modes.extent[mode] > 1) out += line(layout, modes, mode, mode, 1, bytes);
  const std::optional<int> of = vector_mode(layout, modes, vector);
  if (!of)
    return out + fmt::format("  16 bytes a lane: the layout does not keep {} elements together\n",
                             vector);
  for (int mode = 0; mode < count; ++mode)
    if (modes.extent[mode] > 1) out += line(layout, modes, mode, *of, vector, bytes);
  return out;
}

}  // namespace aisp::app
