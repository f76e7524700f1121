// The written forms of cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and
// cp.async.bulk.prefetch.tensor.
#include <initializer_list>

#include "base/refuse.hpp"
#include "sim/exec/async/async.hpp"
#include "sim/exec/async/bulk_modifiers.hpp"
#include "sim/exec/async/tma_form.hpp"
#include "sim/exec/memory/address_slots.hpp"

namespace aisp::sim {
namespace {

using base::say;

using Kind = BulkModifier;

constexpr Modifier own_words[] = {
    {"1d", Kind::rank, 1},
    {"2d", Kind::rank, 2},
    {"3d", Kind::rank, 3},
    {"4d", Kind::rank, 4},
    {"5d", Kind::rank, 5},
    {"tile", Kind::mode, TmaMode::tile},
    {"im2col", Kind::mode, TmaMode::im2col},
    {"im2col_no_offs", Kind::mode, TmaMode::im2col_no_offsets},
    {"tile::gather4", Kind::mode, TmaMode::gather4, sm_100},
    {"tile::scatter4", Kind::mode, TmaMode::scatter4, sm_100},
    {"im2col::w", Kind::mode, TmaMode::im2col_wide, sm_100},
    {"im2col::w::128", Kind::mode, TmaMode::im2col_wide_128, sm_100},
    {"cta_group::1", Kind::pair, 1, sm_100},
    {"cta_group::2", Kind::pair, 2, sm_100},
};

TmaForm tma_form(const Binding& b, const BulkModifiers& m) {
  if (!m.has(Kind::rank)) b.refuse("the rank .1d to .5d is missing");
  TmaForm form{.rank = m.given.get(Kind::rank, std::uint8_t{0}),
               .mode = m.given.get(Kind::mode, TmaMode::tile),
               .multicast = m.has(Kind::multicast),
               .pair = m.given.get(Kind::pair, 1) == 2,
               .reduce = m.reduce()};
  if (form.pixels() && form.rank < 3) b.refuse("im2col needs at least three dimensions");
  return form;
}

// The values behind the addresses: the map's operand brings the coordinates along.
void bind_values(Binding& b, const TmaForm& form, const ptx::Operand& map) {
  if (map.kind != ptx::Operand::Kind::address || map.address.more.size() != 1)
    b.refuse("the tensor operand is [map, {coordinates}]");
  const auto& coordinates = b.parts(map.address.more[0]);
  if (static_cast<int>(coordinates.size()) != form.coordinates())
    b.refuse(say(form.coordinates(), " coordinates are needed, not ", coordinates.size()));
  for (const ptx::Operand& part : coordinates) b.list(b.read(part, Type::s32));
}

// Operands from `next` on: offsets, mask of blocks, cache policy, as far as the form has them.
void bind_rest(Binding& b, const BulkModifiers& m, const TmaForm& form) {
  int next = form.slot_count;
  const bool hint = m.has(Kind::hint);
  const int count = (form.offsets() > 0) + form.multicast + hint;
  b.expect_operands(next + count, next + count);
  if (form.offsets() > 0) {
    const auto& offsets = b.parts(b.operand(next++));
    if (static_cast<int>(offsets.size()) != form.offsets())
      b.refuse(say(form.offsets(), form.wide() ? " numbers, halo and offset," : " im2col offsets",
                   " are needed, not ", offsets.size()));
    for (const ptx::Operand& part : offsets) b.list(b.read(part, Type::u16));
  }
  if (form.multicast) b.op.a = b.read(next++, Type::u16);
  if (hint) b.op.b = b.read(next, Type::b64);
}

// The operands that the slots name, in the order of the slots; the first one is the map.
void bind_operands(Binding& b, const BulkModifiers& m, TmaForm form,
                   std::initializer_list<int> addresses) {
  int slot = 0;
  for (const int operand : addresses) bind_address(b, form.slots, slot++, b.operand(operand));
  form.slot_count = static_cast<std::uint8_t>(slot);
  bind_values(b, form, b.operand(*addresses.begin()));
  bind_rest(b, m, form);
  set_form(b.op, form);
}

void bind_load(Binding& b, const BulkModifiers& m, const TmaForm& form) {
  if (m.completion() != Completion::mbarrier)
    b.refuse("a load ends with .mbarrier::complete_tx::bytes");
  if (form.mode == TmaMode::im2col_no_offsets || form.mode == TmaMode::scatter4)
    b.refuse("a mode of stores");
  if (form.multicast && m.spaces[0] != CopySpace::shared_cluster)
    b.refuse(".multicast::cluster needs the destination .shared::cluster");
  if (b.operands() < 3) b.refuse("operands: [shared], [map, {coordinates}], [mbarrier]");
  bind_operands(b, m, form, {1, 0, 2});
  b.op.run = run_tma_load;
}

void bind_store(Binding& b, const BulkModifiers& m, const TmaForm& form) {
  if (m.completion() != Completion::bulk_group) b.refuse("a store ends with .bulk_group");
  if (form.mode == TmaMode::im2col || form.mode == TmaMode::gather4 || form.wide())
    b.refuse("a mode of loads");
  if (m.has_any({Kind::multicast, Kind::pair})) b.refuse("modifiers of loads");
  if (b.operands() < 2) b.refuse("operands: [map, {coordinates}], [shared]");
  bind_operands(b, m, form, {0, 1});
  b.op.run = run_tma_store;
}

}  // namespace

void bind_tma_copy(Binding& b) {
  const BulkModifiers m = bulk_modifiers(b, own_words);
  const TmaForm form = tma_form(b, m);
  if (m.has_any({Kind::reduce, Kind::level})) b.refuse("modifiers of other copies");
  if (m.goes(CopySpace::shared_cta, CopySpace::global))
    bind_store(b, m, form);
  else if (m.goes(CopySpace::global, CopySpace::shared_cluster) ||
           m.goes(CopySpace::global, CopySpace::shared_cta))
    bind_load(b, m, form);
  else
    b.refuse(
        "a tensor copy goes from .global to .shared::cluster or .shared::cta, or from "
        ".shared::cta to .global");
}

void bind_tma_reduce(Binding& b) {
  const BulkModifiers m = bulk_modifiers(b, own_words);
  const TmaForm form = tma_form(b, m);
  if (!m.has(Kind::reduce)) b.refuse("the reduction is missing");
  if (!m.goes(CopySpace::shared_cta, CopySpace::global) || m.has(Kind::level))
    b.refuse("a tensor reduction goes from .shared::cta to .global");
  if (form.four_rows()) b.refuse("a reduction has no mode of four rows");
  bind_store(b, m, form);
}

void bind_tma_prefetch(Binding& b) {
  const BulkModifiers m = bulk_modifiers(b, own_words);
  const TmaForm form = tma_form(b, m);
  if (!m.prefetches()) b.refuse("a prefetch goes from .global to .L2");
  if (m.has_any({Kind::completion, Kind::multicast, Kind::pair, Kind::reduce}))
    b.refuse("modifiers of copies");
  if (b.operands() < 1) b.refuse("operand: [map, {coordinates}]");
  bind_operands(b, m, form, {0});
  b.op.run = run_tma_prefetch;
}

}  // namespace aisp::sim
