// cp.async.bulk and cp.reduce.async.bulk without tensor maps, their prefetch and their groups.
// Each active lane issues its own copy.
#include <cstring>
#include <memory>

#include "base/refuse.hpp"
#include "sim/exec/async/async.hpp"
#include "sim/exec/async/bulk_modifiers.hpp"
#include "sim/exec/async/reduce.hpp"
#include "sim/exec/async/trace.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/sync/mbarrier.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr int to_slot = 0, from_slot = 1, barrier_slot = 2;
constexpr std::uint32_t unit = 16;  // bytes: alignment and granularity of all bulk copies

// op.a is the size, op.b the mask of blocks or of bytes.
struct BulkForm {
  AddressSlots slots;
  bool multicast = false, has_byte_mask = false;
  bool own_block = false;  // the destination is
  ReduceOp reduce = ReduceOp::none;
  Type type = Type::none;  // of the elements that are reduced
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
  const auto form = form_of<BulkForm>(op);
  each_lane_checked(mask, [&](int lane) {
    BulkLoad load{};
    load.block = warp.block;
    load.bytes = size_of(warp, op, lane);
    load.to = shared_at(warp, op, to_slot, lane);
    load.from_shared = from_shared;
    load.from =
        from_shared ? shared_at(warp, op, from_slot, lane) : global_at(warp, op, from_slot, lane);
    load.barrier = lane_shared(warp, op, barrier_slot, lane, CopySpace::shared_cluster);
    load.reducer = find_reducer(form.reduce, form.type);
    if (form.multicast) load.blocks = blocks_of(warp, op, lane);
    const std::uint32_t target = load.to >> shared_rank_shift;
    if (!form.multicast && load.barrier >> shared_rank_shift != target)
      misuse(say("the mbarrier is in block ", load.barrier >> shared_rank_shift,
                 " of the cluster, the destination in block ", target),
             load.barrier);
    if (form.own_block && target != warp.block->rank)
      misuse(say("the destination .shared::cta is in block ", target, " of the cluster, the thread",
                 " in block ", warp.block->rank),
             load.to);
    const int copies = form.multicast ? std::popcount(load.blocks) : 1;
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
  const auto form = form_of<BulkForm>(op);
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t bytes = size_of(warp, op, lane);
    const std::uint64_t to = global_at(warp, op, to_slot, lane);
    const std::uint32_t from = shared_at(warp, op, from_slot, lane);
    const std::uint32_t byte_mask =
        form.has_byte_mask ? warp.read<std::uint32_t>(op.b)[lane] & 0xffff : 0xffff;
    const Reducer reducer = find_reducer(form.reduce, form.type);
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

struct WaitForm {
  std::uint32_t newest = 0;  // groups that may be open
  bool read_only = false;    // .read
};

Flow run_wait(Warp& warp, const Op& op, Mask mask) {
  const auto [newest, read_only] = form_of<WaitForm>(op);
  complete_groups(*warp.block->cluster, bulk_of(warp), mask, newest, read_only);
  if (warp.observer != nullptr)
    warp.observer->groups_waited(warp, mask, AsyncKind::bulk_store, newest, read_only);
  return Flow::next;
}

using Kind = BulkModifier;

constexpr Modifier own_words[] = {
    {"cp_mask", Kind::byte_mask, 0, sm_100}, {"noftz", Kind::noftz},
    {"u32", Kind::type, Type::u32},          {"s32", Kind::type, Type::s32},
    {"b32", Kind::type, Type::b32},          {"u64", Kind::type, Type::u64},
    {"s64", Kind::type, Type::s64},          {"b64", Kind::type, Type::b64},
    {"f16", Kind::type, Type::f16},          {"bf16", Kind::type, Type::bf16},
    {"f32", Kind::type, Type::f32},          {"f64", Kind::type, Type::f64},
};

Ref bind_size(Binding& b, int index) {
  if (b.is_constant(b.operand(index)) && b.constant(b.operand(index)) % unit != 0)
    b.refuse(say("a bulk copy of ", b.constant(b.operand(index)), " bytes: multiples of ", unit));
  return b.read(index, Type::u32);
}

void bind_load(Binding& b, const BulkModifiers& m, BulkForm form, bool from_shared) {
  if (m.completion() != Completion::mbarrier)
    b.refuse("a copy into shared memory ends with .mbarrier::complete_tx::bytes");
  if (m.has(Kind::byte_mask)) b.refuse(".cp_mask is for copies into global memory");
  const bool multicast = m.has(Kind::multicast), hint = m.has(Kind::hint);
  if (from_shared && (multicast || hint)) b.refuse("modifiers of copies from global memory");
  if (multicast && m.spaces[0] != CopySpace::shared_cluster)
    b.refuse(".multicast::cluster needs the destination .shared::cluster");
  b.expect_operands(4 + multicast + hint, 4 + multicast + hint);
  bind_address(b, form.slots, to_slot, b.operand(0));
  bind_address(b, form.slots, from_slot, b.operand(1));
  bind_address(b, form.slots, barrier_slot, b.operand(3));
  b.op.a = bind_size(b, 2);
  if (multicast) b.op.b = b.read(4, Type::u16);
  if (hint) b.op.c = b.read(4 + multicast, Type::b64);
  form.multicast = multicast;
  form.own_block = m.spaces[0] == CopySpace::shared_cta;
  set_form(b.op, form);
  b.op.run = from_shared ? run_load<true> : run_load<false>;
}

void bind_store(Binding& b, const BulkModifiers& m, BulkForm form) {
  if (m.completion() != Completion::bulk_group)
    b.refuse("a copy into global memory ends with .bulk_group");
  if (m.has(Kind::multicast)) b.refuse(".multicast::cluster is for copies from global memory");
  const bool masked = m.has(Kind::byte_mask), hint = m.has(Kind::hint);
  b.expect_operands(3 + hint + masked, 3 + hint + masked);
  bind_address(b, form.slots, to_slot, b.operand(0));
  bind_address(b, form.slots, from_slot, b.operand(1));
  b.op.a = bind_size(b, 2);
  if (hint) b.op.c = b.read(3, Type::b64);
  if (masked) b.op.b = b.read(3 + hint, Type::u16);
  form.has_byte_mask = masked;
  set_form(b.op, form);
  b.op.run = run_store;
}

void bind_direction(Binding& b, const BulkModifiers& m, const BulkForm& form) {
  if (m.goes(CopySpace::shared_cta, CopySpace::global))
    bind_store(b, m, form);
  else if (m.goes(CopySpace::shared_cta, CopySpace::shared_cluster))
    bind_load(b, m, form, true);
  else if (!m.has(Kind::reduce) && (m.goes(CopySpace::global, CopySpace::shared_cluster) ||
                                    m.goes(CopySpace::global, CopySpace::shared_cta)))
    bind_load(b, m, form, false);
  else
    b.refuse("no bulk copy goes this way");
}

}  // namespace

void bind_bulk_copy(Binding& b) {
  const BulkModifiers m = bulk_modifiers(b, own_words);
  if (m.has_any({Kind::reduce, Kind::type, Kind::noftz, Kind::level}))
    b.refuse("modifiers of other copies");
  bind_direction(b, m, {});
}

void bind_bulk_reduce(Binding& b) {
  const BulkModifiers m = bulk_modifiers(b, own_words);
  if (!m.has(Kind::reduce) || !m.has(Kind::type)) b.refuse("reduction or type is missing");
  if (m.has_any({Kind::byte_mask, Kind::level})) b.refuse("modifiers of other copies");
  const ReduceOp op = m.reduce();
  const Type type = m.given.get(Kind::type, Type::none);
  const bool half_sum = op == ReduceOp::add && (type == Type::f16 || type == Type::bf16);
  if (m.has(Kind::noftz) != half_sum) b.refuse("sums of .f16 and .bf16, and only they, are .noftz");
  if (find_reducer(op, type) == nullptr)
    b.refuse(say("there is no such reduction of .", name_of(type)));
  const bool wide = type == Type::b64 || (type == Type::u64 && op != ReduceOp::add);
  if (!m.spaces.empty() && m.spaces[0] == CopySpace::shared_cluster &&
      (wide || type == Type::s64 || is_float(type)))
    b.refuse(say("no such reduction of .", name_of(type), " in shared memory"));
  bind_direction(b, m, {.reduce = op, .type = type});
}

void bind_bulk_prefetch(Binding& b) {
  const BulkModifiers m = bulk_modifiers(b, own_words);
  if (m.has_any({Kind::completion, Kind::multicast, Kind::byte_mask, Kind::reduce, Kind::type,
                 Kind::noftz}))
    b.refuse("modifiers of copies");
  if (!m.prefetches()) b.refuse("a prefetch goes from .global to .L2");
  const bool hint = m.has(Kind::hint);
  b.expect_operands(2 + hint, 2 + hint);
  BulkForm form;
  bind_address(b, form.slots, 0, b.operand(0));
  set_form(b.op, form);
  b.op.a = bind_size(b, 1);
  if (hint) b.op.c = b.read(2, Type::b64);
  b.op.run = run_prefetch;
}

void bind_bulk_commit(Binding& b) {
  b.expect_operands(0, 0);
  b.op.run = run_commit;
}

void bind_bulk_wait(Binding& b) {
  const bool read = b.accept("read");
  b.expect_operands(1, 1);
  const std::int64_t newest = b.constant(b.operand(0));
  if (newest < 0) b.refuse(say("wait for all but ", newest, " groups"));
  b.ignore(b.operand(0));
  set_form(b.op, WaitForm{static_cast<std::uint32_t>(newest), read});
  b.op.run = run_wait;
}

}  // namespace aisp::sim
