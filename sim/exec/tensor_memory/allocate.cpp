// tcgen05.alloc, dealloc and relinquish_alloc_permit, and the table of the instructions that move
// data of tensor memory. One warp of the block allocates, of a pair one of each block.
#include <bit>

#include "base/refuse.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/exec/tensor_memory/words.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/tensor_use.hpp"

namespace aisp::sim {

using base::say;

Block& peer_of(Block& block) {
  const std::size_t rank = block.rank ^ 1u;
  auto& blocks = block.cluster->blocks;
  if (rank >= blocks.size())
    misuse(say(".cta_group::2 needs a pair of blocks: the cluster has ", blocks.size(),
               " and this one is ", block.rank),
           0);
  return *blocks[rank];
}

TensorBlocks tensor_blocks(Block& block, bool pair) {
  if (!pair) return {{&block, nullptr}, 1};
  Block& peer = peer_of(block);
  return block.rank < peer.rank ? TensorBlocks{{&block, &peer}, 2}
                                : TensorBlocks{{&peer, &block}, 2};
}

namespace {

struct AllocationForm {
  AddressSlots slots;
  CopySpace space = CopySpace::generic;
  bool pair = false;
};

Flow wait_for(Warp& warp, std::uint32_t columns, bool for_peer) {
  // Others may free columns, the peer is of this cluster.
  warp.lane_group->wait = {.kind = Wait::Kind::tensor,
                           .polling = !for_peer,
                           .index = for_peer ? 1u : 0u,
                           .value = columns,
                           .progress = warp.block->cluster->progress};
  return Flow::wait;
}

std::uint32_t same_in_all(const Warp& warp, Ref ref, Mask mask, const char* what) {
  const auto* values = warp.read<std::uint32_t>(ref);
  const std::uint32_t first = values[std::countr_zero(mask)];
  for (Mask left = mask; left != 0; left &= left - 1)
    if (values[std::countr_zero(left)] != first)
      misuse(say(what, " differs between the lanes of the warp: ", first, " and ",
                 values[std::countr_zero(left)]),
             0);
  return first;
}

void require_whole_warp(const Warp& warp, Mask mask, const char* what) {
  if (mask != warp.exists || warp.exists != all_lanes)
    misuse(say(what, " needs a whole warp: ", std::popcount(mask), " lanes execute it"), 0);
}

void check_count(const Block& block, std::uint32_t count) {
  if (!std::has_single_bit(count) || count < tensor_column_unit || count > tensor_columns)
    misuse(say("tcgen05.alloc of ", count, " columns: it takes 32, 64, 128, 256 or 512"), count,
           FaultSubject::tensor_columns);
  if (block.tensor.memory == nullptr) misuse("this device has no tensor memory", 0);
  if (block.tensor.relinquished)
    misuse("tcgen05.alloc after tcgen05.relinquish_alloc_permit in the same block", 0,
           FaultSubject::tensor_permit);
  if (count > block.tensor.last_count)
    misuse(say("tcgen05.alloc of ", count, " columns after one of ", block.tensor.last_count,
               ": later allocations of a block are not larger"),
           count, FaultSubject::tensor_growth);
}

void tell(Warp& warp, const TensorRequest& request,
          void (Observer::*what)(Warp&, const TensorRequest&)) {
  if (warp.observer != nullptr) (warp.observer->*what)(warp, request);
}

// The base goes to shared memory as one store of the whole warp; the first lane stands for it.
void store_base(Warp& warp, const Op& op, std::uint32_t first) {
  const std::uint32_t address = lane_shared(warp, op, 0, 0, form_of<AllocationForm>(op).space);
  const std::uint32_t own = in_block(address, warp.block->rank);
  std::byte* at[lanes] = {};
  at[0] = resolve(warp, ptx::Space::shared, own, 4, 4, Access::write, 0);
  if (warp.observer != nullptr)
    tell_access(warp, 1, at, {.access = Access::write, .bytes = 4, .by_whole_warp = true});
  std::memcpy(at[0], &first, sizeof first);
  wrote(warp);
}

// The warp's part of a meeting of the pair; another warp's is under way: null.
TensorMeeting* meeting_of(Warp& warp) {
  TensorMeeting& meeting = warp.block->cluster->tensor_meetings[warp.block->rank / 2];
  const Warp*& here = meeting.warp[warp.block->rank & 1];
  if (here != nullptr && here != &warp) return nullptr;
  here = &warp;
  return &meeting;
}

void check_agree(const TensorMeeting& meeting) {
  if (meeting.what[0] != meeting.what[1])
    misuse("one block of the pair allocates tensor memory and the other frees it", 0,
           FaultSubject::tensor_columns);
  if (meeting.range[0].count != meeting.range[1].count ||
      meeting.range[0].first != meeting.range[1].first)
    misuse(say("the blocks of the pair do not name the same columns: ", meeting.range[0].count,
               " at ", meeting.range[0].first, " and ", meeting.range[1].count, " at ",
               meeting.range[1].first),
           0, FaultSubject::tensor_columns);
}

// Both blocks have come and agree. `body` does it for both and says whether it could.
template <class Body>
Flow meet_peer(Warp& warp, TensorMeeting::What what, TensorRange range, Body&& body) {
  const std::uint32_t self = warp.block->rank & 1, other = self ^ 1;
  Block& peer = peer_of(*warp.block);
  TensorMeeting* meeting = meeting_of(warp);
  if (meeting == nullptr) return wait_for(warp, range.count, true);
  if (!meeting->answered[self]) {
    meeting->what[self] = what;
    meeting->range[self] = range;
    if (meeting->what[other] == TensorMeeting::What::none) return wait_for(warp, range.count, true);
    check_agree(*meeting);
    if (!body(peer, meeting->range[0])) return wait_for(warp, range.count, false);
    meeting->range[1] = meeting->range[0];
    meeting->what[0] = meeting->what[1] = TensorMeeting::What::none;
    meeting->answered[other] = true;
    warp.block->cluster->moved();
  }
  meeting->answered[self] = false;
  meeting->warp[self] = nullptr;
  warp.lane_group->wait = {};
  return Flow::next;
}

Flow run_alloc(Warp& warp, const Op& op, Mask mask) {
  const bool again = warp.lane_group->wait.kind == Wait::Kind::tensor;
  if (!again && (mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  require_whole_warp(warp, mask, "tcgen05.alloc");
  Block& block = *warp.block;
  const std::uint32_t count = same_in_all(warp, op.a, mask, "the number of columns");
  check_count(block, count);
  TensorMemories& memories = *block.grid->tensor_memories;
  TensorRequest request{.range = {0, count}};
  std::uint32_t& first = request.range.first;
  if (form_of<AllocationForm>(op).pair) {
    request.peer = &peer_of(block);
    if (!again) tell(warp, request, &Observer::tensor_asked);
    const Flow flow = meet_peer(
        warp, TensorMeeting::What::allocate, request.range, [&](Block& peer, TensorRange& range) {
          if (!memories.allocate(block.tensor, &peer.tensor, count, range.first)) return false;
          first = range.first;
          tell(warp, request, &Observer::tensor_granted);
          return true;
        });
    if (flow != Flow::next) return flow;
    first = block.tensor.live.back().first;
    tell(warp, request, &Observer::tensor_returned);
  } else {
    if (!again) tell(warp, request, &Observer::tensor_asked);
    if (!memories.allocate(block.tensor, nullptr, count, first))
      return wait_for(warp, count, false);
    tell(warp, request, &Observer::tensor_granted);
  }
  warp.lane_group->wait = {};
  store_base(warp, op, first);
  return Flow::next;
}

// The columns that dealloc names: an allocation of the block. Hardware ignores a second dealloc of
// columns that the block has given back; another range is a fault.
TensorRange range_to_free(Warp& warp, std::uint32_t address, std::uint32_t count) {
  const TensorShare& share = warp.block->tensor;
  const TensorAddress base = TensorAddress::of(address);
  for (const TensorRange& live : share.live)
    if (base.lane == 0 && live.first == base.column && live.count == count) return live;
  const auto fault = [&] {
    return Fault{FaultKind::illegal_instruction,
                 say("tcgen05.dealloc of ", count, " columns at lane ", base.lane, ", column ",
                     base.column, ": the block has allocated ", columns_text(share)),
                 address, -1, FaultSubject::tensor_columns};
  };
  const TensorRange again{base.column, count};
  if (base.lane != 0 || count == 0 || count > tensor_columns - base.column ||
      !is_left_over(share, again) || (units_of(again) & live_units(share)) != 0)
    throw fault();
  if (warp.observer != nullptr) warp.observer->tolerated(warp, -1, fault());
  return again;
}

Flow run_dealloc(Warp& warp, const Op& op, Mask mask) {
  const bool again = warp.lane_group->wait.kind == Wait::Kind::tensor;
  if (!again && (mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  require_whole_warp(warp, mask, "tcgen05.dealloc");
  Block& block = *warp.block;
  TensorMemories& memories = *block.grid->tensor_memories;
  const std::uint32_t address = same_in_all(warp, op.a, mask, "the address");
  const std::uint32_t count = same_in_all(warp, op.b, mask, "the number of columns");
  if (form_of<AllocationForm>(op).pair) {
    const TensorMeeting& meeting = block.cluster->tensor_meetings[block.rank / 2];
    const bool answered = meeting.warp[block.rank & 1] == &warp && meeting.answered[block.rank & 1];
    const TensorRange range = answered ? TensorRange{} : range_to_free(warp, address, count);
    const TensorRequest request{.frees = true, .range = range, .peer = &peer_of(block)};
    if (!again) tell(warp, request, &Observer::tensor_asked);
    const Flow flow =
        meet_peer(warp, TensorMeeting::What::free, range, [&](Block& peer, TensorRange& both) {
          if (is_live(block.tensor, both)) tell(warp, request, &Observer::tensor_granted);
          memories.free(block.tensor, both);
          memories.free(peer.tensor, both);
          return true;
        });
    if (flow == Flow::next) tell(warp, request, &Observer::tensor_returned);
    return flow;
  }
  const TensorRequest request{.frees = true, .range = range_to_free(warp, address, count)};
  tell(warp, request, &Observer::tensor_asked);
  if (is_live(block.tensor, request.range)) tell(warp, request, &Observer::tensor_granted);
  memories.free(block.tensor, request.range);
  block.cluster->moved();
  return Flow::next;
}

Flow run_relinquish(Warp& warp, const Op&, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  require_whole_warp(warp, mask, "tcgen05.relinquish_alloc_permit");
  warp.block->tensor.relinquished = true;
  return Flow::next;
}

AllocationForm take_allocation_form(Binding& b, Kinds also) {
  const ModifierSet given = b.read_all(
      {.words = tensor_words,
       .allowed = kinds(TensorWord::pair, TensorWord::sync, TensorWord::aligned) | also});
  require_sync_aligned(b, given);
  if ((also & kinds(TensorWord::type)) != 0 && given.get(TensorWord::type, 0) != 32)
    b.refuse("the type .b32 is missing");
  const auto space = given.get(TensorWord::space, CopySpace::generic);
  if (space == CopySpace::shared_cluster) b.refuse("the address goes to .shared::cta");
  return {.slots = {}, .space = space, .pair = take_pair(b, given)};
}

// A number of columns that is written down can be checked at once; of dealloc ptxas asks for less.
void check_constant(const Binding& b, const ptx::Operand& operand, bool allocates) {
  if (!b.is_constant(operand)) return;
  const std::int64_t count = b.constant(operand);
  if (count % tensor_column_unit != 0)
    b.refuse(say(count, " columns: multiples of 32 are allocated"));
  if (allocates &&
      (count > tensor_columns || !std::has_single_bit(static_cast<std::uint64_t>(count))))
    b.refuse(say(count, " columns: 32, 64, 128, 256 or 512 can be allocated"));
}

void bind_alloc(Binding& b) {
  AllocationForm form = take_allocation_form(b, kinds(TensorWord::space, TensorWord::type));
  b.expect_operands(2, 2);
  bind_address(b, form.slots, 0, b.operand(0), ptx::Space::shared);
  check_constant(b, b.operand(1), true);
  b.op.a = b.read(1, Type::u32);
  set_form(b.op, form);
  b.op.run = run_alloc;
}

void bind_dealloc(Binding& b) {
  const AllocationForm form = take_allocation_form(b, kinds(TensorWord::type));
  b.expect_operands(2, 2);
  check_constant(b, b.operand(1), false);
  b.op.a = b.read(0, Type::u32);
  b.op.b = b.read(1, Type::u32);
  set_form(b.op, form);
  b.op.run = run_dealloc;
}

void bind_relinquish(Binding& b) {
  const AllocationForm form = take_allocation_form(b, 0);
  b.expect_operands(0, 0);
  set_form(b.op, form);
  b.op.run = run_relinquish;
}

constexpr std::string_view transfer_forms =
    ".sync.aligned.{32x32b,16x64b,16x128b,16x256b,16x32bx2}.x{1 to 128}.b32";

constexpr OpcodeRow rows[] = {
    {"tcgen05.alloc", OpClass::other, bind_alloc,
     ".cta_group::{1,2}.sync.aligned.b32, generic, .shared::cta", sm_100a},
    {"tcgen05.dealloc", OpClass::other, bind_dealloc, ".cta_group::{1,2}.sync.aligned.b32",
     sm_100a},
    {"tcgen05.relinquish_alloc_permit", OpClass::other, bind_relinquish,
     ".cta_group::{1,2}.sync.aligned", sm_100a},
    {"tcgen05.ld", OpClass::load, bind_tensor_load, transfer_forms, sm_100a},
    {"tcgen05.st", OpClass::store, bind_tensor_store, transfer_forms, sm_100a},
    {"tcgen05.wait::ld", OpClass::barrier, bind_tensor_wait_loads, ".sync.aligned", sm_100a},
    {"tcgen05.wait::st", OpClass::barrier, bind_tensor_wait_stores, ".sync.aligned", sm_100a},
    {"tcgen05.cp", OpClass::async_copy, bind_tensor_copy,
     ".cta_group::{1,2} .128x256b .4x256b .128x128b .64x128b.warpx2::{02_13,01_23} "
     ".32x128b.warpx4, .b8x16 of .b4x16_p64 .b6x16_p32",
     sm_100a},
    {"tcgen05.shift", OpClass::async_copy, bind_tensor_shift, ".cta_group::{1,2}.down", sm_100a},
    {"tcgen05.commit", OpClass::barrier, bind_tensor_commit,
     ".cta_group::{1,2}.mbarrier::arrive::one.b64, .multicast::cluster, generic, .shared::cluster",
     sm_100a},
    {"tcgen05.fence::before_thread_sync", OpClass::fence, bind_tensor_fence_before, "", sm_100a},
    {"tcgen05.fence::after_thread_sync", OpClass::fence, bind_tensor_fence_after, "", sm_100a},
};

}  // namespace

std::span<const OpcodeRow> tensor_memory_rows() { return rows; }

}  // namespace aisp::sim
