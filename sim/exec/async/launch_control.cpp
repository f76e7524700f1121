// clusterlaunchcontrol: a block takes over the work of a cluster of its grid that has not begun.
// The answer, 16 bytes that only query_cancel reads, comes like a bulk copy. Which cluster it is
// is the schedule's choice, and in random order so is a refusal while some are still waiting.
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/async/async.hpp"
#include "sim/exec/async/trace.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/sync/mbarrier.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr int answer_operand = 0, barrier_operand = 1;

struct Answer {
  std::uint32_t taken;
  std::uint32_t first[3];  // %ctaid of the cluster's first block
};
constexpr Answer refusal{0, {~0u, ~0u, ~0u}};
constexpr std::uint32_t answer_bytes = sizeof(Answer);
static_assert(answer_bytes == sizeof(U128));

struct CancelForm {
  AddressSlots slots;
  CopySpace space = CopySpace::generic;
  bool multicast = false;
};

struct Cancel {
  Block* block;
  std::uint32_t to, barrier;  // shared::cluster addresses
  bool multicast;
};

constexpr std::uint64_t one_refusal_in = 8;

std::optional<std::uint32_t> choose(Cluster& cluster) {
  PendingClusters& pending = cluster.grid->pending;
  if (cluster.grid->settings.order != Order::random) return pending.take_first();
  const std::uint64_t chance = next_random(cluster.random);
  if (chance % one_refusal_in == 0) return std::nullopt;
  return chance >> 32 & 1 ? pending.take_last() : pending.take_first();
}

Answer answer_of(const Grid& grid, std::uint32_t index) {
  const Dim3 first = grid.first_block(grid.clusters().place_of(index));
  return {1, {first.x, first.y, first.z}};
}

void deliver(const Cancel& cancel, const Answer& answer, std::uint32_t rank) {
  const std::uint32_t barrier = in_block(cancel.barrier, rank);
  std::byte* into =
      resolve_shared(*cancel.block, in_block(cancel.to, rank), answer_bytes, Access::write);
  if (AsyncTrace trace(*cancel.block, barrier); trace)
    trace.tell(into, answer_bytes, Access::write);
  std::memcpy(into, &answer, answer_bytes);
  mbarrier_apply(*cancel.block, barrier, MBarrierAction::complete_tx, answer_bytes);
}

void perform(const Cancel& cancel) {
  Cluster& cluster = *cancel.block->cluster;
  const auto taken = choose(cluster);
  const Answer answer = taken ? answer_of(*cluster.grid, *taken) : refusal;
  if (!cancel.multicast) return deliver(cancel, answer, cancel.block->rank);
  for (std::uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) deliver(cancel, answer, rank);
}

Flow run_try_cancel(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<CancelForm>(op);
  each_lane_checked(mask, [&](int lane) {
    if (warp.observer != nullptr)  // it names both places
      warp.observer->cancel_asked(warp, lane);
    else if (warp.block->saw_refusal)
      misuse(
          "clusterlaunchcontrol.try_cancel after query_cancel.is_canceled said in this block that "
          "an earlier one failed: what it does is undefined; stop asking at the first failure",
          0);
    const Cancel cancel{.block = warp.block,
                        .to = lane_shared(warp, op, answer_operand, lane, form.space),
                        .barrier = lane_shared(warp, op, barrier_operand, lane, form.space),
                        .multicast = form.multicast};
    if (cancel.to % answer_bytes != 0)
      throw Fault{FaultKind::misaligned,
                  say("clusterlaunchcontrol.try_cancel with its answer at shared address ",
                      cancel.to, ": it must be a multiple of ", answer_bytes),
                  cancel.to, lane};
    for (const std::uint32_t address : {cancel.to, cancel.barrier})
      if (address >> shared_rank_shift != warp.block->rank)
        misuse(say("clusterlaunchcontrol.try_cancel names block ", address >> shared_rank_shift,
                   " of the cluster, the thread is in block ", warp.block->rank),
               address);
    if (warp.observer != nullptr)
      for (std::uint32_t rank = 0; rank < warp.block->cluster->blocks.size(); ++rank)
        if (form.multicast || rank == warp.block->rank)
          warp.observer->mbarrier_named(warp, lane, in_block(cancel.barrier, rank));
    issue(warp, AsyncKind::bulk_load, lane, [cancel] { perform(cancel); });
  });
  return Flow::next;
}

Answer answer_in(const Warp& warp, const Op& op, int lane) {
  Answer answer;
  std::memcpy(&answer, warp.read<U128>(op.a) + lane, answer_bytes);
  return answer;
}

Flow run_is_canceled(Warp& warp, const Op& op, Mask mask) {
  Mask taken = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Answer answer = answer_in(warp, op, lane);
    if (answer.taken == 1) taken |= Mask{1} << lane;
    warp.block->saw_refusal |= std::memcmp(&answer, &refusal, sizeof answer) == 0;
  }
  if (warp.observer != nullptr && taken != mask) warp.observer->cancel_refused(warp, mask & ~taken);
  warp.set_predicate(op.dst, mask, taken);
  return Flow::next;
}

// op.imm: how many dimensions the list has, and from which on.
Flow run_first_ctaid(Warp& warp, const Op& op, Mask mask) {
  const Ref* to = warp.list(op);
  const auto count = static_cast<int>(op.imm & 0xff), from = static_cast<int>(op.imm >> 8);
  for (int i = 0; i < count; ++i) {
    if (to[i] == no_ref) continue;
    auto* const values = warp.write<std::uint32_t>(to[i]);
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      values[lane] = answer_in(warp, op, lane).first[from + i];
    }
  }
  return Flow::next;
}

void bind_first_ctaid(Binding& b, int count, int from) {
  if (count == 1) {
    b.list(b.write(0, Type::b32));
  } else {
    const auto& parts = b.operand(0).parts;
    if (b.operand(0).kind != ptx::Operand::Kind::vector || parts.size() != 4)
      b.refuse("a vector of 4 registers is expected");
    for (int i = 0; i < count; ++i) b.list(b.write(parts[static_cast<std::size_t>(i)], Type::b32));
    b.write(parts[3], Type::b32);  // of no meaning
  }
  b.op.imm = static_cast<std::uint64_t>(count | from << 8);
  b.op.run = run_first_ctaid;
}

constexpr Word<int> dimensions[] = {
    {"get_first_ctaid::x", 0}, {"get_first_ctaid::y", 1}, {"get_first_ctaid::z", 2}};

}  // namespace

void bind_try_cancel(Binding& b) {
  b.expect("async");
  CancelForm form;
  if (b.accept_any({"shared", "shared::cta"})) form.space = CopySpace::shared_cta;
  b.expect("mbarrier::complete_tx::bytes");
  form.multicast = b.accept("multicast::cluster::all");
  if (form.multicast) b.require(sm_100a, ".multicast::cluster::all");
  b.expect("b128");
  b.expect_operands(2, 2);
  bind_address(b, form.slots, answer_operand, b.operand(0));
  bind_address(b, form.slots, barrier_operand, b.operand(1));
  set_form(b.op, form);
  b.op.run = run_try_cancel;
}

void bind_query_cancel(Binding& b) {
  b.expect_operands(2, 2);
  if (b.accept("is_canceled")) {
    b.expect("pred");
    b.op.dst = b.write_predicate(b.operand(0));
    b.op.run = run_is_canceled;
  } else if (b.accept("get_first_ctaid")) {
    b.expect("v4");
    b.expect("b32");
    bind_first_ctaid(b, 3, 0);
  } else {
    const int dimension = b.one_of(
        dimensions, ".is_canceled, .get_first_ctaid or .get_first_ctaid::x to ::z is expected");
    b.expect("b32");
    bind_first_ctaid(b, 1, dimension);
  }
  b.expect("b128");
  b.op.a = b.read(1, Type::b128);
}

}  // namespace aisp::sim
