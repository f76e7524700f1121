// tcgen05.commit, which announces at an mbarrier that what the thread has asked of the tensor core
// is done, and the fences.
#include <vector>

#include "base/refuse.hpp"
#include "sim/exec/sync/mbarrier.hpp"
#include "sim/exec/tensor_memory/words.hpp"
#include "sim/machine/async.hpp"

namespace aisp::sim {
namespace {

using base::say;

struct CommitForm {
  AddressSlots slots;
  CopySpace space = CopySpace::generic;
  bool pair = false, multicast = false;
};

struct Arrival {
  std::uint32_t barrier = 0;  // shared::cluster address
  std::uint64_t watched = 0;  // the observer's number for it
};

// A generic address of the shared window counts by its low 32 bits, whatever the form says. The
// form without .shared::cluster takes a generic address. Hardware looks at the low 32 bits there
// too: kernels that give it an address of shared memory, extended with zeros, work.
std::uint32_t barrier_of(Warp& warp, const Op& op, int lane) {
  const auto form = form_of<CommitForm>(op);
  const std::uint64_t address = lane_address(warp, op, 0, lane);
  if (form.space != CopySpace::generic || address >> 32 != 0)
    return lane_shared(warp, op, 0, lane, form.space);
  if (warp.observer != nullptr)
    warp.observer->tolerated(
        warp, lane,
        {FaultKind::bad_address_space,
         say("tcgen05.commit without .shared::cluster is given ", address,
             ", an address within shared memory, where a generic address belongs"),
         address, lane, FaultSubject::commit_address});
  return static_cast<std::uint32_t>(address);
}

std::vector<std::uint32_t> barriers_of(Warp& warp, const Op& op, int lane) {
  const auto form = form_of<CommitForm>(op);
  const std::uint32_t barrier = barrier_of(warp, op, lane);
  if (!form.multicast) return {barrier};
  const std::uint32_t mask = warp.read<std::uint32_t>(op.a)[lane] & 0xffff;
  const auto blocks = static_cast<std::uint32_t>(warp.block->cluster->blocks.size());
  if (mask >> blocks != 0)
    misuse(say("multicast mask ", mask, " names blocks beyond the ", blocks, " of the cluster"),
           barrier);
  std::vector<std::uint32_t> all;
  for (std::uint32_t rank = 0; rank < blocks; ++rank)
    if ((mask >> rank & 1) != 0) all.push_back(in_block(barrier, rank));
  return all;
}

void arrive(Block& block, const std::vector<Arrival>& arrivals) {
  Cluster& cluster = *block.cluster;
  for (const Arrival& arrival : arrivals) {
    cluster.arriving = arrival.watched;
    mbarrier_apply(block, arrival.barrier, MBarrierAction::arrive, 1);
    cluster.arriving = 0;
  }
}

Flow run_commit(Warp& warp, const Op& op, Mask mask) {
  each_lane_checked(mask, [&](int lane) {
    if (form_of<CommitForm>(op).pair) peer_of(*warp.block);
    std::vector<Arrival> arrivals;
    for (const std::uint32_t barrier : barriers_of(warp, op, lane)) {
      mbarrier_read(*warp.block, barrier);
      Arrival& arrival = arrivals.emplace_back(Arrival{.barrier = barrier});
      if (warp.observer == nullptr) continue;
      warp.observer->mbarrier_named(warp, lane, barrier);
      arrival.watched =
          warp.observer->products_will_arrive(warp, lane, barrier, form_of<CommitForm>(op).pair);
    }
    when_complete(
        *warp.block->cluster, tensor_of(warp), Mask{1} << lane,
        [block = warp.block, arrivals = std::move(arrivals)] { arrive(*block, arrivals); });
  });
  return Flow::next;
}

// Threads see what others did to tensor memory in the order in which it was done: only an observer
// hears of it. op.imm: the kind.
Flow run_fence(Warp& warp, const Op& op, Mask mask) {
  if (warp.observer != nullptr)
    warp.observer->fence(warp, mask, static_cast<FenceKind>(op.imm), MemoryOrder::weak, Scope::cta,
                         false);
  return Flow::next;
}

constexpr Modifier commit_words[] = {
    {"mbarrier::arrive::one", TensorWord::completion},
    {"multicast::cluster", TensorWord::multicast},
};

}  // namespace

void bind_tensor_commit(Binding& b) {
  const ModifierSet given =
      b.read_all({.words = tensor_words,
                  .more = commit_words,
                  .allowed = kinds(TensorWord::pair, TensorWord::space, TensorWord::type,
                                   TensorWord::completion, TensorWord::multicast)});
  if (!given.has(TensorWord::completion)) b.refuse("'.mbarrier::arrive::one' is missing");
  if (given.get(TensorWord::type, 0) != 64) b.refuse("the type .b64 is missing");
  CommitForm form;
  form.space = given.get(TensorWord::space, CopySpace::generic);
  if (form.space == CopySpace::shared_cta) b.refuse("the mbarrier lies in .shared::cluster");
  form.pair = take_pair(b, given);
  form.multicast = given.has(TensorWord::multicast);
  b.expect_operands(form.multicast ? 2 : 1, form.multicast ? 2 : 1);
  bind_address(b, form.slots, 0, b.operand(0), ptx::Space::shared);
  if (form.multicast) {
    if (b.is_constant(b.operand(1))) b.refuse("the mask of blocks is a register of 16 bits");
    b.op.a = b.read(1, Type::b16);
  }
  set_form(b.op, form);
  b.op.run = run_commit;
}

void bind_tensor_fence(Binding& b, bool before) {
  b.expect_operands(0, 0);
  b.op.imm =
      static_cast<std::uint64_t>(before ? FenceKind::tensor_before : FenceKind::tensor_after);
  b.op.run = run_fence;
}
void bind_tensor_fence_before(Binding& b) { bind_tensor_fence(b, true); }
void bind_tensor_fence_after(Binding& b) { bind_tensor_fence(b, false); }

}  // namespace aisp::sim
