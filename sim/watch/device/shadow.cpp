#include "sim/watch/device/shadow.hpp"

#include <algorithm>

namespace aisp::sim::watch {
namespace {

void append(std::vector<TouchedRange>& ranges, std::uint64_t begin, std::uint64_t end,
            std::uint32_t pc, std::uint8_t how) {
  if (!ranges.empty() && ranges.back().end == begin && ranges.back().how == how)
    ranges.back().end = end;
  else
    ranges.push_back({begin, end, pc, how});
}

}  // namespace

void Page::start_rows(std::uint32_t unit) {
  unit_ = unit;
  rows_.resize(bytes / row_bytes());
}

void Page::make_cells() {
  if (!cells_.empty()) return;
  if (!rows_.empty()) shift_ = std::countr_zero(unit_);
  cells_.resize(bytes >> shift_);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      Cell& cell = cells_[i * lanes + lane];
      auto seen = static_cast<std::uint8_t>(rows_[i].write.seen);
      if (rows_[i].write.actor != 0) {
        cell.write = rows_[i].write;
        cell.write.lane = lane & 31;
        seen |= seen_of(true, 0, false);
      }
      if (rows_[i].read.actor != 0) {
        cell.read = rows_[i].read;
        cell.read.mask = Mask{1} << lane;
        seen |= seen_of(false, 0, false);
      }
      cell.write.seen = seen;
    }
  rows_.clear();
}

void Page::split(int shift) {
  const int parts = 1 << (shift_ - shift);
  std::vector<Cell> finer;
  finer.reserve(cells_.size() * static_cast<std::size_t>(parts));
  for (const Cell& cell : cells_)
    for (int i = 0; i < parts; ++i) {
      Cell& copy = finer.emplace_back(cell);
      if (i == 0 || cell.write.more == 0) continue;
      more_.push_back(more_[cell.write.more - 1]);
      copy.write.more = static_cast<std::uint32_t>(more_.size()) & 0xffffu;
    }
  cells_ = std::move(finer);
  shift_ = shift;
}

std::vector<Reader>& Page::more(Cell& cell) {
  if (cell.write.more == 0) {
    more_.emplace_back();
    cell.write.more = static_cast<std::uint32_t>(more_.size()) & 0xffffu;
  }
  return more_[cell.write.more - 1];
}

void Page::forget_readers(Cell& cell) {
  cell.read = {};
  if (cell.write.more != 0) more_[cell.write.more - 1].clear();
}

Page& GlobalShadow::find(std::uint64_t key) { return pages_[key]; }

void GlobalShadow::footprint(Footprint& into) const {
  std::vector<std::pair<std::uint64_t, const Page*>> pages;
  for (const auto& [key, page] : pages_) pages.emplace_back(key << Page::bits, &page);
  std::sort(pages.begin(), pages.end());
  for (const auto& [base, page] : pages) {
    const std::uint64_t row_bytes = page->row_bytes();
    for (std::size_t i = 0; i < page->rows().size(); ++i) {
      const Row& row = page->rows()[i];
      const std::uint64_t begin = base + i * row_bytes;
      if (row.write.actor != 0)
        append(into.writes, begin, begin + row_bytes, row.write.pc, how_weak);
      if (row.read.actor != 0) append(into.reads, begin, begin + row_bytes, row.read.pc, how_weak);
    }
    const std::uint64_t size = 1ull << page->shift();
    for (std::size_t i = 0; i < page->cells(); ++i) {
      const Cell& cell = page->at(i);
      const std::uint64_t begin = base + i * size;
      const std::uint32_t seen = cell.write.seen;
      const std::uint8_t writes = how_of_writes(seen);
      if ((seen & seen_write) != 0) append(into.writes, begin, begin + size, cell.write.pc, writes);
      // Reads say nothing more beside a weak write.
      if ((seen & seen_read) != 0 && (writes & how_weak) == 0)
        append(into.reads, begin, begin + size, cell.read.actor != 0 ? cell.read.pc : cell.write.pc,
               how_of_reads(seen));
    }
  }
}

}  // namespace aisp::sim::watch
