// txq, suq and istypep: what is known of an object, and the rows of all texture instructions.
#include <algorithm>
#include <bit>

#include "sim/exec/image/form.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/exec/vector_of_one.hpp"

namespace aisp::sim {
namespace {

enum class Query : std::uint8_t {
  width,
  height,
  depth,
  normalized_coordinates,
  array_size,
  levels,
  filter,
  address_0,
  address_1,
  address_2,
  force_unnormalized,
  memory_layout,
  type,
};

struct QueryForm {
  Query query{};
  bool surface = false, of_level = false;
};

constexpr Word<Query> texture_queries[] = {
    {"width", Query::width},
    {"height", Query::height},
    {"depth", Query::depth},
    {"normalized_coords", Query::normalized_coordinates},
    {"array_size", Query::array_size},
    {"num_mipmap_levels", Query::levels},
    {"filter_mode", Query::filter},
    {"addr_mode_0", Query::address_0},
    {"addr_mode_1", Query::address_1},
    {"addr_mode_2", Query::address_2},
    {"force_unnormalized_coords", Query::force_unnormalized},
};
constexpr Word<Query> level_queries[] = {
    {"width", Query::width}, {"height", Query::height}, {"depth", Query::depth}};
constexpr Word<Query> surface_queries[] = {
    {"width", Query::width},
    {"height", Query::height},
    {"depth", Query::depth},
    {"array_size", Query::array_size},
    {"memory_layout", Query::memory_layout},
};

// PTX counts wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border.
std::uint32_t number_of(AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap:
      return 0;
    case AddressMode::mirror:
      return 1;
    case AddressMode::clamp:
      return 3;
    default:
      return 4;
  }
}

std::uint32_t answer(const ImageObject& object, Query query, std::uint32_t level_number) {
  const TexelImage& image = object.image;
  const ImageLevel& level =
      image.levels[std::min<std::size_t>(level_number, image.levels.size() - 1)];
  const int dimensions = image.cubic() ? 2 : dimensions_of(image.shape);
  switch (query) {
    case Query::width:
      return level.width;
    case Query::height:
      return dimensions > 1 ? level.height : 0;
    case Query::depth:
      return image.shape == ImageShape::d3 ? level.depth : 0;
    case Query::array_size:
      if (!image.layered()) return 0;
      return image.cubic() ? level.depth / 6 : level.depth;
    case Query::levels:
      return static_cast<std::uint32_t>(image.levels.size());
    case Query::normalized_coordinates:
      return object.sampler.normalized_coordinates ? 1 : 0;
    case Query::force_unnormalized:
      return object.sampler.normalized_coordinates ? 0 : 1;
    case Query::filter:
      return object.sampler.linear ? 1 : 0;
    case Query::address_0:
    case Query::address_1:
    case Query::address_2:
      return number_of(
          object.sampler.address[static_cast<int>(query) - static_cast<int>(Query::address_0)]);
    default:
      return 0;  // memory_layout: an array is not linear memory
  }
}

Flow run_query(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<QueryForm>(op);
  auto* const result = warp.write<std::uint32_t>(op.dst);
  for (Mask left = mask; left != 0;) {
    Mask same = left;
    const ImageObject& object = object_of(warp, op, same, form.surface);
    left &= ~same;
    for (Mask rest = same; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint32_t level = form.of_level ? warp.read<std::uint32_t>(op.b)[lane] : 0;
      result[lane] = answer(object, form.query, level);
    }
  }
  return Flow::next;
}

enum class Opaque : std::uint64_t { texture, sampler, surface };

Flow run_type(Warp& warp, const Op& op, Mask mask) {
  const auto* handles = warp.read<std::uint64_t>(op.a);
  const ImageObjects& objects = warp.block->grid->memory->images();
  const auto wanted = static_cast<Opaque>(op.imm);
  Mask found = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const ImageObject* const object = objects.find(handles[lane]);
    const bool is = object != nullptr && wanted != Opaque::sampler &&
                    object->surface == (wanted == Opaque::surface);
    found |= static_cast<Mask>(is) << lane;
  }
  warp.set_predicate(op.dst, mask, found);
  return Flow::next;
}

void refuse_source_words(Binding& b) {
  if (b.peek() == "channel_data_type" || b.peek() == "channel_order" || b.peek() == "num_samples")
    b.refuse("this query is not modelled: what it gives is another language's number");
}

constexpr OpcodeRow rows[] = {
    {"tex", OpClass::load, bind_tex,
     "{.base,.level,.grad}.{1d,2d,3d,a1d,a2d,cube,acube}.v4.{u32,s32,f32,f16}, .v2.f16x2, by .s32 "
     "or .f32; offsets, d\\|p; by the handles of texture objects"},
    {"tld4", OpClass::load, bind_tld4, ".{r,g,b,a}.{2d,a2d,cube,acube}.v4.{u32,s32,f32}.f32"},
    {"txq", OpClass::other, bind_txq,
     ".width .height .depth .array_size .num_mipmap_levels .normalized_coords .filter_mode "
     ".addr_mode_N .force_unnormalized_coords; .level"},
    {"suld", OpClass::load, bind_suld,
     ".b.{1d,2d,3d,a1d,a2d}{.v2,.v4}.b{8,16,32,64}.{trap,clamp,zero}; by the handles of surface "
     "objects"},
    {"sust", OpClass::store, bind_sust,
     ".b as suld; .p{.v2,.v4}.b32: x counts texels, values are converted"},
    {"sured", OpClass::atomic, bind_sured,
     ".b.{add,min,max,and,or}.{1d,2d,3d} on 32 and 64 bits, .p on .b32"},
    {"suq", OpClass::other, bind_suq, ".width .height .depth .array_size .memory_layout"},
    {"istypep", OpClass::compare, bind_istypep, ".{texref,samplerref,surfref} of handles"},
};

}  // namespace

void bind_txq(Binding& b) {
  QueryForm form;
  form.of_level = b.accept("level");
  refuse_source_words(b);
  form.query = form.of_level ? b.one_of(level_queries, "width, height or depth is asked for")
                             : b.one_of(texture_queries, "the query is missing");
  b.expect("b32");
  b.expect_operands(form.of_level ? 3 : 2, form.of_level ? 3 : 2);
  bind_handle(b, b.operand(1));
  if (form.of_level) b.op.b = b.read(scalar(b.operand(2)), Type::s32);
  b.op.dst = b.write(0, Type::b32);
  set_form(b.op, form);
  b.op.run = run_query;
}

void bind_suq(Binding& b) {
  QueryForm form;
  form.surface = true;
  refuse_source_words(b);
  form.query = b.one_of(surface_queries, "the query is missing");
  b.expect("b32");
  b.expect_operands(2, 2);
  bind_handle(b, b.operand(1));
  b.op.dst = b.write(0, Type::b32);
  set_form(b.op, form);
  b.op.run = run_query;
}

void bind_istypep(Binding& b) {
  constexpr Word<Opaque> types[] = {
      {"texref", Opaque::texture}, {"samplerref", Opaque::sampler}, {"surfref", Opaque::surface}};
  b.op.imm = static_cast<std::uint64_t>(b.one_of(types, ".texref, .samplerref or .surfref"));
  b.expect_operands(2, 2);
  b.op.a = b.read(1, Type::b64);
  b.op.dst = b.write_predicate(b.operand(0));
  b.op.run = run_type;
}

std::span<const OpcodeRow> image_rows() { return rows; }

}  // namespace aisp::sim
