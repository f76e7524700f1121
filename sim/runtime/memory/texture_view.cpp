#include "sim/runtime/memory/texture_view.hpp"

#include <algorithm>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

// The formats come in threes, of 1, 2 and 4 channels.
TexelFormat format_of(cudaResourceViewFormat format) {
  struct Row {
    cudaResourceViewFormat first;
    ChannelKind kind;
    std::uint8_t bits;
  };
  constexpr Row rows[] = {
      {cudaResViewFormatUnsignedChar1, ChannelKind::is_unsigned, 8},
      {cudaResViewFormatSignedChar1, ChannelKind::is_signed, 8},
      {cudaResViewFormatUnsignedShort1, ChannelKind::is_unsigned, 16},
      {cudaResViewFormatSignedShort1, ChannelKind::is_signed, 16},
      {cudaResViewFormatUnsignedInt1, ChannelKind::is_unsigned, 32},
      {cudaResViewFormatSignedInt1, ChannelKind::is_signed, 32},
      {cudaResViewFormatHalf1, ChannelKind::floating, 16},
      {cudaResViewFormatFloat1, ChannelKind::floating, 32},
  };
  for (const Row& row : rows) {
    const int step = static_cast<int>(format) - static_cast<int>(row.first);
    if (step >= 0 && step < 3)
      return {row.kind, row.bits, static_cast<std::uint8_t>(1 << step), false};
  }
  Runtime::get().note_once("views of block-compressed formats are not supported");
  throw ApiError{cudaErrorNotSupported};
}

}  // namespace

TexelImage viewed(const TexelImage& image, const cudaResourceViewDesc& view) {
  TexelImage result = image;
  if (view.format != cudaResViewFormatNone) {
    result.format = format_of(view.format);
    require(result.format.bytes() == image.format.bytes());
  }
  const ImageLevel& first = image.levels.front();
  require(view.width == first.width);
  require(std::max<std::size_t>(view.height, 1) == first.height);
  require(view.firstMipmapLevel <= view.lastMipmapLevel &&
          view.lastMipmapLevel < image.levels.size());
  result.levels.assign(image.levels.begin() + view.firstMipmapLevel,
                       image.levels.begin() + view.lastMipmapLevel + 1);
  if (!image.layered()) return result;
  require(view.firstLayer <= view.lastLayer && view.lastLayer < first.depth);
  const std::uint32_t layers = view.lastLayer - view.firstLayer + 1;
  require(!image.cubic() || (view.firstLayer % 6 == 0 && layers % 6 == 0));
  for (ImageLevel& level : result.levels) {
    level.base += view.firstLayer * level.plane;
    level.depth = layers;
  }
  return result;
}

}  // namespace aisp::sim
