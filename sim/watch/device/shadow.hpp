// What is remembered of memory: for each cell of 1 to 16 bytes its last write and the reads since.
// Cells of a page are as large as the accesses to it allow, so that a tile of copies costs little
// and neighbouring bytes are still told apart.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/watch/device/clock.hpp"
#include "sim/watch/footprint.hpp"

namespace aisp::sim::watch {

// How an access was made. A strong one (relaxed, volatile, atomic, ...) does not race with another
// strong one whose scope holds both.
enum Flags : std::uint8_t {
  flag_strong = 1,
  flag_async = 2,      // through the async proxy
  flag_scope_cta = 4,  // strong, at a scope below the GPU
  flag_scope_cluster = 8,
  flag_atomic = 16,
  flag_scope_system = 32,
  flag_whole_warp = 64,  // of a write: all lanes of the warp made it together
};

// What accesses of all lanes to a cell have been so far, for the footprint: bits of How for writes,
// and `seen_reads_shift` places up for reads.
enum Seen : std::uint8_t {
  seen_write = 8,
  seen_read = 64,
  seen_read_first = 128,  // a weak read came before the last write: a cache may hold the old bytes
};
inline constexpr int seen_reads_shift = 4;
inline std::uint8_t seen_of(bool writes, std::uint8_t flags, bool swap) {
  const bool strong =
      (flags & flag_strong) != 0 && (flags & (flag_scope_cta | flag_scope_cluster)) == 0;
  const int scope = (flags & flag_scope_system) != 0 ? 0 : how_below_system;
  const int how = strong ? scope | (writes && !swap ? how_no_swap : 0) : int{how_weak};
  return static_cast<std::uint8_t>(writes ? how | seen_write : how << seen_reads_shift | seen_read);
}
inline std::uint8_t how_of_writes(std::uint32_t seen) { return seen & 7; }
inline std::uint8_t how_of_reads(std::uint32_t seen) { return seen >> seen_reads_shift & 3; }
inline std::uint32_t seen_after_write(std::uint32_t seen) {
  return (how_of_reads(seen) & how_weak) != 0 ? seen | seen_read_first : seen;
}

struct Stamp {  // a write
  Actor actor = 0;
  std::uint32_t time = 0;
  std::uint32_t pc : 27 = 0, lane : 5 = 0;
  // more: readers beyond the first, index + 1; seen: of the cell, bits of Seen and How
  std::uint32_t flags : 8 = 0, more : 16 = 0, seen : 8 = 0;
};

struct Reader {  // lanes that read at the same time
  Actor actor = 0;
  std::uint32_t time = 0;
  Mask mask = 0;
  std::uint32_t pc : 27 = 0, flags : 5 = 0;
};

struct Cell {
  Stamp write;
  Reader read;
};

// Stamps and readers as a page holds them: actor and time, then the rest.
using Words = std::array<std::uint64_t, 2>;

// A page's cells, each word of them in an array of its own: loops over neighbouring cells then
// compare several at once.
struct Columns {
  std::uint64_t *write, *stamp, *read, *reader;
  void next() { ++write, ++stamp, ++read, ++reader; }
};

// Neighbours that a whole warp touches with one instruction: lane i its i-th unit.
struct Row {
  Stamp write;  // its lane means nothing
  Reader read;  // its mask means nothing
};

// By lane: the unit of a segment that it touches. No two lanes touch the same.
using LaneOrder = std::array<std::uint8_t, lanes>;
inline constexpr LaneOrder side_by_side = [] {
  LaneOrder order{};
  for (std::size_t lane = 0; lane < lanes; ++lane) order[lane] = static_cast<std::uint8_t>(lane);
  return order;
}();

// 32 neighbouring units of shared memory that were last written by a whole warp with one weak
// instruction, and read by nothing but whole warps since: as much as all their cells say.
struct Segment {
  static constexpr std::size_t most_readers = 4;
  Stamp write;  // its lane means nothing
  LaneOrder written{};
  std::size_t readers = 0;                  // of different actors
  std::array<Reader, most_readers> read{};  // their masks mean nothing
  std::array<LaneOrder, most_readers> order{};
};

// Starts empty. In global memory it holds rows as long as whole warps touch it side by side, then
// cells. In shared memory it holds cells, and segments in the place of some of them.
class Page {
 public:
  static constexpr int bits = 9;  // bytes of memory: 512
  static constexpr std::uint32_t bytes = 1u << bits;
  static constexpr int coarsest = 4;

  int shift() const { return shift_; }
  // The cell at an offset, after refine().
  Cell cell(std::uint32_t offset) const { return at(offset >> shift_); }
  // Cells, and fine enough for accesses of `1 << shift`.
  void refine(int shift) { refine(shift, 0, bytes); }
  // The same, where only these bytes need to be cells.
  void refine(int shift, std::uint32_t offset, std::uint32_t size) {
    if (shift >= shift_ && !words_.empty() && live_ == 0) return;
    make_cells();
    if (live_ != 0) expand(offset, size);
    if (shift < shift_) split(shift);
  }
  // The row of 32 units of `unit` bytes at an offset; null: the page has, or must have, cells.
  Row* row(std::uint32_t offset, std::uint32_t unit) {
    if (!words_.empty() || unit < least_unit || offset % (unit * lanes) != 0) return nullptr;
    if (rows_.empty()) start_rows(unit);
    return unit == unit_ ? &rows_[offset / (unit * lanes)] : nullptr;
  }
  // The segment of 32 units of `unit` bytes at an offset; null: its cells hold what is known.
  Segment* segment(std::uint32_t offset, std::uint32_t unit) {
    if (words_.empty() && segments_.empty()) start_segments(unit);
    const std::uint32_t index = offset / (unit * lanes);
    return unit == unit_ && (live_ >> index & 1) != 0 ? &segments_[index] : nullptr;
  }
  // A whole warp has written these units, whose cells are as fine as that: from now on a segment.
  void start_segment(std::uint32_t offset, std::uint32_t unit, const Stamp& write,
                     const LaneOrder& order);
  // What reads leave as it is: nothing has written the page, all its cells have been read as `seen`
  // says, by as many others as are told apart. Found out by look_for_crowd().
  bool is_crowded(Actor reader, std::uint64_t seen) const {
    return !crowd_.empty() && (~crowd_stamp_ & seen) == 0 &&
           std::find(crowd_.begin(), crowd_.end(), reader) == crowd_.end();
  }
  void look_for_crowd(std::size_t most);
  void forget_crowd() { crowd_.clear(); }
  const std::vector<Row>& rows() const { return rows_; }
  std::uint32_t row_bytes() const { return unit_ * lanes; }
  std::vector<Reader>& more(Cell& cell);  // made where there are none
  const std::vector<Reader>* more_or_null(const Cell& cell) const {
    return cell.write.more == 0 ? nullptr : &more_[cell.write.more - 1];
  }
  const std::vector<Reader>* more_or_null(const Columns& cell) const {
    const std::uint32_t more = std::bit_cast<Stamp>(Words{0, *cell.stamp}).more;
    return more == 0 ? nullptr : &more_[more - 1];
  }
  void forget_readers(Cell& cell);
  std::size_t cells() const { return words_.size() / 4; }
  Cell at(std::size_t index) const {
    const std::size_t count = cells();
    const std::uint64_t* const word = words_.data() + index;
    return {std::bit_cast<Stamp>(Words{word[0], word[count]}),
            std::bit_cast<Reader>(Words{word[2 * count], word[3 * count]})};
  }
  void put(std::size_t index, const Cell& cell) {
    const std::size_t count = cells();
    std::uint64_t* const word = words_.data() + index;
    const Words write = std::bit_cast<Words>(cell.write), read = std::bit_cast<Words>(cell.read);
    word[0] = write[0];
    word[count] = write[1];
    word[2 * count] = read[0];
    word[3 * count] = read[1];
  }
  // From the cell at an offset on; the first form is for a page of this shift.
  static Columns columns(std::uint64_t* words, int shift, std::uint32_t offset) {
    const std::size_t count = bytes >> shift;
    std::uint64_t* const first = words + (offset >> shift);
    return {first, first + count, first + 2 * count, first + 3 * count};
  }
  Columns columns(std::uint32_t offset) { return columns(words_.data(), shift_, offset); }
  // Null: it has none, or none of this shift.
  std::uint64_t* words(int shift) {
    return shift == shift_ && has_cells() && live_ == 0 ? words_.data() : nullptr;
  }
  bool has_cells() const { return !words_.empty(); }
  bool foreign = false;   // touched by other blocks or by asynchronous operations
  bool barriers = false;  // mbarriers have been initialised here

 private:
  static constexpr std::uint32_t least_unit = 4;
  void make_cells();
  void split(int shift);
  void start_rows(std::uint32_t unit);
  void start_segments(std::uint32_t unit);
  void expand(std::uint32_t offset, std::uint32_t size);
  void expand(std::size_t index);

  int shift_ = coarsest;
  std::uint32_t unit_ = 0;  // of rows and segments
  std::uint32_t live_ = 0;  // bit of each segment that says more than its cells
  std::vector<Row> rows_;
  std::vector<Segment> segments_;
  std::vector<Actor> crowd_;          // whose reads the page has, where it is crowded
  std::uint64_t crowd_stamp_ = 0;     // bits that the stamps of all its cells have
  std::vector<std::uint64_t> words_;  // four for each cell, see Columns
  std::vector<std::vector<Reader>> more_;
};

// Finest common unit of an address and a size, as a shift.
inline int unit_shift(std::uint64_t address, std::uint64_t size) {
  return std::min(std::countr_zero(address | size | (1u << Page::coarsest)), Page::coarsest);
}

// Of one block's shared memory.
class SharedShadow {
 public:
  explicit SharedShadow(std::uint32_t size) : pages_((size >> Page::bits) + 1) {}
  Page& page(std::uint32_t offset) {
    auto& page = pages_[offset >> Page::bits];
    if (!page) [[unlikely]]
      page = std::make_unique<Page>();
    return *page;
  }
  std::vector<std::unique_ptr<Page>>& pages() { return pages_; }

 private:
  std::vector<std::unique_ptr<Page>> pages_;
};

// Of global memory, for the length of one grid: directories of neighbouring pages.
class GlobalShadow {
 public:
  Page& page(std::uint64_t address) {
    const std::uint64_t key = address >> directory_bits;
    Remembered& known = remembered_[key % remembered_directories];
    if (known.key != key) [[unlikely]]
      known = {key, &directories_[key]};
    auto& page = (*known.directory)[index_of_page(address)];
    if (!page) [[unlikely]]
      page = std::make_unique<Page>();
    return *page;
  }
  // body(page, address, bytes) for the parts of memory that somebody has touched.
  template <class Body>
  void each_page(std::uint64_t begin, std::uint64_t end, Body&& body) {
    while (begin < end) {
      const auto directory = directories_.find(begin >> directory_bits);
      if (directory == directories_.end()) {
        begin = ((begin >> directory_bits) + 1) << directory_bits;
        continue;
      }
      const std::uint64_t next = std::min((begin | (Page::bytes - 1)) + 1, end);
      if (const auto& page = directory->second[index_of_page(begin)])
        body(*page, begin, static_cast<std::uint32_t>(next - begin));
      begin = next;
    }
  }
  void footprint(Footprint& into) const;

 private:
  static constexpr int directory_bits = 17;  // bytes of memory: 128 KiB
  static constexpr std::size_t remembered_directories = 64;
  using Directory = std::array<std::unique_ptr<Page>, 1u << (directory_bits - Page::bits)>;
  struct Remembered {
    std::uint64_t key = ~0ull;
    Directory* directory = nullptr;
  };
  static std::size_t index_of_page(std::uint64_t address) {
    return address >> Page::bits & (std::tuple_size_v<Directory> - 1);
  }

  std::unordered_map<std::uint64_t, Directory> directories_;  // by address >> directory_bits
  Remembered remembered_[remembered_directories];
};

}  // namespace aisp::sim::watch
