#include "base/refuse.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/sync/mbarrier.hpp"
#include "sim/machine/access.hpp"

namespace aisp::sim {

namespace {

using base::say;

std::string numbers(const MBarrier& object) {
  return say("phase ", object.phase ? 1 : 0, ", ", object.balance());
}

MBarrier alive(std::uint64_t bits, std::uint32_t address) {
  const MBarrier object = MBarrier::decode(bits);
  if (!object.alive)
    misuse(say(mbarrier_text(address), " is not initialised, or has been invalidated"), address,
           FaultSubject::mbarrier_state);
  return object;
}

struct ActionRow {
  const char* name;
  bool (MBarrier::*apply)(std::uint32_t count);
  FaultSubject counts = FaultSubject::mbarrier_arrivals;
};

// In the order of MBarrierAction.
constexpr ActionRow actions[] = {
    {"arrive", &MBarrier::arrive},
    {"arrive_drop", &MBarrier::arrive_drop},
    {"cp.async.mbarrier.arrive", &MBarrier::await_more},
    {"expect_tx", &MBarrier::expect_tx, FaultSubject::mbarrier_transactions},
    {"complete_tx", &MBarrier::complete_tx, FaultSubject::mbarrier_transactions},
};

}  // namespace

std::string mbarrier_text(std::uint32_t address) {
  return say("mbarrier at shared offset ", own_offset(address), " of block ",
             address >> shared_rank_shift);
}

MBarrier mbarrier_apply(Block& from, std::uint32_t address, MBarrierAction action,
                        std::uint32_t count, const MBarrierActor& actor) {
  std::uint64_t& bits = *mbarrier_at(from, address);
  const MBarrier before = alive(bits, address);
  const ActionRow& row = actions[static_cast<int>(action)];
  MBarrier object = before;
  if (!(object.*row.apply)(count))
    misuse(say(mbarrier_text(address), ": ", row.name, " of ", count,
               " leaves the range of the object (", numbers(before), "; counts end at ",
               MBarrier::max_count, ")"),
           address, row.counts);
  bits = object.encode();
  if (object.phase != before.phase) from.cluster->moved();
  if (Observer* observer = from.grid->observer; observer != nullptr) [[unlikely]]
    observer->mbarrier_applied(from, actor, address, action, count, before, object);
  return before;
}

MBarrier mbarrier_read(Block& from, std::uint32_t address) {
  return alive(*mbarrier_at(from, address), address);
}

}  // namespace aisp::sim
