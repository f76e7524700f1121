// What texture and surface instructions share: handles, coordinates, shapes that fit.
#include <bit>

#include "base/refuse.hpp"
#include "sim/exec/image/form.hpp"

namespace aisp::sim {

int dimensions_of(ImageShape geometry) {
  switch (geometry) {
    case ImageShape::linear:
    case ImageShape::d1:
    case ImageShape::layers_1d:
      return 1;
    case ImageShape::d2:
    case ImageShape::layers_2d:
      return 2;
    default:
      return 3;  // a direction for cubemaps
  }
}

bool has_layer(ImageShape geometry) {
  return geometry == ImageShape::layers_1d || geometry == ImageShape::layers_2d ||
         geometry == ImageShape::layers_cube;
}

int vector_size(ImageShape geometry) {
  const int needed = dimensions_of(geometry) + (has_layer(geometry) ? 1 : 0);
  return needed == 3 ? 4 : needed;  // there are no vectors of three
}

const ImageObject& object_of(Warp& warp, const Op& op, Mask& lanes, bool surface) {
  const auto* handles = warp.read<std::uint64_t>(op.a);
  const int first = std::countr_zero(lanes);
  const std::uint64_t handle = handles[first];
  for (Mask left = lanes; left != 0; left &= left - 1)
    if (handles[std::countr_zero(left)] != handle) lanes &= ~(left & (~left + 1));
  const ImageObjects& objects = warp.block->grid->memory->images();
  const ImageObject* const object = objects.find(handle);
  const char* const wanted = surface ? "surface" : "texture";
  if (object == nullptr)
    throw Fault{FaultKind::illegal_instruction,
                base::say(handle, " is no ", wanted, " object",
                          objects.was_removed(handle) ? ": it was destroyed" : ""),
                handle, first};
  if (object->surface != surface)
    throw Fault{FaultKind::illegal_instruction,
                base::say(handle, " is a ", surface ? "texture" : "surface", " object, and the ",
                          "instruction needs a ", wanted, " object"),
                handle, first};
  return *object;
}

void require_geometry(const TexelImage& image, ImageShape geometry, bool surface, int lane) {
  const ImageShape shape = image.shape;
  const std::uint32_t height = image.levels.front().height;
  const bool fits = [&] {
    switch (geometry) {
      case ImageShape::d1:
        return shape == ImageShape::d1 || shape == ImageShape::linear ||
               (shape == ImageShape::d2 && height == 1);
      case ImageShape::d2:
        return shape == ImageShape::d2 || shape == ImageShape::d1;
      case ImageShape::layers_1d:
        return shape == geometry || (shape == ImageShape::layers_2d && height == 1);
      case ImageShape::layers_2d:
        return shape == geometry || shape == ImageShape::layers_1d || (surface && image.cubic());
      default:
        return shape == geometry;
    }
  }();
  if (!fits)
    throw Fault{FaultKind::illegal_instruction,
                base::say("the instruction is for a ", name_of(geometry), " image, and the object ",
                          "is one of ", name_of(shape)),
                0, lane};
}

void bind_handle(Binding& b, const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::address) b.refuse("[handle] is expected");
  const BoundAddress address = b.address(operand);
  if (address.space != ptx::Space::none)
    b.refuse(
        "variables of type .texref, .samplerref and .surfref are not modelled: use a texture "
        "or surface object, whose handle has 64 bits");
  if (address.base == no_ref || !address.wide || address.offset != 0)
    b.refuse("the handle is a register of 64 bits");
  b.op.a = address.base;
}

std::uint8_t bind_coordinates(Binding& b, const ptx::Operand& operand, ImageShape geometry,
                              Type type) {
  bind_handle(b, operand);
  const auto& more = operand.address.more;
  if (more.size() > 1)
    b.refuse(
        "a sampler of its own (.texmode_independent) is not modelled: a texture object has "
        "one");
  if (more.empty()) b.refuse("the coordinates are missing");
  const std::vector<ptx::Operand>& parts = b.parts(more[0]);
  const int needed = dimensions_of(geometry) + (has_layer(geometry) ? 1 : 0);
  const auto count = static_cast<int>(parts.size());
  if (count < needed || count == 3 || count > 4)
    b.refuse(base::say("the coordinates are a vector of ", vector_size(geometry)));
  for (int i = 0; i < count; ++i) {
    const bool layer = i == 0 && has_layer(geometry);
    const Ref ref = b.read(parts[static_cast<std::size_t>(i)], layer ? Type::b32 : type);
    if (i < needed) b.list(ref);
  }
  return static_cast<std::uint8_t>(needed);
}

}  // namespace aisp::sim
