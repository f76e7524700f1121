#include "tests/sim/support/image_input.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

namespace aisp::experiments {
namespace {

const std::map<std::string, sim::ImageShape> shapes = {
    {"memory", sim::ImageShape::linear}, {"1d", sim::ImageShape::d1},
    {"2d", sim::ImageShape::d2},         {"3d", sim::ImageShape::d3},
    {"a1d", sim::ImageShape::layers_1d}, {"a2d", sim::ImageShape::layers_2d},
    {"cube", sim::ImageShape::cube},     {"acube", sim::ImageShape::layers_cube},
};

sim::TexelFormat read_format(const std::string& word) {
  char kind = 0;
  unsigned bits = 0, channels = 0;
  if (std::sscanf(word.c_str(), "%c%ux%u", &kind, &bits, &channels) != 3)
    throw std::runtime_error("'" + word + "' is no format such as u8x4");
  sim::TexelFormat format;
  format.kind = kind == 'f'   ? sim::ChannelKind::floating
                : kind == 's' ? sim::ChannelKind::is_signed
                              : sim::ChannelKind::is_unsigned;
  format.bits = static_cast<std::uint8_t>(bits);
  format.channels = static_cast<std::uint8_t>(channels);
  return format;
}

sim::ImageLevel read_size(const std::string& word, const sim::TexelFormat& format) {
  sim::ImageLevel level;
  if (std::sscanf(word.c_str(), "%ux%ux%u", &level.width, &level.height, &level.depth) != 3)
    throw std::runtime_error("'" + word + "' is no size such as 4x3x1");
  level.pitch = std::uint64_t{level.width} * format.bytes();
  level.plane = level.pitch * level.height;
  return level;
}

void add_levels(sim::TexelImage& image) {
  while (image.levels.back().width > 1 || image.levels.back().height > 1) {
    const sim::ImageLevel& finer = image.levels.back();
    sim::ImageLevel level = finer;
    level.base += finer.plane * finer.depth;
    level.width = std::max(finer.width / 2, 1u);
    level.height = std::max(finer.height / 2, 1u);
    level.pitch = std::uint64_t{level.width} * image.format.bytes();
    level.plane = level.pitch * level.height;
    image.levels.push_back(level);
  }
}

bool read_mode(const std::string& word, sim::Sampler& sampler) {
  const std::map<std::string, sim::AddressMode> modes = {{"wrap", sim::AddressMode::wrap},
                                                         {"clamp", sim::AddressMode::clamp},
                                                         {"mirror", sim::AddressMode::mirror},
                                                         {"border", sim::AddressMode::border}};
  const auto found = modes.find(word);
  if (found == modes.end()) return false;
  for (sim::AddressMode& mode : sampler.address) mode = found->second;
  return true;
}

}  // namespace

sim::ImageObject read_image(std::istringstream& words, bool surface) {
  sim::ImageObject object;
  object.surface = surface;
  std::string shape, format, size;
  words >> shape >> format >> size;
  if (!shapes.contains(shape)) throw std::runtime_error("'" + shape + "' is no shape");
  object.image.shape = shapes.at(shape);
  object.image.format = read_format(format);
  object.image.levels = {read_size(size, object.image.format)};
  sim::Sampler& sampler = object.sampler;
  sampler.most_level = 1000;
  if (object.image.shape == sim::ImageShape::linear) read_mode("border", sampler);
  for (std::string word; words >> word;) {
    if (word == "linear")
      sampler.linear = true;
    else if (word == "normalized")
      sampler.normalized_coordinates = true;
    else if (word == "fraction")
      sampler.normalized_values = true;
    else if (word == "srgb")
      sampler.srgb = true;
    else if (word == "seamless")
      sampler.seamless = true;
    else if (word == "trilinear")
      sampler.linear_mipmap = true;
    else if (word == "mipmaps")
      add_levels(object.image);
    else if (!read_mode(word, sampler))
      throw std::runtime_error("'" + word + "' says nothing of an image");
  }
  return object;
}

}  // namespace aisp::experiments
