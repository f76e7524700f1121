// tensormap.replace and tensormap.cp_fenceproxy: tensor maps changed by kernels.
#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/async/async.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/memory/modifiers.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/tensor_map.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum class Field : std::uint8_t {
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode,
};

constexpr std::uint32_t map_bytes = 128, map_align = 128;

struct ReplaceForm {
  AddressSlots slots;
  Field field{};
  std::uint8_t ordinal = 0;
  CopySpace space = CopySpace::generic;
};
struct FenceProxyForm {
  AddressSlots slots;
  Scope scope = Scope::cta;
};

// The instruction numbers element types in its own way.
constexpr TensorType element_types[] = {
    TensorType::u8,
    TensorType::u16,
    TensorType::u32,
    TensorType::s32,
    TensorType::u64,
    TensorType::s64,
    TensorType::f16,
    TensorType::f32,
    TensorType::f32_ftz,
    TensorType::f64,
    TensorType::bf16,
    TensorType::tf32,
    TensorType::tf32_ftz,
    TensorType::u4x16_align8,
    TensorType::u4x16_align16,
    TensorType::u6x16_align16,
};

// The modes of the instruction: its 96-byte one has a number that is a kind of atoms in the map.
constexpr Swizzle swizzle_modes[] = {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128,
                                     Swizzle::b96};

// Mode 128B has four kinds of atoms; the map keeps mode and atom in one number.
std::uint8_t with_atom(std::uint8_t swizzle, std::uint64_t atom) {
  constexpr auto b128 = static_cast<std::uint8_t>(Swizzle::b128);
  if (swizzle == static_cast<std::uint8_t>(Swizzle::b96) && atom != 0)
    misuse("tensormap.replace: the 96-byte swizzle has atoms of 16 bytes", 0);
  if (swizzle < b128 || swizzle == static_cast<std::uint8_t>(Swizzle::b96)) return swizzle;
  return static_cast<std::uint8_t>(b128 + atom);
}

void replace(TensorMap& map, Field field, unsigned ordinal, std::uint64_t value) {
  const auto byte = static_cast<std::uint8_t>(value);
  switch (field) {
    case Field::global_address:
      map.address = value;
      break;
    case Field::rank:
      map.rank = static_cast<std::uint8_t>(byte + 1);
      break;
    case Field::box_dim:
      map.box[ordinal] = static_cast<std::uint16_t>(value);
      break;
    case Field::global_dim:
      map.dim[ordinal] = value;
      break;
    case Field::global_stride:
      map.stride[ordinal] = value & ~std::uint64_t{15};
      break;
    case Field::element_stride:
      map.element_stride[ordinal] = byte;
      break;
    case Field::elemtype:
      map.element_type = static_cast<std::uint8_t>(element_types[byte]);
      break;
    case Field::interleave_layout:
      map.interleave = byte;
      break;
    case Field::swizzle_mode:
      map.swizzle = static_cast<std::uint8_t>(swizzle_modes[byte]);
      break;
    case Field::swizzle_atomicity:
      map.swizzle = with_atom(map.swizzle, value);
      break;
    case Field::fill_mode:
      map.nan_fill = byte;
      break;
  }
}

ptx::Space space_of(CopySpace space) {
  return space == CopySpace::generic  ? ptx::Space::none
         : space == CopySpace::global ? ptx::Space::global
                                      : ptx::Space::shared;
}

// Kernels may build a map from nothing: 128 zero bytes count as a map whose fields will be
// replaced.
TensorMap map_at(const std::byte* at, std::uint64_t address) {
  if (std::all_of(at, at + map_bytes, [](std::byte b) { return b == std::byte{0}; })) return {};
  TensorMap map;
  std::memcpy(&map, at, sizeof map);
  if (map.magic != TensorMap::tag)
    misuse(say("the 128 bytes at ", address, " are no tensor map"), address);
  if (map.is_im2col()) misuse("tensormap.replace.tile of an im2col map", address);
  return map;
}

// 128 bytes of the lane.
void tell_map(Warp& warp, int lane, std::byte* at, Access access) {
  if (warp.observer == nullptr) return;
  std::byte* of_lanes[lanes];
  of_lanes[lane] = at;
  tell_access(warp, Mask{1} << lane, of_lanes, {.access = access, .bytes = map_bytes});
}

template <class Value>
Flow run_replace(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<ReplaceForm>(op);
  each_lane_checked(mask, [&](int lane) {
    const std::uint64_t address = lane_address(warp, op, 0, lane);
    std::byte* at =
        resolve(warp, space_of(form.space), address, map_bytes, map_align, Access::write, lane);
    tell_map(warp, lane, at, Access::read);
    TensorMap map = map_at(at, address);
    replace(map, form.field, form.ordinal, warp.read<Value>(op.a)[lane]);
    tell_map(warp, lane, at, Access::write);
    std::memcpy(at, &map, sizeof map);
    wrote(warp);
  });
  return Flow::next;
}

// The warp copies once; its lanes name the same addresses.
Flow run_cp_fenceproxy(Warp& warp, const Op& op, Mask mask) {
  const Mask together = gather(warp, mask, all_lanes);
  if (together == 0) return Flow::wait;
  std::uint64_t last = 0;
  each_lane_checked(together, [&](int lane) {
    const std::uint64_t to = lane_address(warp, op, 0, lane);
    if (to == last) return;
    last = to;
    std::byte* into =
        resolve(warp, ptx::Space::global, to, map_bytes, map_align, Access::write, lane);
    std::byte* from = resolve(warp, ptx::Space::shared, lane_address(warp, op, 1, lane), map_bytes,
                              map_align, Access::read, lane);
    tell_map(warp, lane, from, Access::read);
    tell_map(warp, lane, into, Access::write);
    std::memcpy(into, from, map_bytes);
    wrote(warp);
  });
  if (warp.observer != nullptr)
    warp.observer->fence(warp, together, FenceKind::tensormap_release, MemoryOrder::release,
                         form_of<FenceProxyForm>(op).scope, false);
  return Flow::next;
}

struct FieldRow {
  Field field{};
  bool has_ordinal = false;
  int values = 0;  // a constant of 0 .. values - 1; 0: any value
};
constexpr Word<FieldRow> fields[] = {
    {"global_address", {Field::global_address}},
    {"rank", {Field::rank}},
    {"box_dim", {Field::box_dim, true}},
    {"global_dim", {Field::global_dim, true}},
    {"global_stride", {Field::global_stride, true}},
    {"element_stride", {Field::element_stride, true}},
    {"elemtype", {Field::elemtype, false, 16}},
    {"interleave_layout", {Field::interleave_layout, false, 3}},
    {"swizzle_mode", {Field::swizzle_mode, false, std::size(swizzle_modes)}},
    {"swizzle_atomicity", {Field::swizzle_atomicity, false, 4}, sm_100},
    {"fill_mode", {Field::fill_mode, false, 2}},
};
constexpr Word<CopySpace> spaces[] = {
    {"global", CopySpace::global},
    {"shared::cta", CopySpace::shared_cta},
};

}  // namespace

void bind_tensormap_replace(Binding& b) {
  b.expect("tile");
  const std::string_view name = b.peek();
  const auto row = b.accept(fields);
  if (!row) b.refuse(say("tensor maps have no field .", b.take()));
  ReplaceForm form{.field = row->field};
  form.space = b.accept(spaces).value_or(CopySpace::generic);
  b.expect("b1024");
  const bool wide = row->field == Field::global_address || row->field == Field::global_stride;
  const Type type = b.type_of({wide ? Type::b64 : Type::b32});
  const int value = row->has_ordinal ? 2 : 1;
  b.expect_operands(value + 1, value + 1);
  bind_address(b, form.slots, 0, b.operand(0));
  if (row->has_ordinal) {
    const std::int64_t ordinal = b.constant(b.operand(1));
    const int last = row->field == Field::global_stride ? 3 : 4;
    if (ordinal < 0 || ordinal > last) b.refuse(say("ordinal ", ordinal, ": 0 to ", last));
    form.ordinal = static_cast<std::uint8_t>(ordinal);
    b.ignore(b.operand(1));
  }
  if (row->values != 0) {
    const std::int64_t given = b.constant(b.operand(value));
    if (given < 0 || given >= row->values)
      b.refuse(say("value ", given, " of .", name, ": 0 to ", row->values - 1));
    if (row->field == Field::swizzle_mode && swizzle_modes[given] == Swizzle::b96)
      b.require(sm_103a_only, "the 96-byte swizzle");
  }
  b.op.a = b.read(value, type);
  set_form(b.op, form);
  b.op.run = wide ? run_replace<std::uint64_t> : run_replace<std::uint32_t>;
}

void bind_tensormap_cp_fenceproxy(Binding& b) {
  for (const char* part : {"global", "shared::cta", "tensormap::generic", "release"})
    b.expect(part);
  FenceProxyForm form;
  form.scope = b.one_of(scopes, "the scope is missing");
  b.expect("sync");
  b.expect("aligned");
  b.expect_operands(3, 3);
  bind_address(b, form.slots, 0, b.operand(0));
  bind_address(b, form.slots, 1, b.operand(1));
  if (b.constant(b.operand(2)) != map_bytes) b.refuse("the size of a tensor map is 128");
  b.ignore(b.operand(2));
  set_form(b.op, form);
  b.op.run = run_cp_fenceproxy;
}

}  // namespace aisp::sim
