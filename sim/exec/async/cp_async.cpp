// cp.async of single lanes with its groups, and the table of all copies.
#include "sim/exec/async/async.hpp"

#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/exec/sync/mbarrier.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"

namespace aisp::sim {
namespace {

using base::say;

// op.a is the source size, op.b the predicate that says to ignore the source.
struct CopyForm {
  AddressSlots slots;
  std::uint8_t bytes = 0;
  bool has_size = false, has_predicate = false;
  bool negated = false;  // the predicate
};

// What is copied when: addresses are those at the time of issue, data those at the time of the
// copy. What the source does not give is zero.
struct LaneCopies {
  LaneCopy one[lanes];
  Warp* warp = nullptr;
  Mask mask = 0;  // lanes whose copies they are, in order
  int count = 0;
  std::uint32_t bytes = 0;
};

void perform(const LaneCopies& copies) {
  if (copies.warp->observer != nullptr)
    copies.warp->observer->copies_access(*copies.warp->block->cluster, copies.mask, copies.one,
                                         copies.bytes);
  for (int i = 0; i < copies.count; ++i) {
    const auto& one = copies.one[i];
    if (one.given == 16) {  // by far the most common
      std::memcpy(one.to, one.from, 16);
      continue;
    }
    std::byte value[16]{};
    if (one.given != 0) std::memcpy(value, one.from, one.given);
    std::memcpy(one.to, value, copies.bytes);
  }
}

Flow run_copy(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<CopyForm>(op);
  LaneCopies copies;
  copies.bytes = form.bytes;
  copies.warp = &warp;
  copies.mask = mask;
  Mask ignored = 0;
  if (form.has_predicate) ignored = warp.predicate(op.b) ^ (form.negated ? all_lanes : 0);
  each_lane_checked(mask, [&](int lane) {
    std::uint32_t given = form.has_size ? warp.read<std::uint32_t>(op.a)[lane] : copies.bytes;
    if (given > copies.bytes)
      misuse(say("cp.async of ", copies.bytes, " bytes with a source of ", given), given);
    if ((ignored >> lane & 1) != 0) given = 0;
    auto& one = copies.one[copies.count++];
    one.given = given;
    one.to = resolve(warp, ptx::Space::shared, lane_address(warp, op, 0, lane), copies.bytes,
                     copies.bytes, Access::write, lane);
    one.from = given == 0 ? nullptr
                          : resolve(warp, ptx::Space::global, lane_address(warp, op, 1, lane),
                                    given, copies.bytes, Access::read, lane);
    warp.counters->async_bytes += copies.bytes;
  });
  issue(warp, AsyncKind::copy, copies_of(warp), mask, [copies] { perform(copies); });
  return Flow::next;
}

Flow run_commit(Warp& warp, const Op&, Mask mask) {
  copies_of(warp).commit(mask);
  if (warp.observer != nullptr) warp.observer->committed(warp, mask, AsyncKind::copy);
  return Flow::next;
}

Flow run_wait_group(Warp& warp, const Op& op, Mask mask) {
  const auto newest = static_cast<std::uint32_t>(op.imm);
  complete_groups(*warp.block->cluster, copies_of(warp), mask, newest);
  if (warp.observer != nullptr)
    warp.observer->groups_waited(warp, mask, AsyncKind::copy, newest, false);
  return Flow::next;
}

Flow run_wait_all(Warp& warp, const Op&, Mask mask) {
  complete_all(*warp.block->cluster, copies_of(warp), mask);
  if (warp.observer != nullptr) warp.observer->all_waited(warp, mask, AsyncKind::copy);
  return Flow::next;
}

// What cp.async.mbarrier.arrive does when the copies are there.
struct CopiesArrive {
  Block* block;
  std::uint32_t address;
  std::uint64_t number;  // the observer's
  void operator()() const {
    Cluster& cluster = *block->cluster;
    const std::uint64_t before = cluster.arriving;
    cluster.arriving = number;
    mbarrier_apply(*block, address, MBarrierAction::arrive, 1);
    cluster.arriving = before;
  }
};

struct ArriveForm {
  AddressSlots slots;
  CopySpace space = CopySpace::generic;
  bool counted = false;  // .noinc: the arrival is part of the expected count
};

Flow run_mbarrier_arrive(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<ArriveForm>(op);
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t address = lane_shared(warp, op, 0, lane, form.space);
    Block* block = warp.block;
    const Mask self = Mask{1} << lane;
    if (!form.counted)
      mbarrier_apply(*block, address, MBarrierAction::await_more, 1, {&warp, self, false});
    const std::uint64_t number =
        warp.observer != nullptr ? warp.observer->copies_will_arrive(warp, lane) : 0;
    when_complete(*block->cluster, copies_of(warp), self, CopiesArrive{block, address, number});
  });
  return Flow::next;
}

// The operands behind the size: source size or predicate, then the cache policy of a hint.
void bind_optional(Binding& b, CopyForm& form, bool hint) {
  const int count = b.operands() - 3 - hint;
  if (count < 0 || count > 1) b.refuse("operands: [to], [from], size, source size, cache policy");
  if (hint) b.op.c = b.read(b.operands() - 1, Type::b64);
  if (count == 0) return;
  const ptx::Operand& operand = b.operand(3);
  if (b.register_type(operand) == Type::pred) {
    b.op.b = b.read_predicate(operand, form.negated);
    form.has_predicate = true;
    return;
  }
  if (b.is_constant(operand) && (b.constant(operand) < 0 || b.constant(operand) > form.bytes))
    b.refuse(say("a source of ", b.constant(operand), " bytes for a copy of ", +form.bytes));
  b.op.a = b.read(operand, Type::u32);
  form.has_size = true;
}

enum class CacheLevel : std::uint8_t { all, global };
constexpr Word<CacheLevel> levels[] = {{"ca", CacheLevel::all}, {"cg", CacheLevel::global}};

void bind_copy(Binding& b) {
  const CacheLevel level = b.one_of(levels, ".ca or .cg is expected");
  if (!b.accept_any({"shared", "shared::cta"})) b.refuse("the destination is .shared");
  b.expect("global");
  const bool hint = b.accept("L2::cache_hint");
  b.accept_any({"L2::64B", "L2::128B", "L2::256B"});
  const std::int64_t bytes = b.constant(b.operand(2));
  if (level == CacheLevel::global ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16)
    b.refuse(say("a copy of ", bytes, " bytes: .ca takes 4, 8 or 16, .cg 16"));
  b.ignore(b.operand(2));
  CopyForm form{.bytes = static_cast<std::uint8_t>(bytes)};
  bind_address(b, form.slots, 0, b.operand(0), ptx::Space::shared);
  bind_address(b, form.slots, 1, b.operand(1), ptx::Space::global);
  bind_optional(b, form, hint);
  set_form(b.op, form);
  b.op.run = run_copy;
}

void bind_commit(Binding& b) {
  b.expect_operands(0, 0);
  b.op.run = run_commit;
}

void bind_wait_group(Binding& b) {
  b.expect_operands(1, 1);
  const std::int64_t newest = b.constant(b.operand(0));
  if (newest < 0) b.refuse(say("wait for all but ", newest, " groups"));
  b.ignore(b.operand(0));
  b.op.imm = static_cast<std::uint64_t>(newest);
  b.op.run = run_wait_group;
}

void bind_wait_all(Binding& b) {
  b.expect_operands(0, 0);
  b.op.run = run_wait_all;
}

void bind_mbarrier_arrive(Binding& b) {
  ArriveForm form{.counted = b.accept("noinc")};
  if (b.accept_any({"shared", "shared::cta"})) form.space = CopySpace::shared_cta;
  b.expect("b64");
  b.expect_operands(1, 1);
  bind_address(b, form.slots, 0, b.operand(0));
  set_form(b.op, form);
  b.op.run = run_mbarrier_arrive;
}

constexpr OpcodeRow rows[] = {
    {"cp.async", OpClass::async_copy, bind_copy,
     ".ca .cg .shared.global, 4 8 16 bytes, source size, ignore-src, cache policy, .L2::*B", sm_80},
    {"cp.async.commit_group", OpClass::async_copy, bind_commit, ""},
    {"cp.async.wait_group", OpClass::async_copy, bind_wait_group, "N"},
    {"cp.async.wait_all", OpClass::async_copy, bind_wait_all, ""},
    {"cp.async.mbarrier.arrive", OpClass::async_copy, bind_mbarrier_arrive,
     ".b64 with .noinc, generic, .shared::cta"},
    {"cp.async.bulk", OpClass::async_copy, bind_bulk_copy,
     "global to .shared::cluster and .shared::cta with .multicast::cluster, .shared::cta to "
     ".shared::cluster, .shared::cta to global with .cp_mask; cache policy",
     sm_90},
    {"cp.async.bulk.commit_group", OpClass::async_copy, bind_bulk_commit, "", sm_90},
    {"cp.async.bulk.wait_group", OpClass::async_copy, bind_bulk_wait, "N, .read", sm_90},
    {"cp.async.bulk.prefetch", OpClass::async_copy, bind_bulk_prefetch, ".L2.global", sm_90},
    {"cp.reduce.async.bulk", OpClass::async_copy, bind_bulk_reduce,
     ".add .min .max .inc .dec .and .or .xor into global memory and .shared::cluster", sm_90},
    {"cp.async.bulk.tensor", OpClass::async_copy, bind_tma_copy,
     ".1d to .5d, .tile .im2col .im2col::w{::128} .im2col_no_offs .tile::gather4 .tile::scatter4, "
     ".multicast::cluster, .cta_group, cache policy",
     sm_90},
    {"cp.async.bulk.prefetch.tensor", OpClass::async_copy, bind_tma_prefetch,
     ".1d to .5d, .tile .im2col .im2col::w{::128}", sm_90},
    {"cp.reduce.async.bulk.tensor", OpClass::async_copy, bind_tma_reduce,
     ".1d to .5d, .tile .im2col_no_offs, .add .min .max .inc .dec .and .or .xor", sm_90},
    {"st.async", OpClass::async_copy, bind_st_async,
     ".shared::cluster and generic, .v2 .v4, 32 and 64 bits; {.mmio}.release.{gpu,sys} to global "
     "memory, 8 to 64 bits",
     sm_90},
    {"red.async", OpClass::async_copy, bind_red_async,
     ".shared::cluster and generic, .add .min .max .inc .dec .and .or .xor; "
     "{.mmio}.release.{gpu,sys} to global memory",
     sm_90},
    {"clusterlaunchcontrol.try_cancel", OpClass::async_copy, bind_try_cancel,
     ".async.mbarrier::complete_tx::bytes.b128, generic, .shared::cta, .multicast::cluster::all",
     sm_100},
    {"clusterlaunchcontrol.query_cancel", OpClass::async_copy, bind_query_cancel,
     ".is_canceled.pred, .get_first_ctaid.v4.b32, .get_first_ctaid::{x,y,z}.b32, .b128", sm_100},
    {"tensormap.replace", OpClass::async_copy, bind_tensormap_replace,
     ".tile, all fields, generic, .global, .shared::cta", sm_90a},
    {"tensormap.cp_fenceproxy", OpClass::async_copy, bind_tensormap_cp_fenceproxy,
     ".global.shared::cta", sm_90},
};

}  // namespace

std::span<const OpcodeRow> async_rows() { return rows; }

}  // namespace aisp::sim
