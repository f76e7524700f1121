// Accesses compared with those of grids in other streams, and flags that such grids share.
#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

// Strong accesses at scopes that hold both threads, which are of different grids. Of a reader the
// system's scope is not kept: its flag, if it is one, orders nothing then, which shows elsewhere.
bool hold_each_other(std::uint32_t a, std::uint32_t b, bool same_device) {
  if ((a & b & flag_strong) == 0) return false;
  if (((a | b) & (flag_scope_cta | flag_scope_cluster)) != 0) return false;
  return same_device || (a & b & flag_scope_system) != 0;
}

}  // namespace

bool GridWatch::has_beside() {
  if (!record_->operation) return false;
  if (beside_version_ != beside_of(process_).version()) {
    beside_version_ = beside_of(process_).version();
    beside_ = beside_of(process_).unordered_with(*record_);
  }
  return !beside_.empty();
}

void GridWatch::compare_beside(const Region& region, std::uint64_t bytes, const Accessor& who) {
  for (const GridRecordPtr& other : beside_)
    other->global.each_page(region.address, region.address + bytes,
                            [&](Page& page, std::uint64_t address, std::uint32_t part) {
                              compare_page(*other, page, {nullptr, address}, part, who);
                            });
}

void GridWatch::compare_page(const GridRecord& other, Page& page, Region region,
                             std::uint32_t bytes, const Accessor& who) {
  auto offset = static_cast<std::uint32_t>(region.address & (Page::bytes - 1));
  page.refine(unit_shift(offset, bytes));
  const std::uint32_t size = 1u << page.shift();
  const bool writes = who.access != Access::read, same_device = other.device == record_->device;
  for (const std::uint32_t end = offset + bytes; offset < end;
       offset += size, region.address += size) {
    const Cell& cell = page.cell(offset);
    const Stamp& write = cell.write;
    if (write.actor != 0 && !knows(who, write.actor, Mask{1} << write.lane, write.time, false)) {
      const bool meet = hold_each_other(write.flags, who.flags, same_device);
      if (meet && !writes)
        beside_of(process_).talk(*other.operation, *record_->operation, process_.findings);
      if (!meet && (writes || !other.facts->swaps[write.pc]))
        race_beside(other, region, size,
                    {write.actor, write.time, write.pc, static_cast<int>(write.lane), true, true},
                    who);
    }
    if (!writes) continue;
    const auto check_reader = [&](const Reader& reader) {
      if (reader.actor == 0 || facts_->swaps[who.pc]) return;
      const Mask left = unknown(who, reader.actor, reader.mask, reader.time, true);
      if (left == 0 || hold_each_other(reader.flags, who.flags, true)) return;
      race_beside(other, region, size,
                  {reader.actor, reader.time, reader.pc, std::countr_zero(left), false, true}, who);
    };
    check_reader(cell.read);
    if (const auto* more = page.more_or_null(cell))
      for (const Reader& reader : *more) check_reader(reader);
  }
}

void GridWatch::race_beside(const GridRecord& other, const Region& region, std::uint32_t size,
                            const Before& before, const Accessor& now) {
  BesideGrids& beside = beside_of(process_);
  if (!beside.is_new(*other.operation, *record_->operation, before.pc, now.pc)) return;
  const bool writes = now.access != Access::read, far = other.device != record_->device;
  const auto deed = [&](bool wrote, const GridRecord& by) {
    return say(wrote ? "write of " : "read of ", size, " bytes by kernel ", by.kernel,
               far ? say(" on device ", by.device) : "");
  };
  FindingPlace first =
      other.place_of(before.actor, before.lane, before.pc, deed(before.wrote, other));
  FindingPlace second = place_of(now.actor, now.lane, now.pc, deed(writes, *record_));
  first.address = second.address = address_text(region);
  BesideGrids::Unordered one{.finding = {}, .first_pc = before.pc, .second_pc = now.pc};
  Finding& finding = one.finding;
  finding.rule = HazardRule::global_race;
  finding.kernel = record_->kernel;
  finding.message = say(second.what, " is not ordered after a ", first.what,
                        " in another stream, at ", first.address);
  finding.why = say(
      "kernels of two streams that run beside each other are ordered by nothing but a release "
      "behind the one access and an acquire that finds it before the other, both at a scope that "
      "holds the two threads: ",
      far ? ".sys, as they are on different devices" : ".gpu or .sys");
  finding.fix =
      "signal with st.release.sys (or __threadfence_system() before a relaxed store) after all who "
      "wrote, or read, have met at a barrier; wait with ld.acquire.sys for the value of this step, "
      "then touch the data; give the buffer back by a flag of its own, or use another one in the "
      "next step";
  finding.places = {std::move(first), std::move(second)};
  if (other.program == record_->program)
    finding.causes =
        causes_of(finding.rule, finding.places, before.pc, now.pc, object_text(region));
  finding.reach = Reach::grid;
  beside.found(*other.operation, *record_->operation, std::move(one), process_.findings);
}

// Who reads a flag behind which another grid has released something listens to it, whether it gets
// to know that or not.
void GridWatch::note_listens(const SyncLocation& location) {
  for (const std::uint32_t first : location.grids)
    for (const GridRecordPtr& other : beside_)
      if (other->first == first && first != record_->first)
        beside_of(process_).talk(*other->operation, *record_->operation, process_.findings);
}

}  // namespace aisp::sim::watch
