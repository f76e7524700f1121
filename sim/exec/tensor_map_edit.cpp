// tensormap.replace and tensormap.cp_fenceproxy: tensor maps changed by kernels.
#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/copy.hpp"
#include "sim/exec/copy_operands.hpp"
#include "sim/exec/memory_access.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/tensor_map.hpp"

namespace sim {
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

// imm: bits 0..1 wide bases | 4..7 Field | 8..11 ordinal | 12..13 CopySpace
Field field_of(const Op& op) { return static_cast<Field>(op.imm >> 4 & 15); }

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

// Mode 128B has four kinds of atoms; the map keeps mode and atom in one number.
std::uint8_t with_atom(std::uint8_t swizzle, std::uint64_t atom) {
  constexpr auto b128 = static_cast<std::uint8_t>(Swizzle::b128);
  return swizzle < b128 ? swizzle : static_cast<std::uint8_t>(b128 + atom);
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
      map.swizzle = byte;
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

// Kernels may build a map from nothing: 128 zero bytes are one whose fields are all to be replaced.
TensorMap map_at(const std::byte* at, std::uint64_t address) {
  if (std::all_of(at, at + map_bytes, [](std::byte b) { return b == std::byte{0}; })) return {};
  TensorMap map;
  std::memcpy(&map, at, sizeof map);
  if (map.magic != TensorMap::tag)
    misuse(say("the 128 bytes at ", address, " are no tensor map"), address);
  if (map.im2col != 0) misuse("tensormap.replace.tile of an im2col map", address);
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
  const auto space = static_cast<CopySpace>(op.imm >> 12 & 3);
  each_lane_checked(mask, [&](int lane) {
    const std::uint64_t address = lane_address(warp, op, 0, lane);
    std::byte* at =
        resolve(warp, space_of(space), address, map_bytes, map_align, Access::write, lane);
    tell_map(warp, lane, at, Access::read);
    TensorMap map = map_at(at, address);
    replace(map, field_of(op), static_cast<unsigned>(op.imm >> 8 & 15),
            warp.read<Value>(op.a)[lane]);
    tell_map(warp, lane, at, Access::write);
    std::memcpy(at, &map, sizeof map);
    wrote(warp);
  });
  return Flow::next;
}

// The warp copies once; its lanes name the same addresses. imm: bits 0..1 wide bases | 4..5 Scope
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
                         static_cast<Scope>(op.imm >> 4 & 3), false);
  return Flow::next;
}

struct FieldRow {
  std::string_view name;
  Field field;
  bool has_ordinal, is_constant;
  int values;  // constants: 0 .. values - 1
};
constexpr FieldRow fields[] = {
    {"global_address", Field::global_address, false, false, 0},
    {"rank", Field::rank, false, false, 0},
    {"box_dim", Field::box_dim, true, false, 0},
    {"global_dim", Field::global_dim, true, false, 0},
    {"global_stride", Field::global_stride, true, false, 0},
    {"element_stride", Field::element_stride, true, false, 0},
    {"elemtype", Field::elemtype, false, true, 16},
    {"interleave_layout", Field::interleave_layout, false, true, 3},
    {"swizzle_mode", Field::swizzle_mode, false, true, 4},
    {"swizzle_atomicity", Field::swizzle_atomicity, false, true, 4},
    {"fill_mode", Field::fill_mode, false, true, 2},
};

const FieldRow& field_named(Binding& b) {
  const std::string_view name = b.take();
  for (const FieldRow& row : fields)
    if (row.name == name) return row;
  b.refuse(say("tensor maps have no field .", name));
}

}  // namespace

void bind_tensormap_replace(Binding& b) {
  require_architecture(b, 90, "tensormap.replace");
  if (!b.arch_specific()) b.refuse("tensormap.replace needs an architecture-specific target");
  b.expect("tile");
  const FieldRow& row = field_named(b);
  if (row.field == Field::swizzle_atomicity) require_architecture(b, 100, ".swizzle_atomicity");
  const int space = b.accept_one_of({"global", "shared::cta"});
  b.expect("b1024");
  const bool wide = row.field == Field::global_address || row.field == Field::global_stride;
  const Type type = b.type_of({wide ? Type::b64 : Type::b32});
  const int value = row.has_ordinal ? 2 : 1;
  b.expect_operands(value + 1, value + 1);
  bind_address(b, 0, b.operand(0));
  std::int64_t ordinal = 0;
  if (row.has_ordinal) {
    ordinal = b.constant(b.operand(1));
    const int last = row.field == Field::global_stride ? 3 : 4;
    if (ordinal < 0 || ordinal > last) b.refuse(say("ordinal ", ordinal, ": 0 to ", last));
    b.ignore(b.operand(1));
  }
  if (row.is_constant) {
    const std::int64_t given = b.constant(b.operand(value));
    if (given < 0 || given >= row.values)
      b.refuse(say("value ", given, " of .", row.name, ": 0 to ", row.values - 1));
  }
  b.op.a = b.read(value, type);
  const CopySpace where = space < 0    ? CopySpace::generic
                          : space == 0 ? CopySpace::global
                                       : CopySpace::shared_cta;
  b.op.imm |= static_cast<std::uint64_t>(row.field) << 4 |
              static_cast<std::uint64_t>(ordinal) << 8 | static_cast<std::uint64_t>(where) << 12;
  b.op.run = wide ? run_replace<std::uint64_t> : run_replace<std::uint32_t>;
}

void bind_tensormap_cp_fenceproxy(Binding& b) {
  require_architecture(b, 90, "tensormap.cp_fenceproxy");
  for (const char* part : {"global", "shared::cta", "tensormap::generic", "release"})
    b.expect(part);
  const int scope = b.accept_one_of({"cta", "cluster", "gpu", "sys"});
  if (scope < 0) b.refuse("the scope is missing");
  b.expect("sync");
  b.expect("aligned");
  b.expect_operands(3, 3);
  bind_address(b, 0, b.operand(0));
  bind_address(b, 1, b.operand(1));
  if (b.constant(b.operand(2)) != map_bytes) b.refuse("the size of a tensor map is 128");
  b.ignore(b.operand(2));
  b.op.imm |= static_cast<std::uint64_t>(scope) << 4;
  b.op.run = run_cp_fenceproxy;
}

}  // namespace sim
