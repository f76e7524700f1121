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

void Page::start_segments(std::uint32_t unit) {
  unit_ = unit;
  segments_.assign(bytes / row_bytes(), {});
  live_ = (1u << segments_.size()) - 1;
}

void Page::start_segment(std::uint32_t offset, std::uint32_t unit, const Stamp& write,
                         const LaneOrder& order) {
  if (unit != unit_) {
    if (live_ != 0) return;  // of another unit, elsewhere on the page
    unit_ = unit;
    segments_.resize(bytes / row_bytes());
  }
  const std::uint32_t index = offset / row_bytes();
  Segment& segment = segments_[index];
  segment.write = write;
  segment.written = order;
  segment.readers = 0;
  live_ |= 1u << index;
}

void Page::expand(std::uint32_t offset, std::uint32_t size) {
  const std::uint32_t step = row_bytes();
  for (std::uint32_t index = offset / step; index * step < offset + size; ++index)
    if ((live_ >> index & 1) != 0) expand(std::size_t{index});
}

// Cells of a segment have no readers: it was written when it began.
void Page::expand(std::size_t index) {
  const Segment& segment = segments_[index];
  live_ &= ~(1u << index);
  const std::size_t parts = unit_ >> shift_, first = index * lanes * parts;
  // body(cell, bit of its lane) for the units in this order.
  const auto each = [&](const LaneOrder& order, auto&& body) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t at = first + order[lane] * parts + part;
        Cell cell = this->at(at);
        body(cell, static_cast<std::uint32_t>(lane));
        put(at, cell);
      }
  };
  if (segment.write.actor != 0)
    each(segment.written, [&](Cell& cell, std::uint32_t lane) {
      const std::uint32_t more = cell.write.more, seen = cell.write.seen;
      cell.write = segment.write;
      cell.write.lane = lane & 31;
      cell.write.more = more & 0xffffu;
      cell.write.seen = (cell.write.seen | seen) & 0xffu;
    });
  for (std::size_t i = 0; i < segment.readers; ++i)
    each(segment.order[i], [&](Cell& cell, std::uint32_t lane) {
      Reader reader = segment.read[i];
      reader.mask = Mask{1} << lane;
      if (i == 0)
        cell.read = reader;
      else
        more(cell).push_back(reader);
    });
}

void Page::look_for_crowd(std::size_t most) {
  constexpr std::size_t most_actors = 64;
  crowd_.clear();
  std::vector<Actor> actors;
  const auto note = [&](const Reader& reader) {
    if (std::find(actors.begin(), actors.end(), reader.actor) == actors.end())
      actors.push_back(reader.actor);
  };
  crowd_stamp_ = ~0ull;
  for (std::size_t i = 0; i < cells(); ++i) {
    const Cell cell = at(i);
    const auto* const others = more_or_null(cell);
    if (cell.write.actor != 0 || others == nullptr || others->size() < most) return;
    crowd_stamp_ &= std::bit_cast<Words>(cell.write)[1];
    note(cell.read);
    for (const Reader& reader : *others) note(reader);
    if (actors.size() > most_actors) return;
  }
  crowd_ = std::move(actors);
}

void Page::make_cells() {
  if (!words_.empty()) return;
  if (!rows_.empty() || !segments_.empty()) shift_ = std::countr_zero(unit_);
  words_.resize(std::size_t{4} * (bytes >> shift_));
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      Cell cell;
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
      put(i * lanes + lane, cell);
    }
  rows_.clear();
}

void Page::split(int shift) {
  const std::size_t parts = std::size_t{1} << (shift_ - shift), count = cells();
  std::vector<Cell> before;
  before.reserve(count);
  for (std::size_t i = 0; i < count; ++i) before.push_back(at(i));
  words_.assign(words_.size() * parts, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < parts; ++j) {
      Cell copy = before[i];
      if (j != 0 && copy.write.more != 0) {
        more_.push_back(more_[copy.write.more - 1]);
        copy.write.more = static_cast<std::uint32_t>(more_.size()) & 0xffffu;
      }
      put(i * parts + j, copy);
    }
  shift_ = shift;
}

// Of the four warps of a warpgroup, or as many as are told apart in global memory: one allocation.
constexpr std::size_t few_readers = 4;

std::vector<Reader>& Page::more(Cell& cell) {
  if (cell.write.more == 0) {
    more_.emplace_back().reserve(few_readers);
    cell.write.more = static_cast<std::uint32_t>(more_.size()) & 0xffffu;
  }
  return more_[cell.write.more - 1];
}

void Page::forget_readers(Cell& cell) {
  cell.read = {};
  if (cell.write.more != 0) more_[cell.write.more - 1].clear();
}

void GlobalShadow::footprint(Footprint& into) const {
  std::vector<std::pair<std::uint64_t, const Page*>> pages;
  for (const auto& [key, directory] : directories_)
    for (std::size_t i = 0; i < directory.size(); ++i)
      if (directory[i])
        pages.emplace_back((key << directory_bits) + (i << Page::bits), directory[i].get());
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
      const Cell cell = page->at(i);
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
