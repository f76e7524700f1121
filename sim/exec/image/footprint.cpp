#include "sim/exec/image/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/exec/image/cube.hpp"

namespace aisp::sim {
namespace {

constexpr std::int64_t outside = std::numeric_limits<std::int64_t>::min();
constexpr double one_weight = 256;  // weights have 8 fractional bits

// Indices far outside stay outside, and a NaN becomes 0.
double tamed(double value) {
  constexpr double far = 1e9;
  if (std::isnan(value)) return 0;
  return std::clamp(value, -far, far);
}

// The texel that a mode makes of an index; `outside` for the border.
std::int64_t addressed(std::int64_t index, std::uint32_t size, AddressMode mode) {
  const auto count = static_cast<std::int64_t>(size);
  switch (mode) {
    case AddressMode::clamp:
      return std::clamp<std::int64_t>(index, 0, count - 1);
    case AddressMode::wrap:
      return ((index % count) + count) % count;
    case AddressMode::mirror: {
      const std::int64_t turn = ((index % (2 * count)) + 2 * count) % (2 * count);
      return turn < count ? turn : 2 * count - 1 - turn;
    }
    case AddressMode::border:
      break;
  }
  return index >= 0 && index < count ? index : outside;
}

// A coordinate in texels. Normalised ones are brought near 0 first: the period of a wrap is 1, of a
// mirror 2.
double in_texels(float position, std::uint32_t size, AddressMode mode, bool normalized) {
  if (!normalized) return tamed(position);
  if (std::isinf(position) && (mode == AddressMode::wrap || mode == AddressMode::mirror)) return 0;
  if (mode == AddressMode::wrap) position = position - std::floor(position);
  if (mode == AddressMode::mirror) position = position - 2.0f * std::floor(position / 2.0f);
  const float scaled = position * static_cast<float>(size);
  return tamed(scaled);
}

// One dimension of a fetch: one texel, or two with a weight each.
struct Side {
  std::int64_t index[2] = {};  // before the mode is applied
  double weight[2] = {1, 0};
};

Side nearest(double texels, std::int32_t offset) {
  Side side;
  side.index[0] = side.index[1] = static_cast<std::int64_t>(std::floor(texels)) + offset;
  return side;
}

Side two_nearest(double texels, std::int32_t offset) {
  const auto fixed = static_cast<std::int64_t>(std::floor((texels - 0.5) * one_weight + 0.5));
  const std::int64_t first = fixed >> 8;
  const double fraction = static_cast<double>(fixed & 255) / one_weight;
  Side side;
  side.index[0] = first + offset;
  side.index[1] = first + 1 + offset;
  side.weight[0] = 1 - fraction;
  side.weight[1] = fraction;
  return side;
}

// The binary logarithm of a positive number to 10 fractional bits, the same on every host.
double logarithm(double value) {
  int exponent = 0;
  double rest = std::frexp(value, &exponent) * 2;  // 1 to 2
  double result = exponent - 1, bit = 0.5;
  for (int i = 0; i < 10; ++i, bit /= 2) {
    rest *= rest;
    if (rest < 2) continue;
    rest /= 2;
    result += bit;
  }
  return result;
}

double level_of_gradients(const TextureCoordinates& at, const ImageLevel& base, int dimensions,
                          bool normalized) {
  const std::uint32_t sizes[3] = {base.width, base.height, base.depth};
  double longest = 0;
  for (const auto& gradient : at.gradient) {
    double square = 0;
    for (int i = 0; i < dimensions; ++i) {
      const double step = double{gradient[i]} * (normalized ? sizes[i] : 1);
      square += step * step;
    }
    longest = std::max(longest, square);
  }
  if (!(longest > 0) || std::isinf(longest)) return longest > 0 ? 1000 : -1000;
  return logarithm(longest) / 2;
}

// Shape, sizes and layer of a fetch on one level.
class LevelFetch {
 public:
  LevelFetch(const ImageObject& object, const TextureForm& form, const TextureCoordinates& at,
             const ImageLevel& level)
      : object_(object), level_(level), texel_(object.image.format.bytes()) {
    const Sampler& sampler = object.sampler;
    const bool linear = (sampler.linear && !form.integer) || form.gathered >= 0;
    dimensions_ = dimensions_of(form.geometry);
    const bool cubic = object.image.cubic();
    if (has_layer(form.geometry)) {
      const std::uint32_t layers = cubic ? level.depth / 6 : level.depth;
      slice_ = std::min(at.layer, layers - 1) * (cubic ? 6 : 1);
    }
    float position[3] = {at.position[0], at.position[1], at.position[2]};
    if (cubic) {
      const CubePlace place = place_on_cube(position[0], position[1], position[2]);
      face_ = place.face;
      position[0] = place.s;
      position[1] = place.t;
      dimensions_ = 2;
    }
    const std::uint32_t sizes[3] = {level.width, level.height, level.depth};
    for (int i = 0; i < dimensions_; ++i) {
      modes_[i] = cubic ? AddressMode::clamp : sampler.address[i];
      if (form.integer) {
        if (modes_[i] != AddressMode::border) modes_[i] = AddressMode::clamp;
        sides_[i] = nearest(at.index[i], at.offset[i]);
        continue;
      }
      const double texels =
          in_texels(position[i], sizes[i], modes_[i], sampler.normalized_coordinates || cubic);
      sides_[i] = linear ? two_nearest(texels, at.offset[i]) : nearest(texels, at.offset[i]);
    }
  }

  void add_all(TexelFootprint& footprint, double share) const {
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x) {
          const double weight =
              sides_[0].weight[x] * sides_[1].weight[y] * sides_[2].weight[z] * share;
          if (weight != 0) footprint.add(address_of(x, y, z), weight);
        }
  }

  // `x`, `y`, `z`: the first or second texel of each dimension. 0: the border.
  std::uint64_t address_of(int x, int y, int z) const {
    std::int64_t index[3] = {sides_[0].index[x], sides_[1].index[y], sides_[2].index[z]};
    std::uint32_t slice = slice_;
    if (object_.image.cubic()) {
      CubeTexel texel{face_, index[0], index[1]};
      if (object_.sampler.seamless) texel = over_the_edge(texel, level_.width);
      index[0] = texel.x;
      index[1] = texel.y;
      slice += texel.face;
    }
    const std::uint32_t sizes[3] = {level_.width, level_.height, level_.depth};
    std::uint32_t found[3] = {0, 0, slice};
    for (int i = 0; i < dimensions_; ++i) {
      const std::int64_t inside = addressed(index[i], sizes[i], modes_[i]);
      if (inside == outside) return 0;
      found[i] = static_cast<std::uint32_t>(inside);
    }
    return level_.at(found[0], found[1], found[2], texel_);
  }

 private:
  const ImageObject& object_;
  const ImageLevel& level_;
  std::uint32_t texel_;
  int dimensions_ = 1;
  std::uint32_t slice_ = 0, face_ = 0;
  Side sides_[3];
  AddressMode modes_[3] = {};
};

}  // namespace

TexelFootprint footprint_of(const ImageObject& object, const TextureForm& form,
                            const TextureCoordinates& at) {
  TexelFootprint footprint;
  const auto& levels = object.image.levels;
  const Sampler& sampler = object.sampler;
  if (levels.size() == 1) {
    LevelFetch(object, form, at, levels[0]).add_all(footprint, 1);
    return footprint;
  }
  double level = 0;
  if (form.level == TextureLevel::given) level = tamed(at.level);
  if (form.level == TextureLevel::gradients)
    level = level_of_gradients(at, levels[0], dimensions_of(form.geometry),
                               sampler.normalized_coordinates);
  level = std::clamp<double>(level + sampler.bias, sampler.least_level,
                             std::max(sampler.least_level, sampler.most_level));
  level = std::clamp<double>(level, 0, static_cast<double>(levels.size() - 1));
  if (!sampler.linear_mipmap) {
    const auto whole = static_cast<std::size_t>(std::floor(level + 0.5));
    LevelFetch(object, form, at, levels[std::min(whole, levels.size() - 1)]).add_all(footprint, 1);
    return footprint;
  }
  const auto fixed = static_cast<std::size_t>(std::floor(level * one_weight + 0.5));
  const std::size_t finer = fixed >> 8;
  const double share = static_cast<double>(fixed & 255) / one_weight;
  LevelFetch(object, form, at, levels[finer]).add_all(footprint, 1 - share);
  if (share != 0) LevelFetch(object, form, at, levels[finer + 1]).add_all(footprint, share);
  return footprint;
}

TexelFootprint gathered_texels(const ImageObject& object, const TextureForm& form,
                               const TextureCoordinates& at) {
  const LevelFetch fetch(object, form, at, object.image.levels[0]);
  TexelFootprint footprint;
  footprint.add(fetch.address_of(0, 1, 0), 1);
  footprint.add(fetch.address_of(1, 1, 0), 1);
  footprint.add(fetch.address_of(1, 0, 0), 1);
  footprint.add(fetch.address_of(0, 0, 0), 1);
  return footprint;
}

}  // namespace aisp::sim
