// Findings about tensor memory put into words.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {

const char* name_of(TensorDeed deed) {
  switch (deed) {
    case TensorDeed::load:
      return "tcgen05.ld";
    case TensorDeed::store:
      return "tcgen05.st";
    case TensorDeed::product:
      return "tcgen05.mma";
    case TensorDeed::copy:
      return "tcgen05.cp";
    case TensorDeed::shift:
      return "tcgen05.shift";
  }
  return "";
}

namespace {

using base::say;

const char* instruction_of(const TensorRecord& record, bool frees) {
  if (channel_of(record.actor) == Channel::lanes)
    return frees ? "tcgen05.dealloc" : "tcgen05.alloc";
  return name_of(record.deed);
}

// "tcgen05.mma that writes D in columns 0-127, lanes 0-127"
std::string deed_of(const TensorRecord& record, bool frees) {
  const char* const name = instruction_of(record, frees);
  if (channel_of(record.actor) == Channel::lanes)
    return say(name, " of columns ", record.cells.column, "-",
               record.cells.column + record.cells.columns - 1);
  return say(name, " that ", record.wrote ? "writes " : "reads ", record.operand,
             *record.operand != 0 ? " in " : "", cells_text(record.cells));
}

Event event_of_record(const TensorRecord& record) {
  return {.actor = record.actor,
          .lanes = record.bit(),
          .time = record.time,
          .pc = record.pc,
          .issuer = actor_of(index_of(record.actor), Channel::lanes),
          .issuer_lanes = record.of_tensor_core() ? record.bit() : all_lanes,
          .issued = record.issue_time};
}

struct TensorReason {
  std::string why, fix;
};

TensorReason reason_for(HazardRule rule, const TensorRecord& before) {
  const bool load = before.deed == TensorDeed::load;
  switch (rule) {
    case HazardRule::tensor_commit:
      return {say("the ", instruction_of(before, false),
                  " is in flight: its end is seen by nothing but a tcgen05.commit behind it, in "
                  "the thread that issued it, and the phase of the mbarrier that arrives at"),
              "tcgen05.commit by the issuing thread and mbarrier.try_wait for that phase by this "
              "one, or by a thread that it meets afterwards; a barrier alone says only that it was "
              "issued"};
    case HazardRule::tensor_wait:
      return {say("the ", load ? "tcgen05.ld" : "tcgen05.st",
                  " may be in flight: its warp has executed no tcgen05.wait::", load ? "ld" : "st",
                  " before what this thread has heard of"),
              say("tcgen05.wait::", load ? "ld" : "st",
                  ".sync.aligned by that warp, before the barrier or the arrival that lets others "
                  "go on")};
    case HazardRule::tensor_wait_read:
      return {
          "its warp has executed no tcgen05.wait::ld; all registers of the load were read before "
          "what this thread has heard of, and those instructions waited for it",
          "tcgen05.wait::ld.sync.aligned by that warp, before the barrier or the arrival that "
          "lets others go on"};
    case HazardRule::tensor_fence:
    case HazardRule::tensor_fence_block:
      return {
          "a relaxed operation has passed the word on, and orders nothing of tensor memory by "
          "itself",
          "tcgen05.fence::before_thread_sync before the relaxed arrival and "
          "tcgen05.fence::after_thread_sync behind the relaxed wait, or .release and .acquire"};
    case HazardRule::tensor_pipeline:
      return {
          "the products of a thread run in order when they have the same accumulator, shape and "
          "kind; these have not",
          "tcgen05.commit and a wait for it between the two, or columns of their own"};
    default:
      return {
          "no barrier, mbarrier phase or release/acquire pair lies between the two",
          "a barrier, or an mbarrier at which the first arrives and for which the second waits"};
  }
}

}  // namespace

void GridWatch::report_tensor(HazardRule rule, const WarpWatch& self, const Group& group,
                              const TensorRecord& before, const TensorRecord& now,
                              const BlockWatch& owner, bool premature) {
  Event earlier = event_of_record(before), later = event_of_record(now);
  if (premature) std::swap(earlier, later);
  FindingNumber from = no_finding;
  if (!is_root(rule, before.pc, now.pc))
    from = premature ? missing_.find(earlier,
                                     [&](const MissingEdges::Edge& edge) {
                                       return precedes(edge.after, later);
                                     })
                     : root_of_tensor_use(self, group, earlier, later);
  const bool is_known = known(rule, before.pc, now.pc, Reach::unknown, from);
  if (!is_known) describe_tensor(rule, self, before, now, owner, premature, from);
  note_edge(rule, earlier, later, from);
}

void GridWatch::describe_tensor(HazardRule rule, const WarpWatch& self, const TensorRecord& before,
                                const TensorRecord& now, const BlockWatch& owner, bool premature,
                                FindingNumber from) {
  const TensorReason reason = reason_for(rule, premature ? now : before);
  FindingPlace first = place_of(before.actor, before.lane, before.pc, deed_of(before, false));
  FindingPlace second = place_here(self, now.lane, now.pc, deed_of(now, true));
  const std::uint32_t* const index = owner.block->index;
  first.address = second.address =
      say("tensor memory of block (", index[0], ",", index[1], ",", index[2], ")");
  if (premature) std::swap(first, second);
  std::string message = say(second.what, " is not ordered after a ", first.what);
  add(rule, std::move(message), reason.why, reason.fix, {std::move(first), std::move(second)},
      premature ? now.pc : before.pc, premature ? before.pc : now.pc, Reach::unknown, "", false,
      from);
}

}  // namespace aisp::sim::watch
