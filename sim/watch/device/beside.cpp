#include "sim/watch/device/beside.hpp"

#include <algorithm>

namespace aisp::sim::watch {
namespace {

// Grids that have ended and that nobody waited for: more than these are not kept.
constexpr std::size_t most_kept = 64;
// Numbers of a grid at least, for its mbarriers, and of all together.
constexpr std::uint32_t least_numbers = 1u << 16, all_numbers = 1u << 27;

}  // namespace

FindingPlace GridRecord::place_of(Actor actor, int lane, std::uint32_t pc, std::string what) const {
  FindingPlace place;
  place.what = std::move(what);
  std::uint32_t warp = index_of(actor) - first;
  place.lane = channel_of(actor) == Channel::product ? -1 : lane;
  if (channel_of(actor) == Channel::mbarrier) {
    const auto issuer = issuers.find({actor, pc});
    warp = issuer != issuers.end() ? issuer->second.warp - first : ~0u;
    place.lane = issuer != issuers.end() ? issuer->second.lane : -1;
  }
  if (warp != ~0u) {
    const std::uint32_t block = warp / warps_per_block;
    place.warp = static_cast<int>(warp % warps_per_block);
    place.block[0] = block % grid.x;
    place.block[1] = block / grid.x % grid.y;
    place.block[2] = block / grid.x / grid.y;
  }
  if (program == nullptr || pc == 0 || pc >= program->sources.size()) return place;
  const OpSource& source = program->sources[pc];
  place.ptx_line = source.ptx_line;
  place.ptx = std::string(program->line_text(source.ptx_line));
  place.ptx.erase(0, std::min(place.ptx.find_first_not_of(" \t"), place.ptx.size()));
  if (source.line > 0 && source.file > 0 &&
      static_cast<std::size_t>(source.file) < program->files.size()) {
    place.file = program->files[static_cast<std::size_t>(source.file)];
    place.line = source.line;
    if (!chains_) chains_ = std::make_unique<SourceChains>(program->lines, program->files);
    const auto chain = chains_->of(source.ptx_line);
    for (std::size_t i = 1; i < chain.size(); ++i)
      place.inlined.emplace_back(chain[i].file, chain[i].line);
  }
  return place;
}

BesideGrids& beside_of(ProcessWatch& process) {
  if (!process.beside) process.beside = std::make_shared<BesideGrids>();
  return *process.beside;
}

void BesideGrids::enter(const GridRecordPtr& record) {
  const std::lock_guard lock(mutex_);
  drop_settled();
  record->first = next_;
  record->numbers = std::max(record->numbers, least_numbers);
  next_ += record->numbers;
  kept_.push_back(record);
  ++version_;
}

// What nobody can be unordered with any more is forgotten, and with the last of them all flags.
void BesideGrids::drop_settled() {
  std::erase_if(kept_, [](const GridRecordPtr& one) { return one->operation->settled; });
  const bool full = next_ >= all_numbers;
  for (auto at = kept_.begin(); at != kept_.end() && (full || kept_.size() >= most_kept);)
    at = (*at)->ended ? kept_.erase(at) : at + 1;
  if (!kept_.empty()) return;
  locations.clear();
  pairs_.clear();
  next_ = 0;
}

std::vector<GridRecordPtr> BesideGrids::unordered_with(const GridRecord& record) {
  const std::lock_guard lock(mutex_);
  const OrderNode& own = *record.operation->node;
  std::vector<GridRecordPtr> found;
  for (const GridRecordPtr& other : kept_) {
    const OrderNode& node = *other->operation->node;
    if (other.get() != &record && !covers(own.clock, node) && !covers(node.clock, own))
      found.push_back(other);
  }
  return found;
}

ClockPtr BesideGrids::known_before(const StreamOperation& operation) {
  const std::lock_guard lock(mutex_);
  ClockPtr known;
  for (const GridRecordPtr& one : kept_)
    if (one->ended && one->told && covers(operation.node->clock, *one->operation->node))
      known = join(known, one->told);
  return known;
}

bool BesideGrids::order(const StreamOperation& a, bool a_writes, const StreamOperation& b,
                        bool b_writes, std::uint64_t begin, std::uint64_t end) {
  if (kept_.empty()) return false;
  return talked(a, b) || comes_before(a, b, b_writes, begin, end) ||
         comes_before(b, a, a_writes, begin, end) || told_of(a, b) || told_of(b, a);
}

GridRecord* BesideGrids::record_of(const StreamOperation& operation) const {
  for (const GridRecordPtr& one : kept_)
    if (one->operation.get() == &operation) return one.get();
  return nullptr;
}

// `a`, of which no single accesses are known, comes before a grid that talks with `b`, or with one
// that `b` comes after.
bool BesideGrids::told_of(const StreamOperation& a, const StreamOperation& b) const {
  if (record_of(a) != nullptr) return false;
  for (const GridRecordPtr& tells : kept_) {
    if (!covers(tells->operation->node->clock, *a.node)) continue;
    for (const GridRecordPtr& hears : kept_)
      if ((hears->operation.get() == &b || covers(b.node->clock, *hears->operation->node)) &&
          talked(*tells->operation, *hears->operation))
        return true;
  }
  return false;
}

// All that grid `a` did there and that concerns `b` is known to `b` when it begins.
bool BesideGrids::comes_before(const StreamOperation& a, const StreamOperation& b, bool b_writes,
                               std::uint64_t begin, std::uint64_t end) {
  const ClockPtr known = known_before(b);
  if (!known) return false;
  GridRecord* const record = record_of(a);
  if (record == nullptr) return false;
  const TimesPtr &ordered = (*known)[Layer::ordered], &performed = (*known)[Layer::performed];
  const auto is_known = [&](const Reader& reader) {
    const Mask left = missing(ordered, reader.actor, reader.mask, reader.time);
    return reader.actor == 0 || missing(performed, reader.actor, left, reader.time) == 0;
  };
  bool all = true;
  record->global.each_page(begin, end, [&](Page& page, std::uint64_t from, std::uint32_t bytes) {
    const auto offset = static_cast<std::uint32_t>(from & (Page::bytes - 1));
    page.refine(unit_shift(offset, bytes));
    for (std::uint32_t at = 0; at < bytes; at += 1u << page.shift()) {
      const Cell& cell = page.cell(offset + at);
      const Stamp& write = cell.write;
      all &=
          write.actor == 0 || missing(ordered, write.actor, Mask{1} << write.lane, write.time) == 0;
      if (!b_writes) continue;
      all &= is_known(cell.read);
      if (const auto* more = page.more_or_null(cell))
        all &= std::all_of(more->begin(), more->end(), is_known);
    }
  });
  return all;
}

void BesideGrids::forget(const Program* program) {
  const std::lock_guard lock(mutex_);
  for (const GridRecordPtr& one : kept_)
    if (one->program == program) one->program = nullptr;
}

void BesideGrids::talk(const StreamOperation& a, const StreamOperation& b, Findings& findings) {
  Pair& of = pair(a, b);
  of.talked = true;
  for (Unordered& one : std::exchange(of.waiting, {}))
    findings.add(std::move(one.finding), one.first_pc, one.second_pc);
}

bool BesideGrids::talked(const StreamOperation& a, const StreamOperation& b) const {
  const auto found = pairs_.find(std::minmax(a.number, b.number));
  return found != pairs_.end() && found->second.talked;
}

bool BesideGrids::is_new(const StreamOperation& a, const StreamOperation& b, std::uint32_t first_pc,
                         std::uint32_t second_pc) {
  return pair(a, b).seen.insert(std::minmax(first_pc, second_pc)).second;
}

void BesideGrids::found(const StreamOperation& a, const StreamOperation& b, Unordered one,
                        Findings& findings) {
  Pair& of = pair(a, b);
  if (of.talked)
    findings.add(std::move(one.finding), one.first_pc, one.second_pc);
  else
    of.waiting.push_back(std::move(one));
}

}  // namespace aisp::sim::watch
