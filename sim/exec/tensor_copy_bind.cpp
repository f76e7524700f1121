// The written forms of cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and
// cp.async.bulk.prefetch.tensor.
#include "base/refuse.hpp"
#include "sim/exec/bulk_modifiers.hpp"
#include "sim/exec/copy.hpp"
#include "sim/exec/copy_operands.hpp"
#include "sim/exec/tensor_copy_form.hpp"

namespace sim {
namespace {

using base::say;

enum Group { rank_group = own_groups, mode_group, pair_group };

constexpr Choice own_choices[] = {
    {"1d", rank_group, 1},
    {"2d", rank_group, 2},
    {"3d", rank_group, 3},
    {"4d", rank_group, 4},
    {"5d", rank_group, 5},
    {"tile", mode_group, static_cast<int>(TensorMode::tile)},
    {"im2col", mode_group, static_cast<int>(TensorMode::im2col)},
    {"im2col_no_offs", mode_group, static_cast<int>(TensorMode::im2col_no_offsets)},
    {"tile::gather4", mode_group, static_cast<int>(TensorMode::gather4)},
    {"tile::scatter4", mode_group, static_cast<int>(TensorMode::scatter4)},
    {"im2col::w", mode_group, static_cast<int>(TensorMode::im2col_wide)},
    {"im2col::w::128", mode_group, static_cast<int>(TensorMode::im2col_wide)},
    {"cta_group::1", pair_group, 0},
    {"cta_group::2", pair_group, 1},
};

Chosen bind_form(Binding& b) {
  require_architecture(b, 90, "a tensor copy");
  const Chosen chosen = take_modifiers(b, bulk_choices, own_choices);
  if (!chosen.has(rank_group)) b.refuse("the rank .1d to .5d is missing");
  const auto mode = static_cast<TensorMode>(chosen.value_or(mode_group, 0));
  if (mode == TensorMode::im2col_wide) b.refuse("the .im2col::w modes are not modelled");
  if (mode == TensorMode::gather4 || mode == TensorMode::scatter4 || chosen.has(pair_group))
    require_architecture(b, 100, "four rows, or .cta_group");
  const int rank = chosen.group[rank_group];
  if ((mode == TensorMode::im2col || mode == TensorMode::im2col_no_offsets) && rank < 3)
    b.refuse("im2col needs at least three dimensions");
  b.op.imm |= static_cast<std::uint64_t>(rank) << 4 | static_cast<std::uint64_t>(mode) << 8 |
              std::uint64_t{chosen.has(multicast_group)} << 11 |
              std::uint64_t{chosen.value_or(pair_group, 0) == 1} << 12 |
              static_cast<std::uint64_t>(chosen.value_or(reduce_group, 0)) << 13 |
              std::uint64_t{chosen.has(reduce_group)} << 16;
  return chosen;
}

// The values behind the addresses: the map's operand brings the coordinates along.
void bind_values(Binding& b, const ptx::Operand& map, int slots) {
  b.op.imm |= static_cast<std::uint64_t>(slots) << 17;
  const TensorForm form{b.op.imm};
  if (map.kind != ptx::Operand::Kind::address || map.address.more.size() != 1)
    b.refuse("the tensor operand is [map, {coordinates}]");
  const auto& coordinates = b.parts(map.address.more[0]);
  if (static_cast<int>(coordinates.size()) != form.coordinates())
    b.refuse(say(form.coordinates(), " coordinates are needed, not ", coordinates.size()));
  for (const ptx::Operand& part : coordinates) b.list(b.read(part, Type::s32));
}

// Operands from `next` on: offsets, mask of blocks, cache policy, as far as the form has them.
void bind_rest(Binding& b, const Chosen& chosen, int next) {
  const TensorForm form{b.op.imm};
  const int count = (form.offsets() > 0) + form.multicast() + chosen.has(hint_group);
  b.expect_operands(next + count, next + count);
  if (form.offsets() > 0) {
    const auto& offsets = b.parts(b.operand(next++));
    if (static_cast<int>(offsets.size()) != form.offsets())
      b.refuse(say(form.offsets(), " im2col offsets are needed, not ", offsets.size()));
    for (const ptx::Operand& part : offsets) b.list(b.read(part, Type::u16));
  }
  if (form.multicast()) b.op.a = b.read(next++, Type::u16);
  if (chosen.has(hint_group)) b.op.b = b.read(next, Type::b64);
}

void bind_load(Binding& b, const Chosen& chosen) {
  const auto mode = TensorForm{b.op.imm}.mode();
  if (chosen.group[completion_group] != 0)
    b.refuse("a load ends with .mbarrier::complete_tx::bytes");
  if (mode == TensorMode::im2col_no_offsets || mode == TensorMode::scatter4)
    b.refuse("a mode of stores");
  if (chosen.has(multicast_group) && chosen.spaces[0] != CopySpace::shared_cluster)
    b.refuse(".multicast::cluster needs the destination .shared::cluster");
  if (b.operands() < 3) b.refuse("operands: [shared], [map, {coordinates}], [mbarrier]");
  bind_address(b, map_slot, b.operand(1));
  bind_address(b, shared_slot, b.operand(0));
  bind_address(b, barrier_slot, b.operand(2));
  bind_values(b, b.operand(1), 3);
  bind_rest(b, chosen, 3);
  b.op.run = run_tensor_load;
}

void bind_store(Binding& b, const Chosen& chosen) {
  const auto mode = TensorForm{b.op.imm}.mode();
  if (chosen.group[completion_group] != 1) b.refuse("a store ends with .bulk_group");
  if (mode == TensorMode::im2col || mode == TensorMode::gather4) b.refuse("a mode of loads");
  if (chosen.has(multicast_group) || chosen.has(pair_group)) b.refuse("modifiers of loads");
  if (b.operands() < 2) b.refuse("operands: [map, {coordinates}], [shared]");
  bind_address(b, map_slot, b.operand(0));
  bind_address(b, shared_slot, b.operand(1));
  bind_values(b, b.operand(0), 2);
  bind_rest(b, chosen, 2);
  b.op.run = run_tensor_store;
}

bool spaces_are(const Chosen& chosen, CopySpace to, CopySpace from) {
  return chosen.spaces.size() == 2 && chosen.spaces[0] == to && chosen.spaces[1] == from;
}

}  // namespace

void bind_tensor_copy(Binding& b) {
  const Chosen chosen = bind_form(b);
  if (chosen.has(reduce_group) || chosen.has(cache_group)) b.refuse("modifiers of other copies");
  if (spaces_are(chosen, CopySpace::global, CopySpace::shared_cta))
    bind_store(b, chosen);
  else if (spaces_are(chosen, CopySpace::shared_cluster, CopySpace::global) ||
           spaces_are(chosen, CopySpace::shared_cta, CopySpace::global))
    bind_load(b, chosen);
  else
    b.refuse(
        "a tensor copy goes from .global to .shared::cluster or .shared::cta, or from "
        ".shared::cta to .global");
}

void bind_tensor_reduce(Binding& b) {
  const Chosen chosen = bind_form(b);
  if (!chosen.has(reduce_group)) b.refuse("the reduction is missing");
  if (!spaces_are(chosen, CopySpace::global, CopySpace::shared_cta) || chosen.has(cache_group))
    b.refuse("a tensor reduction goes from .shared::cta to .global");
  if (TensorForm{b.op.imm}.four_rows()) b.refuse("a reduction has no mode of four rows");
  bind_store(b, chosen);
}

void bind_tensor_prefetch(Binding& b) {
  const Chosen chosen = bind_form(b);
  if (!chosen.has(cache_group) || chosen.spaces.size() != 1 ||
      chosen.spaces[0] != CopySpace::global)
    b.refuse("a prefetch goes from .global to .L2");
  if (chosen.has(completion_group) || chosen.has(multicast_group) || chosen.has(pair_group) ||
      chosen.has(reduce_group))
    b.refuse("modifiers of copies");
  if (b.operands() < 1) b.refuse("operand: [map, {coordinates}]");
  bind_address(b, map_slot, b.operand(0));
  bind_values(b, b.operand(0), 1);
  bind_rest(b, chosen, 1);
  b.op.run = run_tensor_prefetch;
}

}  // namespace sim
