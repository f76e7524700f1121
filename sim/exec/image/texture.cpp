// tex and tld4. A fetch is a list of texels with weights; the weighted sum is made in double, where
// every product is exact, and rounded once to f32.
#include <bit>
#include <cmath>

#include "base/refuse.hpp"
#include "sim/exec/image/footprint.hpp"
#include "sim/exec/image/texel.hpp"
#include "sim/exec/vector_of_one.hpp"
#include "sim/machine/access.hpp"

namespace aisp::sim {
namespace {

TextureCoordinates coordinates_of(const Warp& warp, const Ref* refs, const TextureForm& form,
                                  int lane) {
  const auto word = [&](Ref ref) { return warp.read<std::uint32_t>(ref)[lane]; };
  TextureCoordinates at;
  if (has_layer(form.geometry)) at.layer = word(*refs++);
  const int count = dimensions_of(form.geometry);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t bits = word(*refs++);
    at.index[i] = static_cast<std::int32_t>(bits);
    at.position[i] = std::bit_cast<float>(bits);
  }
  if (form.level == TextureLevel::given) {
    const std::uint32_t bits = word(*refs++);
    at.level = form.integer ? static_cast<float>(static_cast<std::int32_t>(bits))
                            : std::bit_cast<float>(bits);
  }
  if (form.level == TextureLevel::gradients)
    for (auto& gradient : at.gradient)
      for (int i = 0; i < count; ++i) gradient[i] = std::bit_cast<float>(word(*refs++));
  if (form.offset)
    for (int i = 0; i < count; ++i) at.offset[i] = static_cast<std::int32_t>(word(*refs++));
  return at;
}

Texel value_of(const Tap& tap, const ImageObject& object) {
  const TexelFormat& format = object.image.format;
  return tap.address == 0 ? border_texel(format, object.sampler)
                          : decode_texel(reinterpret_cast<const std::byte*>(tap.address), format,
                                         object.sampler);
}

Texel filtered(const TexelFootprint& footprint, const ImageObject& object) {
  if (footprint.count == 1) return value_of(footprint.taps[0], object);
  double sums[4] = {};
  for (int k = 0; k < footprint.count; ++k) {
    const Texel texel = value_of(footprint.taps[k], object);
    for (int i = 0; i < 4; ++i)
      sums[i] += footprint.taps[k].weight * double{std::bit_cast<float>(texel.channel[i])};
  }
  Texel result;
  for (int i = 0; i < 4; ++i)  // hosts differ in the NaN that they make
    result.channel[i] = std::isnan(sums[i])
                            ? 0x7fffffffu
                            : std::bit_cast<std::uint32_t>(static_cast<float>(sums[i]));
  return result;
}

Texel gathered(const TexelFootprint& footprint, const ImageObject& object, int component) {
  Texel result;
  for (int k = 0; k < 4; ++k)
    result.channel[k] = value_of(footprint.taps[k], object).channel[component];
  return result;
}

// Checks that the memory is still there, and tells who looks on.
void visit(Warp& warp, Mask mask, const TexelFootprint* footprints, std::uint32_t bytes) {
  for (int k = 0; k < TexelFootprint::most; ++k) {
    std::byte* at[lanes];
    Mask reading = 0;
    bool more = false;
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (k >= footprints[lane].count) continue;
      more = true;
      const std::uint64_t address = footprints[lane].taps[k].address;
      if (address == 0) continue;
      at[lane] = resolve(warp, ptx::Space::global, address, bytes, bytes, Access::read, lane);
      reading |= Mask{1} << lane;
    }
    if (!more) return;
    if (reading == 0) continue;
    if (warp.detailed) warp.counters->global_read += std::uint64_t{bytes} * std::popcount(reading);
    if (warp.observer != nullptr)
      warp.observer->access(warp, reading, at,
                            {.access = Access::read, .bytes = bytes, .path = MemoryPath::texture});
  }
}

void write_results(Warp& warp, const Ref* refs, const TextureForm& form, int lane,
                   const Texel& texel) {
  for (int i = 0; i < form.results; ++i) {
    if (refs[i] == no_ref) continue;
    std::uint32_t& to = warp.write<std::uint32_t>(refs[i])[lane];
    switch (form.result) {
      case TextureResult::words:
        to = texel.channel[i];
        break;
      case TextureResult::halves:
        to = half_of(texel.channel[i]);
        break;
      case TextureResult::half_pairs:
        to = half_of(texel.channel[2 * i]) |
             static_cast<std::uint32_t>(half_of(texel.channel[2 * i + 1])) << 16;
    }
  }
}

Flow run_texture(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<TextureForm>(op);
  const Ref* const refs = warp.list(op);
  for (Mask left = mask; left != 0;) {
    Mask same = left;
    const ImageObject& object = object_of(warp, op, same, false);
    left &= ~same;
    require_geometry(object.image, form.geometry, false, std::countr_zero(same));
    if (object.image.shape == ImageShape::linear && !form.integer)
      throw Fault{FaultKind::illegal_instruction,
                  "a texture on linear memory is read by integer coordinates (tex1Dfetch)", 0,
                  std::countr_zero(same)};
    TexelFootprint footprints[lanes];
    for (Mask rest = same; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const TextureCoordinates at = coordinates_of(warp, refs + form.results, form, lane);
      footprints[lane] =
          form.gathered >= 0 ? gathered_texels(object, form, at) : footprint_of(object, form, at);
    }
    visit(warp, same, footprints, object.image.format.bytes());
    for (Mask rest = same; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      write_results(warp, refs, form, lane,
                    form.gathered >= 0 ? gathered(footprints[lane], object, form.gathered)
                                       : filtered(footprints[lane], object));
    }
  }
  warp.set_predicate(op.dst2, mask, mask);  // everything is resident
  return Flow::next;
}

constexpr Word<ImageShape> geometries[] = {
    {"1d", ImageShape::d1},
    {"2d", ImageShape::d2},
    {"3d", ImageShape::d3},
    {"a1d", ImageShape::layers_1d},
    {"a2d", ImageShape::layers_2d},
    {"cube", ImageShape::cube},
    {"acube", ImageShape::layers_cube},
};
constexpr Word<TextureLevel> level_words[] = {
    {"base", TextureLevel::base},
    {"level", TextureLevel::given},
    {"grad", TextureLevel::gradients},
};
constexpr Word<std::int8_t> components[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};

ImageShape take_geometry(Binding& b) {
  if (b.peek() == "2dms" || b.peek() == "a2dms") b.refuse("multi-sample textures are not modelled");
  return b.one_of(geometries, "the geometry is missing: .1d .2d .3d .a1d .a2d .cube or .acube");
}

// The results, and the predicate that says whether the memory is resident.
void bind_results(Binding& b, TextureForm& form, Type type) {
  const ptx::Operand* results = &b.operand(0);
  if (results->kind == ptx::Operand::Kind::pair) {
    b.op.dst2 = b.write_predicate(results->parts[1]);
    if (b.op.dst2 == no_ref) b.refuse("the predicate cannot be discarded with '_'");
    results = &results->parts[0];
  }
  const std::vector<ptx::Operand>& parts = b.parts(*results);
  if (parts.size() != form.results)
    b.refuse(base::say("the result is a vector of ", int{form.results}));
  for (const ptx::Operand& part : parts) b.list(b.write(part, type));
}

// As many as the geometry has; ptxas lets vectors of integers be longer.
void bind_vector(Binding& b, const ptx::Operand& operand, ImageShape geometry, Type type) {
  const int count = dimensions_of(geometry);
  const std::vector<ptx::Operand>& parts = b.parts(operand);
  const int given = static_cast<int>(parts.size()), wanted = count == 3 ? 4 : count;
  if (given < wanted || (given > wanted && type == Type::f32))
    b.refuse(base::say("a vector of ", wanted, " is expected"));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Ref ref = b.read(parts[i], type);
    if (static_cast<int>(i) < count) b.list(ref);
  }
}

bool is_float_operand(const Binding& b, const ptx::Operand& operand) {
  return operand.kind != ptx::Operand::Kind::vector &&
         (b.register_type(operand) == Type::f32 ||
          (b.is_constant(operand) && operand.value.kind != ptx::Expression::Kind::integer));
}

// What follows the coordinates: the level, offsets, a depth to compare with.
void bind_rest(Binding& b, TextureForm& form) {
  int next = 2;
  if (form.level == TextureLevel::given)
    b.list(b.read(scalar(b.operand(next++)), form.integer ? Type::s32 : Type::f32));
  if (form.level == TextureLevel::gradients)
    for (int i = 0; i < 2; ++i) {
      if (b.operand(next).kind != ptx::Operand::Kind::vector) b.refuse("gradients are vectors");
      bind_vector(b, b.operand(next++), form.geometry, Type::f32);
    }
  if (next < b.operands() && !is_float_operand(b, b.operand(next))) {
    if (form.geometry == ImageShape::cube || form.geometry == ImageShape::layers_cube)
      b.refuse("cubemaps have no offsets");
    form.offset = true;
    bind_vector(b, b.operand(next++), form.geometry, Type::s32);
  }
  if (next < b.operands()) b.refuse("depth textures are not modelled");
}

void bind_fetch(Binding& b, TextureForm form, Type type) {
  if (b.operands() < 2) b.refuse("a result and [handle, coordinates] are expected");
  bind_results(b, form, type);
  form.coordinates =
      bind_coordinates(b, b.operand(1), form.geometry, form.integer ? Type::s32 : Type::f32);
  bind_rest(b, form);
  set_form(b.op, form);
  b.op.run = run_texture;
}

}  // namespace

void bind_tex(Binding& b) {
  TextureForm form;
  form.level = b.accept(level_words).value_or(TextureLevel::base);
  form.geometry = take_geometry(b);
  form.results = b.accept("v4") ? 4 : 0;
  if (form.results == 0 && b.accept("v2")) form.results = 2;
  const Type type = b.type_of({Type::u32, Type::s32, Type::f32, Type::f16, Type::f16x2});
  if (type == Type::f16x2) form.result = TextureResult::half_pairs;
  if (type == Type::f16) form.result = TextureResult::halves;
  if (form.results != (type == Type::f16x2 ? 2 : 4))
    b.refuse(type == Type::f16x2 ? ".f16x2 needs .v2" : "this type needs .v4");
  form.integer = b.type_of({Type::s32, Type::f32}) == Type::s32;
  if (form.integer &&
      (form.geometry == ImageShape::cube || form.geometry == ImageShape::layers_cube))
    b.refuse("cubemaps have float coordinates");
  bind_fetch(b, form, type);
}

void bind_tld4(Binding& b) {
  TextureForm form;
  form.gathered = b.one_of(components, "the component is missing: .r .g .b or .a");
  form.geometry = take_geometry(b);
  if (form.geometry == ImageShape::d1 || form.geometry == ImageShape::d3 ||
      form.geometry == ImageShape::layers_1d)
    b.refuse("a gather needs .2d, .a2d, .cube or .acube");
  b.expect("v4");
  const Type type = b.type_of({Type::u32, Type::s32, Type::f32});
  b.expect("f32");
  bind_fetch(b, form, type);
}

}  // namespace aisp::sim
