#include "sim/program/liveness.hpp"

#include <algorithm>
#include <bit>

namespace aisp::sim {
namespace {

constexpr std::uint32_t none = 0xffffffffu;

// Rows of bits, one row per block; a column per register that more than one block sees.
class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t columns)
      : words_((columns + 63) / 64), bits_(rows * words_) {}
  std::uint64_t* row(std::size_t index) { return bits_.data() + index * words_; }
  std::size_t words() const { return words_; }
  void set(std::size_t row_index, std::uint32_t column) {
    row(row_index)[column / 64] |= std::uint64_t{1} << (column % 64);
  }
  bool test(std::size_t row_index, std::uint32_t column) {
    return row(row_index)[column / 64] >> (column % 64) & 1;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

class Analysis {
 public:
  Analysis(const FlowGraph& graph, const Touches& touches, const std::vector<std::uint8_t>& words)
      : graph_(graph), touches_(touches), words_(words), column_(words.size(), none) {
    find_shared();
    live_in_ = BitRows(graph.blocks.size(), shared_.size());
    live_out_ = live_in_;
    weights_ = BitRows(planes, shared_.size());
    for (std::uint32_t column = 0; column < shared_.size(); ++column)
      for (std::uint32_t plane = 0; plane < planes; ++plane)
        if (words[shared_[column]] >> plane & 1) weights_.set(plane, column);
    find_uses();
    iterate();
  }

  Liveness result() {
    Liveness out;
    out.intervals.resize(words_.size());
    const auto extend = [&](std::uint32_t reg, std::uint32_t op) {
      Interval& interval = out.intervals[reg];
      if (!interval.used) interval = {op, op, true};
      interval.first = std::min(interval.first, op);
      interval.last = std::max(interval.last, op);
    };
    const auto ops = static_cast<std::uint32_t>(touches_.first.size());
    for (std::uint32_t op = 0; op < ops; ++op)
      for (std::uint32_t at = touches_.begin(op); at < touches_.end(op); ++at)
        extend(touches_.list[at].reg, op);
    // Blocks in order and back: what was not met before begins or ends here.
    const std::size_t blocks = graph_.blocks.size();
    std::vector<std::uint64_t> met(live_in_.words());
    for (std::size_t block = 0; block < blocks; ++block)
      each_new(met, live_in_.row(block),
               [&](std::uint32_t reg) { extend(reg, graph_.blocks[block].first); });
    std::fill(met.begin(), met.end(), 0);
    for (std::size_t block = blocks; block-- > 0;)
      each_new(met, live_out_.row(block),
               [&](std::uint32_t reg) { extend(reg, graph_.blocks[block].end - 1); });
    out.most_words = count_words();
    return out;
  }

 private:
  // Registers of the row that were not met before.
  template <class Body>
  void each_new(std::vector<std::uint64_t>& met, const std::uint64_t* row, Body body) const {
    for (std::size_t word = 0; word < met.size(); ++word) {
      const std::uint64_t fresh = row[word] & ~met[word];
      met[word] |= fresh;
      for (std::uint64_t left = fresh; left != 0; left &= left - 1)
        body(shared_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
    }
  }

  // A register gets a column unless one block alone touches it, writing it first.
  void find_shared() {
    std::vector<std::uint32_t> home(words_.size(), none);
    for (std::uint32_t block = 0; block < graph_.blocks.size(); ++block)
      for (std::uint32_t op = graph_.blocks[block].first; op < graph_.blocks[block].end; ++op)
        for (std::uint32_t at = touches_.begin(op); at < touches_.end(op); ++at) {
          const Touch& touch = touches_.list[at];
          const bool fresh = home[touch.reg] == none;
          if (fresh) home[touch.reg] = block;
          // Reads come before writes, whatever order they were bound in.
          const bool exposed = fresh && !written_first(op, touch.reg);
          if ((exposed || home[touch.reg] != block) && column_[touch.reg] == none) {
            column_[touch.reg] = static_cast<std::uint32_t>(shared_.size());
            shared_.push_back(touch.reg);
          }
        }
  }
  bool written_first(std::uint32_t op, std::uint32_t reg) const {
    bool writes = false;
    for (std::uint32_t at = touches_.begin(op); at < touches_.end(op); ++at) {
      const Touch& touch = touches_.list[at];
      if (touch.reg != reg) continue;
      if (touch.kind == Touch::Kind::read) return false;
      writes |= touch.kind == Touch::Kind::write;
    }
    return writes;
  }

  // live_in_ starts as what a block reads before it writes; kills_ is what it always writes.
  void find_uses() {
    kills_ = BitRows(graph_.blocks.size(), shared_.size());
    for (std::size_t index = 0; index < graph_.blocks.size(); ++index) {
      const FlowGraph::Block& block = graph_.blocks[index];
      std::uint64_t* used = live_in_.row(index);
      std::uint64_t* killed = kills_.row(index);
      for (std::uint32_t op = block.end; op-- > block.first;) {
        each_shared(op, Touch::Kind::write, [&](std::uint32_t word, std::uint64_t bit) {
          used[word] &= ~bit;
          killed[word] |= bit;
        });
        each_shared(op, Touch::Kind::read,
                    [&](std::uint32_t word, std::uint64_t bit) { used[word] |= bit; });
      }
    }
  }
  template <class Body>
  void each_shared(std::uint32_t op, Touch::Kind kind, Body body) const {
    for (std::uint32_t at = touches_.begin(op); at < touches_.end(op); ++at) {
      const Touch& touch = touches_.list[at];
      const std::uint32_t column = column_[touch.reg];
      if (touch.kind == kind && column != none)
        body(column / 64, std::uint64_t{1} << (column % 64));
    }
  }

  // Backwards over the blocks whose successors have changed, until none has.
  void iterate() {
    const std::size_t words = live_in_.words();
    const std::size_t blocks = graph_.blocks.size();
    std::vector<std::vector<std::uint32_t>> before(blocks);
    for (std::uint32_t index = 0; index < blocks; ++index)
      for (const std::uint32_t successor : graph_.blocks[index].successors)
        before[successor].push_back(index);
    std::vector<bool> open(blocks, true);
    for (bool again = true; again;) {
      again = false;
      for (std::size_t index = blocks; index-- > 0;) {
        if (!open[index]) continue;
        open[index] = false;
        std::uint64_t* in = live_in_.row(index);
        std::uint64_t* out = live_out_.row(index);
        const std::uint64_t* killed = kills_.row(index);
        for (const std::uint32_t successor : graph_.blocks[index].successors) {
          const std::uint64_t* next = live_in_.row(successor);
          for (std::size_t word = 0; word < words; ++word) out[word] |= next[word];
        }
        std::uint64_t grown = 0;
        for (std::size_t word = 0; word < words; ++word) {
          const std::uint64_t added = out[word] & ~killed[word] & ~in[word];
          grown |= added;
          in[word] |= added;
        }
        if (grown == 0) continue;
        for (const std::uint32_t predecessor : before[index]) open[predecessor] = again = true;
      }
    }
  }

  // By bits: words_ of a register is the sum of the planes its column is set in.
  std::uint32_t words_live_behind(std::size_t block) {
    const std::uint64_t* out = live_out_.row(block);
    std::uint32_t sum = 0;
    for (std::uint32_t plane = 0; plane < planes; ++plane)
      for (std::size_t word = 0; word < live_out_.words(); ++word)
        sum += static_cast<std::uint32_t>(std::popcount(out[word] & weights_.row(plane)[word]))
               << plane;
    return sum;
  }

  // Walks each block backwards with the set of live registers. A write counts at its op even when
  // nobody reads it.
  std::uint32_t count_words() {
    std::vector<std::uint8_t> live(words_.size(), 0);
    std::uint32_t most = 0;
    for (std::size_t index = 0; index < graph_.blocks.size(); ++index) {
      const FlowGraph::Block& block = graph_.blocks[index];
      std::uint32_t sum = words_live_behind(index);
      for (std::uint32_t at = touches_.begin(block.first); at < touches_.end(block.end - 1); ++at) {
        const std::uint32_t reg = touches_.list[at].reg;
        live[reg] = column_[reg] != none && live_out_.test(index, column_[reg]);
      }
      const auto put = [&](std::uint32_t reg, bool on) {
        if (live[reg] == on) return;
        live[reg] = on;
        sum = on ? sum + words_[reg] : sum - words_[reg];
      };
      for (std::uint32_t op = block.end; op-- > block.first;) {
        each_touch(op, [&](const Touch& touch) {
          if (touch.kind != Touch::Kind::read) put(touch.reg, true);
        });
        most = std::max(most, sum);
        each_touch(op, [&](const Touch& touch) {
          if (touch.kind == Touch::Kind::write) put(touch.reg, false);
        });
        each_touch(op, [&](const Touch& touch) {
          if (touch.kind == Touch::Kind::read) put(touch.reg, true);
        });
        most = std::max(most, sum);
      }
    }
    return most;
  }
  template <class Body>
  void each_touch(std::uint32_t op, Body body) const {
    for (std::uint32_t at = touches_.begin(op); at < touches_.end(op); ++at)
      body(touches_.list[at]);
  }

  const FlowGraph& graph_;
  const Touches& touches_;
  const std::vector<std::uint8_t>& words_;
  std::vector<std::uint32_t> column_, shared_;  // register -> column, column -> register
  static constexpr std::uint32_t planes = 3;    // a register counts for 0 to 7 words
  BitRows live_in_{0, 0}, live_out_{0, 0}, kills_{0, 0}, weights_{0, 0};
};

}  // namespace

Liveness find_liveness(const FlowGraph& graph, const Touches& touches,
                       const std::vector<std::uint8_t>& words) {
  return Analysis(graph, touches, words).result();
}

}  // namespace aisp::sim
