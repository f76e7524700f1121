// cp.async.bulk and cp.reduce.async.bulk without tensor maps, their prefetch and their groups.
// Each active lane issues its own copy.
#include <cstring>
#include <memory>

#include "base/refuse.hpp"
#include "sim/exec/async_trace.hpp"
#include "sim/exec/bulk_modifiers.hpp"
#include "sim/exec/copy.hpp"
#include "sim/exec/copy_operands.hpp"
#include "sim/exec/copy_reduce.hpp"
#include "sim/exec/mbarrier.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"

namespace sim {
namespace {

using base::say;

constexpr int to_slot = 0, from_slot = 1, barrier_slot = 2;
constexpr std::uint32_t unit = 16;  // bytes: alignment and granularity of all bulk copies

// imm: bits 0..2 wide bases | 4 multicast | 5 byte mask | 6 destination is the own block |
// 8..10 ReduceOp | 11 is a reduction | 16..23 Type of the elements. op.a size, op.b mask of blocks
// or of bytes.
struct BulkForm {
  std::uint64_t bits;
  bool multicast() const { return (bits >> 4 & 1) != 0; }
  bool has_byte_mask() const { return (bits >> 5 & 1) != 0; }
  bool own_block() const { return (bits >> 6 & 1) != 0; }
  Reducer reducer() const {
    return (bits >> 11 & 1) == 0 ? nullptr
                                 : find_reducer(static_cast<ReduceOp>(bits >> 8 & 7),
                                                static_cast<Type>(bits >> 16 & 255));
  }
};

void check_unit(std::uint64_t address, std::string_view what, int lane) {
  if (address % unit != 0)
    throw Fault{FaultKind::misaligned,
                say("bulk copy with ", what, " ", address, ": it must be a multiple of ", unit),
                address, lane};
}

std::uint32_t size_of(Warp& warp, const Op& op, int lane) {
  const std::uint32_t bytes = warp.read<std::uint32_t>(op.a)[lane];
  if (bytes % unit != 0)
    misuse(say("bulk copy of ", bytes, " bytes: it must be a multiple of ", unit), bytes);
  return bytes;
}

std::uint32_t shared_at(Warp& warp, const Op& op, int slot, int lane) {
  const std::uint32_t address = lane_shared(warp, op, slot, lane, CopySpace::shared_cluster);
  check_unit(address, slot == to_slot ? "shared destination" : "shared source", lane);
  return address;
}

std::uint64_t global_at(Warp& warp, const Op& op, int slot, int lane) {
  const std::uint64_t address = lane_address(warp, op, slot, lane);
  check_unit(address, slot == to_slot ? "global destination" : "global source", lane);
  return address;
}

struct BulkLoad {
  Block* block;
  std::uint64_t from;  // global address, or shared of the own block
  bool from_shared;
  std::uint32_t bytes, to, barrier;  // shared::cluster addresses
  std::uint32_t blocks;              // mask of destinations; 0: where `to` says
  Reducer reducer;

  // Calls body(barrier) for each destination's.
  template <class Body>
  void each_barrier(Body&& body) const {
    if (blocks == 0) body(barrier);
    for (std::uint32_t left = blocks; left != 0; left &= left - 1)
      body(in_block(barrier, static_cast<std::uint32_t>(std::countr_zero(left))));
  }
  std::uint32_t first_barrier() const {
    return blocks == 0 ? barrier
                       : in_block(barrier, static_cast<std::uint32_t>(std::countr_zero(blocks)));
  }
};

void deliver(const BulkLoad& load, const std::byte* data, std::uint32_t to, std::uint32_t barrier) {
  std::byte* into = resolve_shared(*load.block, to, load.bytes, Access::write);
  if (AsyncTrace trace(*load.block, barrier); trace)
    trace.tell(into, load.bytes, load.reducer != nullptr ? Access::atomic : Access::write);
  if (load.reducer != nullptr)
    load.reducer(into, data, load.bytes);
  else
    std::memmove(into, data, load.bytes);
  mbarrier_apply(*load.block, barrier, MBarrierAction::complete_tx, load.bytes);
}

void perform(const BulkLoad& load) {
  std::byte* data = load.bytes == 0 ? nullptr
                    : load.from_shared
                        ? resolve_shared(*load.block, static_cast<std::uint32_t>(load.from),
                                         load.bytes, Access::read)
                        : resolve_global(*load.block->grid, load.from, load.bytes, Access::read);
  if (load.bytes == 0) {
    mbarrier_apply(*load.block, load.barrier, MBarrierAction::complete_tx, 0);
    return;
  }
  if (AsyncTrace trace(*load.block, load.first_barrier()); trace)
    trace.tell(data, load.bytes, Access::read);
  if (load.blocks == 0) deliver(load, data, load.to, load.barrier);
  for (std::uint32_t left = load.blocks; left != 0; left &= left - 1) {
    const auto rank = static_cast<std::uint32_t>(std::countr_zero(left));
    deliver(load, data, in_block(load.to, rank), in_block(load.barrier, rank));
  }
}

std::uint32_t blocks_of(Warp& warp, const Op& op, int lane) {
  const std::uint32_t mask = warp.read<std::uint32_t>(op.b)[lane] & 0xffff;
  const std::size_t count = warp.block->cluster->blocks.size();
  if (mask == 0 || mask >> count != 0)
    misuse(say("multicast mask ", mask, " in a cluster of ", count, " blocks"), mask);
  return mask;
}

// Into shared memory, ends at an mbarrier.
template <bool from_shared>
Flow run_load(Warp& warp, const Op& op, Mask mask) {
  const BulkForm form{op.imm};
  each_lane_checked(mask, [&](int lane) {
    BulkLoad load{};
    load.block = warp.block;
    load.bytes = size_of(warp, op, lane);
    load.to = shared_at(warp, op, to_slot, lane);
    load.from_shared = from_shared;
    load.from =
        from_shared ? shared_at(warp, op, from_slot, lane) : global_at(warp, op, from_slot, lane);
    load.barrier = lane_shared(warp, op, barrier_slot, lane, CopySpace::shared_cluster);
    load.reducer = form.reducer();
    if (form.multicast()) load.blocks = blocks_of(warp, op, lane);
    const std::uint32_t target = load.to >> shared_rank_shift;
    if (!form.multicast() && load.barrier >> shared_rank_shift != target)
      misuse(say("the mbarrier is in block ", load.barrier >> shared_rank_shift,
                 " of the cluster, the destination in block ", target),
             load.barrier);
    if (form.own_block() && target != warp.block->rank)
      misuse(say("the destination .shared::cta is in block ", target, " of the cluster, the thread",
                 " in block ", warp.block->rank),
             load.to);
    const int copies = form.multicast() ? std::popcount(load.blocks) : 1;
    warp.counters->async_bytes += std::uint64_t{load.bytes} * static_cast<unsigned>(copies);
    if (warp.observer != nullptr)
      load.each_barrier(
          [&](std::uint32_t barrier) { warp.observer->mbarrier_named(warp, lane, barrier); });
    issue(warp, AsyncKind::bulk_load, lane, [load] { perform(load); });
  });
  return Flow::next;
}

// Of each unit the bytes that the mask names.
void tell_bytes(AsyncTrace& trace, std::byte* at, std::uint32_t bytes, std::uint32_t byte_mask,
                Access access) {
  if (byte_mask == 0xffff) return trace.tell(at, bytes, access);
  for (std::uint32_t i = 0; i < bytes; ++i)
    if ((byte_mask >> i % unit & 1) != 0) trace.add(at + i, 1, access);
  trace.flush();
}

// Out of shared memory into global memory, ends in a bulk group.
Flow run_store(Warp& warp, const Op& op, Mask mask) {
  const BulkForm form{op.imm};
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t bytes = size_of(warp, op, lane);
    const std::uint64_t to = global_at(warp, op, to_slot, lane);
    const std::uint32_t from = shared_at(warp, op, from_slot, lane);
    const std::uint32_t byte_mask =
        form.has_byte_mask() ? warp.read<std::uint32_t>(op.b)[lane] & 0xffff : 0xffff;
    const Reducer reducer = form.reducer();
    Block* block = warp.block;
    auto data = std::make_shared<std::vector<std::byte>>();
    warp.counters->async_bytes += bytes;
    const auto read = [=] {
      if (bytes == 0) return;
      std::byte* source = resolve_shared(*block, from, bytes, Access::read);
      if (AsyncTrace trace(*block); trace) trace.tell(source, bytes, Access::read);
      data->assign(source, source + bytes);
    };
    const auto write = [=] {
      if (bytes == 0) return;
      const Access access = reducer != nullptr ? Access::atomic : Access::write;
      std::byte* into = resolve_global(*block->grid, to, bytes, access);
      if (AsyncTrace trace(*block); trace) tell_bytes(trace, into, bytes, byte_mask, access);
      if (reducer != nullptr) {
        reducer(into, data->data(), bytes);
      } else if (byte_mask == 0xffff) {
        std::memcpy(into, data->data(), bytes);
      } else {
        for (std::uint32_t at = 0; at < bytes; ++at)
          if ((byte_mask >> at % unit & 1) != 0) into[at] = (*data)[at];
      }
    };
    issue(warp, AsyncKind::bulk_store, bulk_of(warp), Mask{1} << lane, write, read);
  });
  return Flow::next;
}

Flow run_prefetch(Warp& warp, const Op& op, Mask mask) {
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t bytes = size_of(warp, op, lane);
    const std::uint64_t from = global_at(warp, op, 0, lane);
    if (bytes != 0) resolve_global(*warp.block->grid, from, bytes, Access::read);
  });
  return Flow::next;
}

Flow run_commit(Warp& warp, const Op&, Mask mask) {
  bulk_of(warp).commit(mask);
  if (warp.observer != nullptr) warp.observer->committed(warp, mask, AsyncKind::bulk_store);
  return Flow::next;
}

// imm: bit 0 .read | 1.. how many groups may be open
Flow run_wait(Warp& warp, const Op& op, Mask mask) {
  const auto newest = static_cast<std::uint32_t>(op.imm >> 1);
  const bool read_only = (op.imm & 1) != 0;
  complete_groups(*warp.block->cluster, bulk_of(warp), mask, newest, read_only);
  if (warp.observer != nullptr)
    warp.observer->groups_waited(warp, mask, AsyncKind::bulk_store, newest, read_only);
  return Flow::next;
}

enum Group { mask_group = own_groups, type_group, noftz_group };

constexpr Choice own_choices[] = {
    {"cp_mask", mask_group, 0},
    {"noftz", noftz_group, 0},
    {"u32", type_group, static_cast<int>(Type::u32)},
    {"s32", type_group, static_cast<int>(Type::s32)},
    {"b32", type_group, static_cast<int>(Type::b32)},
    {"u64", type_group, static_cast<int>(Type::u64)},
    {"s64", type_group, static_cast<int>(Type::s64)},
    {"b64", type_group, static_cast<int>(Type::b64)},
    {"f16", type_group, static_cast<int>(Type::f16)},
    {"bf16", type_group, static_cast<int>(Type::bf16)},
    {"f32", type_group, static_cast<int>(Type::f32)},
    {"f64", type_group, static_cast<int>(Type::f64)},
};

Chosen bind_form(Binding& b) {
  require_architecture(b, 90, "a bulk copy");
  return take_modifiers(b, bulk_choices, own_choices);
}

bool spaces_are(const Chosen& chosen, CopySpace to, CopySpace from) {
  return chosen.spaces.size() == 2 && chosen.spaces[0] == to && chosen.spaces[1] == from;
}

Ref bind_size(Binding& b, int index) {
  if (b.is_constant(b.operand(index)) && b.constant(b.operand(index)) % unit != 0)
    b.refuse(say("a bulk copy of ", b.constant(b.operand(index)), " bytes: multiples of ", unit));
  return b.read(index, Type::u32);
}

void bind_load(Binding& b, const Chosen& chosen, bool from_shared) {
  if (chosen.group[completion_group] != 0)
    b.refuse("a copy into shared memory ends with .mbarrier::complete_tx::bytes");
  if (chosen.has(mask_group)) b.refuse(".cp_mask is for copies into global memory");
  const bool multicast = chosen.has(multicast_group), hint = chosen.has(hint_group);
  if (from_shared && (multicast || hint)) b.refuse("modifiers of copies from global memory");
  if (multicast && chosen.spaces[0] != CopySpace::shared_cluster)
    b.refuse(".multicast::cluster needs the destination .shared::cluster");
  b.expect_operands(4 + multicast + hint, 4 + multicast + hint);
  bind_address(b, to_slot, b.operand(0));
  bind_address(b, from_slot, b.operand(1));
  bind_address(b, barrier_slot, b.operand(3));
  b.op.a = bind_size(b, 2);
  if (multicast) b.op.b = b.read(4, Type::u16);
  if (hint) b.op.c = b.read(4 + multicast, Type::b64);
  b.op.imm |=
      std::uint64_t{multicast} << 4 | std::uint64_t{chosen.spaces[0] == CopySpace::shared_cta} << 6;
  b.op.run = from_shared ? run_load<true> : run_load<false>;
}

void bind_store(Binding& b, const Chosen& chosen) {
  if (chosen.group[completion_group] != 1)
    b.refuse("a copy into global memory ends with .bulk_group");
  if (chosen.has(multicast_group)) b.refuse(".multicast::cluster is for copies from global memory");
  const bool masked = chosen.has(mask_group), hint = chosen.has(hint_group);
  if (masked) require_architecture(b, 100, ".cp_mask");
  b.expect_operands(3 + hint + masked, 3 + hint + masked);
  bind_address(b, to_slot, b.operand(0));
  bind_address(b, from_slot, b.operand(1));
  b.op.a = bind_size(b, 2);
  if (hint) b.op.c = b.read(3, Type::b64);
  if (masked) b.op.b = b.read(3 + hint, Type::u16);
  b.op.imm |= std::uint64_t{masked} << 5;
  b.op.run = run_store;
}

void bind_direction(Binding& b, const Chosen& chosen) {
  if (spaces_are(chosen, CopySpace::global, CopySpace::shared_cta))
    bind_store(b, chosen);
  else if (spaces_are(chosen, CopySpace::shared_cluster, CopySpace::shared_cta))
    bind_load(b, chosen, true);
  else if (!chosen.has(reduce_group) &&
           (spaces_are(chosen, CopySpace::shared_cluster, CopySpace::global) ||
            spaces_are(chosen, CopySpace::shared_cta, CopySpace::global)))
    bind_load(b, chosen, false);
  else
    b.refuse("no bulk copy goes this way");
}

}  // namespace

void bind_bulk_copy(Binding& b) {
  const Chosen chosen = bind_form(b);
  if (chosen.has(reduce_group) || chosen.has(type_group) || chosen.has(noftz_group) ||
      chosen.has(cache_group))
    b.refuse("modifiers of other copies");
  bind_direction(b, chosen);
}

void bind_bulk_reduce(Binding& b) {
  const Chosen chosen = bind_form(b);
  if (!chosen.has(reduce_group) || !chosen.has(type_group))
    b.refuse("reduction or type is missing");
  if (chosen.has(mask_group) || chosen.has(cache_group)) b.refuse("modifiers of other copies");
  const auto op = static_cast<ReduceOp>(chosen.group[reduce_group]);
  const auto type = static_cast<Type>(chosen.group[type_group]);
  const bool half_sum = op == ReduceOp::add && (type == Type::f16 || type == Type::bf16);
  if (chosen.has(noftz_group) != half_sum)
    b.refuse("sums of .f16 and .bf16, and only they, are .noftz");
  if (find_reducer(op, type) == nullptr)
    b.refuse(say("there is no such reduction of .", name_of(type)));
  const bool wide = type == Type::b64 || (type == Type::u64 && op != ReduceOp::add);
  if (!chosen.spaces.empty() && chosen.spaces[0] == CopySpace::shared_cluster &&
      (wide || type == Type::s64 || is_float(type)))
    b.refuse(say("no such reduction of .", name_of(type), " in shared memory"));
  b.op.imm |= static_cast<std::uint64_t>(op) << 8 | std::uint64_t{1} << 11 |
              static_cast<std::uint64_t>(type) << 16;
  bind_direction(b, chosen);
}

void bind_bulk_prefetch(Binding& b) {
  const Chosen chosen = bind_form(b);
  for (const int group : std::initializer_list<int>{completion_group, multicast_group, mask_group,
                                                    reduce_group, type_group, noftz_group})
    if (chosen.has(group)) b.refuse("modifiers of copies");
  if (!chosen.has(cache_group) || chosen.spaces.size() != 1 ||
      chosen.spaces[0] != CopySpace::global)
    b.refuse("a prefetch goes from .global to .L2");
  const bool hint = chosen.has(hint_group);
  b.expect_operands(2 + hint, 2 + hint);
  bind_address(b, 0, b.operand(0));
  b.op.a = bind_size(b, 1);
  if (hint) b.op.c = b.read(2, Type::b64);
  b.op.run = run_prefetch;
}

void bind_bulk_commit(Binding& b) {
  require_architecture(b, 90, "a bulk group");
  b.expect_operands(0, 0);
  b.op.run = run_commit;
}

void bind_bulk_wait(Binding& b) {
  require_architecture(b, 90, "a bulk group");
  const bool read = b.accept("read");
  b.expect_operands(1, 1);
  const std::int64_t newest = b.constant(b.operand(0));
  if (newest < 0) b.refuse(say("wait for all but ", newest, " groups"));
  b.ignore(b.operand(0));
  b.op.imm = static_cast<std::uint64_t>(newest) << 1 | std::uint64_t{read};
  b.op.run = run_wait;
}

}  // namespace sim
