#include "sim/exec/image/surface.hpp"

#include <algorithm>
#include <bit>

#include "base/refuse.hpp"
#include "sim/exec/image/texel.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/memory/access.hpp"

namespace aisp::sim {
namespace {

constexpr Word<ImageShape> surface_geometries[] = {
    {"1d", ImageShape::d1},         {"2d", ImageShape::d2},         {"3d", ImageShape::d3},
    {"a1d", ImageShape::layers_1d}, {"a2d", ImageShape::layers_2d},
};
constexpr Word<SurfaceBounds> bounds_words[] = {
    {"trap", SurfaceBounds::trap},
    {"clamp", SurfaceBounds::clamp},
    {"zero", SurfaceBounds::zero},
};

// One coordinate; false: outside, and the access does nothing.
bool bounded(std::int64_t& index, std::int64_t last, const SurfaceForm& form, const char* name,
             int lane) {
  if (index >= 0 && index <= last) return true;
  if (form.bounds == SurfaceBounds::zero) return false;
  if (form.bounds == SurfaceBounds::trap)
    throw Fault{
        FaultKind::out_of_bounds,
        base::say("surface access out of bounds: ", name, " is ", index, ", the last is ", last),
        static_cast<std::uint64_t>(index), lane};
  index = std::clamp<std::int64_t>(index, 0, last);
  return true;
}

// The address of a lane's element; 0: outside.
std::uint64_t address_of(const Warp& warp, const Ref* refs, const TexelImage& image,
                         const SurfaceForm& form, int lane) {
  const auto word = [&](Ref ref) {
    return std::int64_t{static_cast<std::int32_t>(warp.read<std::uint32_t>(ref)[lane])};
  };
  const ImageLevel& level = image.levels.front();
  const std::int64_t texel = image.format.bytes();
  const std::int64_t bytes = form.formatted ? texel : form.bytes * form.count;
  std::int64_t slice = has_layer(form.geometry) ? word(*refs++) : 0;
  const int dimensions = dimensions_of(form.geometry);
  std::int64_t x = word(refs[0]);
  std::int64_t y = dimensions > 1 ? word(refs[1]) : 0;
  if (dimensions > 2) slice = word(refs[2]);
  if (form.formatted) x *= texel;
  if (x % bytes != 0)
    throw Fault{FaultKind::misaligned,
                base::say("surface access of ", bytes, " bytes at byte ", x,
                          " of a row: x counts bytes and must be a multiple of ", bytes),
                static_cast<std::uint64_t>(x), lane};
  const std::int64_t row = std::int64_t{level.width} * texel;
  if (!bounded(slice, std::int64_t{level.depth} - 1, form,
               has_layer(form.geometry) ? "the layer" : "z", lane) ||
      !bounded(y, std::int64_t{level.height} - 1, form, "y", lane) ||
      !bounded(x, (row - bytes) / bytes * bytes, form, "x in bytes", lane))
    return 0;
  return level.base + static_cast<std::uint64_t>(slice) * level.plane +
         static_cast<std::uint64_t>(y) * level.pitch + static_cast<std::uint64_t>(x);
}

template <class Body>
void each_surface(Warp& warp, const Op& op, Mask mask, Body&& body) {
  for (Mask left = mask; left != 0;) {
    Mask same = left;
    const ImageObject& object = object_of(warp, op, same, true);
    left &= ~same;
    body(object.image, same);
  }
}

void write_element(Warp& warp, Ref ref, bool wide, int lane, std::uint64_t value) {
  if (ref == no_ref) return;
  if (wide)
    warp.write<std::uint64_t>(ref)[lane] = value;
  else
    warp.write<std::uint32_t>(ref)[lane] = static_cast<std::uint32_t>(value);
}

Flow run_load(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<SurfaceForm>(op);
  const Ref* const values = warp.list(op);
  each_surface(warp, op, mask, [&](const TexelImage& image, Mask same) {
    const std::uint32_t bytes = std::uint32_t{form.bytes} * form.count;
    const SurfacePlace place =
        locate_surface(warp, op, same, image, form,
                       {.access = Access::read, .bytes = bytes, .path = MemoryPath::surface});
    for (Mask left = same; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      for (int i = 0; i < form.count; ++i) {
        std::uint64_t value = 0;
        if ((place.inside >> lane & 1) != 0)
          std::memcpy(&value, place.at[lane] + i * form.bytes, form.bytes);
        write_element(warp, values[i], form.wide, lane, value);
      }
    }
  });
  return Flow::next;
}

std::uint64_t element_of(const Warp& warp, Ref ref, bool wide, int lane) {
  return wide ? warp.read<std::uint64_t>(ref)[lane] : warp.read<std::uint32_t>(ref)[lane];
}

Flow run_store(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<SurfaceForm>(op);
  const Ref* const values = warp.list(op);
  each_surface(warp, op, mask, [&](const TexelImage& image, Mask same) {
    const std::uint32_t bytes =
        form.formatted ? image.format.bytes() : std::uint32_t{form.bytes} * form.count;
    const SurfacePlace place =
        locate_surface(warp, op, same, image, form,
                       {.access = Access::write, .bytes = bytes, .path = MemoryPath::surface});
    for (Mask left = place.inside; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (form.formatted) {
        std::uint32_t words[4];
        for (int i = 0; i < form.count; ++i)
          words[i] = static_cast<std::uint32_t>(element_of(warp, values[i], form.wide, lane));
        encode_texel(place.at[lane], words, form.count, image.format);
        continue;
      }
      for (int i = 0; i < form.count; ++i) {
        const std::uint64_t value = element_of(warp, values[i], form.wide, lane);
        std::memcpy(place.at[lane] + i * form.bytes, &value, form.bytes);
      }
    }
    wrote(warp);
  });
  return Flow::next;
}

int take_vector(Binding& b) {
  if (b.accept("v2")) return 2;
  return b.accept("v4") ? 4 : 1;
}

Type take_element(Binding& b, SurfaceForm& form) {
  const Type type = b.type_of({Type::b8, Type::b16, Type::b32, Type::b64});
  form.bytes = static_cast<std::uint8_t>(bits_of(type) / 8);
  if (form.bytes * form.count > 16) b.refuse("an access has at most 128 bits");
  return type;
}

const std::vector<ptx::Operand>& values_of(Binding& b, const ptx::Operand& operand, int count) {
  const std::vector<ptx::Operand>& parts = b.parts(operand);
  if (static_cast<int>(parts.size()) != count)
    b.refuse(base::say("the value is a vector of ", count));
  return parts;
}

}  // namespace

ImageShape take_surface_geometry(Binding& b, bool layers) {
  const ImageShape geometry = b.one_of(surface_geometries, "the geometry is missing");
  if (!layers && has_layer(geometry)) b.refuse("layered surfaces are not for this instruction");
  return geometry;
}

SurfaceBounds take_bounds(Binding& b) {
  return b.one_of(bounds_words, ".trap, .clamp or .zero is missing");
}

SurfacePlace locate_surface(Warp& warp, const Op& op, Mask mask, const TexelImage& image,
                            const SurfaceForm& form, const AccessForm& access) {
  require_geometry(image, form.geometry, true, std::countr_zero(mask));
  const Ref* const coordinates = warp.list(op) + form.count;
  SurfacePlace place;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = address_of(warp, coordinates, image, form, lane);
    if (address == 0) continue;
    place.at[lane] =
        resolve(warp, ptx::Space::global, address, access.bytes, access.bytes, access.access, lane);
    place.inside |= Mask{1} << lane;
  }
  if (place.inside == 0) return place;
  if (warp.detailed) {
    const std::uint64_t bytes = std::uint64_t{access.bytes} * std::popcount(place.inside);
    if (access.access != Access::write) warp.counters->global_read += bytes;
    if (access.access != Access::read) warp.counters->global_written += bytes;
  }
  if (warp.observer != nullptr) warp.observer->access(warp, place.inside, place.at, access);
  return place;
}

void bind_suld(Binding& b) {
  SurfaceForm form;
  b.expect("b");
  form.geometry = take_surface_geometry(b, true);
  b.accept_any({"ca", "cg", "cs", "cv"});
  form.count = static_cast<std::uint8_t>(take_vector(b));
  const Type type = take_element(b, form);
  form.bounds = take_bounds(b);
  b.expect_operands(2, 2);
  if (b.operand(0).kind == ptx::Operand::Kind::sink)
    b.refuse("a result that is one register cannot be discarded with '_'");
  bool first = true;
  for (const ptx::Operand& part : values_of(b, b.operand(0), form.count)) {
    bool wide = false;
    b.list(b.write_relaxed(part, type, wide));
    if (!first && wide != form.wide) b.refuse("the registers of the vector differ in width");
    form.wide = wide;
    first = false;
  }
  form.coordinates = bind_coordinates(b, b.operand(1), form.geometry, Type::s32);
  set_form(b.op, form);
  b.op.run = run_load;
}

void bind_sust(Binding& b) {
  SurfaceForm form;
  form.formatted = b.accept("p");
  if (!form.formatted) b.expect("b");
  form.geometry = take_surface_geometry(b, true);
  b.accept_any({"wb", "cg", "cs", "wt"});
  form.count = static_cast<std::uint8_t>(take_vector(b));
  const Type type = form.formatted ? b.type_of({Type::b32}) : take_element(b, form);
  form.bounds = take_bounds(b);
  b.expect_operands(2, 2);
  // The vector of a formatted store may go without its modifier.
  const std::size_t given = b.operand(1).parts.size();
  if (form.formatted && form.count == 1 && (given == 2 || given == 4))
    form.count = static_cast<std::uint8_t>(given);
  bool first = true;
  for (const ptx::Operand& part : values_of(b, b.operand(1), form.count)) {
    bool wide = false;
    b.list(b.read_relaxed(part, type, wide));
    if (!first && wide != form.wide) b.refuse("the registers of the vector differ in width");
    form.wide = wide;
    first = false;
  }
  form.coordinates = bind_coordinates(b, b.operand(0), form.geometry, Type::s32);
  set_form(b.op, form);
  b.op.run = run_store;
}

}  // namespace aisp::sim
