// One attention problem of a test: queries, keys and values in any layout, planned as a user's
// would be, its output against float64. What no query may see is NaN, and so is the output
// beforehand.
#pragma once

#include <functional>
#include <numeric>
#include <string>

#include "base/refuse.hpp"
#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/attention/attention.hpp"

namespace aisp::attention_test {

using namespace gemm_test;
using tile::device::AttentionProblem;
using tile::device::HeadTensor;
using tile::device::unlimited;

enum class Layout { heads_first, rows_first, packed, paged };

struct Setup {
  Element element = Element::bf16;
  int head_size = 128, query_heads = 4, kv_heads = 1;
  int query_rows = 1, kv_rows = 0;     // of the longest sequence
  std::vector<int> keys{}, queries{};  // of each sequence; no queries: query_rows each, not packed
  Layout layout = Layout::heads_first;
  int left = unlimited, right = unlimited;
  int page_rows = 0;
  float scale = 0;
  double q_range = 6;  // gives scores a standard deviation of about 2
  bool lengths = true, log_sum = true;
  // What becomes of the score of a sequence, a head, a query and a key, minus infinity where the
  // query does not see the key; and how far off a kernel may be in that. Nothing: it stays.
  std::function<double(int, int, int, int, double)> function{};
  double function_error = 0;

  int batch() const { return static_cast<int>(keys.size()); }
  int queries_of(int b) const { return queries.empty() ? query_rows : queries[index(b)]; }
  int keys_of(int b) const { return keys[index(b)]; }
  int group() const { return query_heads / kv_heads; }
  static std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at); }
};

inline void* upload(const void* data, std::size_t bytes) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, std::max<std::size_t>(bytes, 16)), "cudaMalloc");
  require(cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice), "upload");
  return memory;
}
inline std::vector<std::int32_t> starts(const std::vector<int>& counts) {
  std::vector<std::int32_t> sums(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), sums.begin() + 1);
  return sums;
}

// Rows of one head, all NaN until they are set.
class Heads {
 public:
  // Packed sequences are one with many rows; pages are sequences of their own.
  Heads(const Setup& setup, int heads, std::int64_t sequences, std::int64_t rows, bool heads_first)
      : element_(setup.element), size_(setup.head_size) {
    const std::int64_t line = setup.head_size + 8;
    row_ = heads_first ? line : heads * line;
    head_ = heads_first ? rows * line + 16 : line;
    batch_ = heads_first ? heads * head_ : rows * row_ + 24;
    codes_.assign(Setup::index(sequences * batch_ + 8), 0xffff);
  }
  ~Heads() { cudaFree(device_); }
  Heads(const Heads&) = delete;

  std::size_t at(std::int64_t sequence, int head, std::int64_t row) const {
    return Setup::index(sequence * batch_ + head * head_ + row * row_);
  }
  void fill(std::size_t at, std::uint64_t seed, double range) {
    for (int d = 0; d < size_; ++d)
      codes_[at + Setup::index(d)] = static_cast<std::uint16_t>(
          encode(element_, range * unit_value(at + Setup::index(d), seed)));
  }
  double value(std::size_t at, int d) const {
    return decode(element_, codes_[at + Setup::index(d)]);
  }
  HeadTensor tensor() {
    device_ = upload(codes_.data(), codes_.size() * 2);
    return {device_, element_, row_, head_, batch_};
  }
  void download() {
    require(cudaMemcpy(codes_.data(), device_, codes_.size() * 2, cudaMemcpyDeviceToHost),
            "download");
  }
  std::size_t elements_written() const {
    return codes_.size() - Setup::index(std::count(codes_.begin(), codes_.end(), 0xffff));
  }

 private:
  Element element_;
  int size_;
  std::int64_t row_, head_, batch_;
  std::vector<std::uint16_t> codes_;
  void* device_ = nullptr;
};

class Attention {
 public:
  Attention(const char* what, const Setup& setup)
      : what_(what),
        s_(setup),
        packed_(!setup.queries.empty()),
        packed_keys_(setup.layout == Layout::packed),
        paged_(setup.layout == Layout::paged),
        query_starts_(starts(counted_queries())),
        kv_starts_(starts(setup.keys)),
        pages_per_sequence_(paged_ ? ceil_div(setup.kv_rows, setup.page_rows) + 1 : 0),
        q_(setup, setup.query_heads, query_pieces(), query_piece_rows(), heads_first()),
        o_(setup, setup.query_heads, query_pieces(), query_piece_rows(), heads_first()),
        k_(setup, setup.kv_heads, pieces(), piece_rows(), heads_first()),
        v_(setup, setup.kv_heads, pieces(), piece_rows(), heads_first()) {
    make_table();
    for (int b = 0; b < s_.batch(); ++b) {
      for (int i = 0; i < s_.queries_of(b); ++i)
        for (int head = 0; head < s_.query_heads; ++head)
          q_.fill(query_at(q_, b, head, i), 1, s_.q_range);
      for (int j = first_key(b); j < s_.keys_of(b); ++j)
        for (int head = 0; head < s_.kv_heads; ++head) {
          k_.fill(key_at(k_, b, head, j), 2, 1);
          v_.fill(key_at(v_, b, head, j), 3, 1);
        }
    }
  }

  // Twice, so that a second launch finds barriers and workspace as it needs them.
  template <class MakePlan>
  void run(MakePlan make_plan) {
    AttentionProblem p{.batch = s_.batch(),
                       .query_heads = s_.query_heads,
                       .kv_heads = s_.kv_heads,
                       .query_rows = s_.query_rows,
                       .kv_rows = s_.kv_rows,
                       .head_size = s_.head_size,
                       .q = q_.tensor(),
                       .k = k_.tensor(),
                       .v = v_.tensor(),
                       .o = o_.tensor(),
                       .scale = s_.scale,
                       .window_left = s_.left,
                       .window_right = s_.right};
    const auto numbers = [](const std::vector<std::int32_t>& all) {
      return static_cast<const std::int32_t*>(upload(all.data(), all.size() * 4));
    };
    if (packed_) {
      p.query_starts = numbers(query_starts_);
      p.query_total = query_starts_.back();
    }
    if (packed_keys_) {
      p.kv_starts = numbers(kv_starts_);
      p.kv_total = kv_starts_.back();
    } else if (s_.lengths) {
      p.kv_lengths = numbers(s_.keys);
    }
    if (paged_) {
      p.page_table = numbers(table_);
      p.page_rows = s_.page_rows;
      p.pages_per_sequence = pages_per_sequence_;
      p.pages = pieces();
    }
    log_sums_.assign(Setup::index(s_.query_heads * log_rows()), 1e30f);
    float* logs =
        s_.log_sum ? static_cast<float*>(upload(log_sums_.data(), log_sums_.size() * 4)) : nullptr;
    p.log_sum_exp = logs;
    const auto plan = make_plan(p);
    plan.run();
    plan.run();
    require(cudaDeviceSynchronize(), what_);
    o_.download();
    if (logs != nullptr)
      require(cudaMemcpy(log_sums_.data(), logs, log_sums_.size() * 4, cudaMemcpyDeviceToHost),
              "download");
    check();
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    std::fprintf(stderr, "%s: %s\n", what_, base::say(parts...).c_str());
    std::exit(1);
  }

  std::vector<int> counted_queries() const {
    std::vector<int> counts;
    for (int b = 0; b < s_.batch(); ++b) counts.push_back(s_.queries_of(b));
    return counts;
  }
  bool heads_first() const { return s_.layout == Layout::heads_first; }
  std::int64_t query_pieces() const { return packed_ ? 1 : s_.batch(); }
  std::int64_t query_piece_rows() const { return packed_ ? query_starts_.back() : s_.query_rows; }
  std::int64_t pieces() const {
    return packed_keys_ ? 1 : paged_ ? s_.batch() * pages_per_sequence_ + 3 : s_.batch();
  }
  std::int64_t piece_rows() const {
    return packed_keys_ ? kv_starts_.back() : paged_ ? s_.page_rows : s_.kv_rows;
  }
  std::int64_t log_rows() const {
    return packed_ ? query_starts_.back() : std::int64_t{s_.batch()} * s_.query_rows;
  }
  // Pages in an order of their own; where no page is needed there is no number of one.
  void make_table() {
    for (int b = 0; paged_ && b < s_.batch(); ++b)
      for (int place = 0; place < pages_per_sequence_; ++place) {
        const bool needed =
            place * s_.page_rows < s_.keys_of(b) && (place + 1) * s_.page_rows > first_key(b);
        const int mixed = (b + s_.batch() * place) * 7 % static_cast<int>(pieces());
        table_.push_back(needed ? mixed : 1 << 30);
      }
  }
  int first_key(int b) const {
    const int shift = s_.keys_of(b) - s_.queries_of(b);
    return s_.left == unlimited ? 0 : std::max(0, shift - s_.left);
  }
  std::size_t query_at(const Heads& heads, int b, int head, int i) const {
    return packed_ ? heads.at(0, head, query_starts_[Setup::index(b)] + i) : heads.at(b, head, i);
  }
  std::size_t key_at(const Heads& heads, int b, int head, int j) const {
    if (packed_keys_) return heads.at(0, head, kv_starts_[Setup::index(b)] + j);
    if (!paged_) return heads.at(b, head, j);
    const std::int64_t place = std::int64_t{b} * pages_per_sequence_ + j / s_.page_rows;
    return heads.at(table_[Setup::index(place)], head, j % s_.page_rows);
  }

  void check() const {
    std::size_t rows = 0;
    for (int b = 0; b < s_.batch(); ++b)
      for (int head = 0; head < s_.query_heads; ++head)
        for (int i = 0; i < s_.queries_of(b); ++i, ++rows) check_row(b, head, i);
    if (o_.elements_written() != rows * Setup::index(s_.head_size))
      fail("wrote between the rows of o");
  }

  // Scores are off by what the matrix unit cuts away, weights by that and their own rounding.
  void check_row(int b, int head, int i) const {
    const int size = s_.head_size, kv_head = head / s_.group();
    const int middle = i + s_.keys_of(b) - s_.queries_of(b);
    const int low = s_.left == unlimited ? 0 : std::max(0, middle - s_.left);
    const int high =
        s_.right == unlimited ? s_.keys_of(b) - 1 : std::min(s_.keys_of(b) - 1, middle + s_.right);
    const double scale = s_.scale != 0 ? s_.scale : 1 / std::sqrt(size);
    std::vector<double> scores;
    double top = -1e300, off = 0, sum = 0;
    int seen = 0;
    bool nan = false;  // a score is, or the softmax is: infinity minus infinity
    for (int j = low; j <= high; ++j) {
      double score = 0, magnitude = 0;
      for (int d = 0; d < size; ++d) {
        const double term =
            q_.value(query_at(q_, b, head, i), d) * k_.value(key_at(k_, b, kv_head, j), d);
        score += scale * term;
        magnitude += std::abs(scale * term);
      }
      if (s_.function) score = s_.function(b, head, i, j, score);
      scores.push_back(score);
      nan = nan || std::isnan(score) || score == INFINITY;
      if (score == -INFINITY) continue;
      ++seen;
      top = std::max(top, score);
      off = std::max(off, magnitude * (size + 8) * 0x1p-23 + s_.function_error);
    }
    if (nan) return check_nan_row(b, head, i);
    for (double& score : scores) sum += score = std::exp(score - top);
    const double count = static_cast<double>(scores.size());
    const double relative = 2 * off + (count + 8) * 0x1p-22;
    const double half_ulp = rounding_of(s_.element);
    for (int d = 0; d < size; ++d) {
      double want = 0, magnitude = 0, spread = 0;
      for (int j = low; j <= high; ++j) {
        const double value = v_.value(key_at(v_, b, kv_head, j), d);
        const double weight = seen == 0 ? 0.0 : scores[Setup::index(j - low)] / sum;
        want += weight * value;
        magnitude += weight * std::abs(value);
        spread += std::abs(value);
      }
      const double error = magnitude * (relative + half_ulp) + spread * 0x1p-25;  // f16: subnormal
      const double got = o_.value(query_at(o_, b, head, i), d);
      if (!(std::abs(got - want) <= error + (std::abs(want) + error) * half_ulp + 0x1p-25))
        fail("o(", b, ", ", head, ", ", i, ", ", d, ") is ", got, ", not ", want, " within ",
             error);
      if (seen == 0 && got != 0) fail("o(", b, ", ", head, ", ", i, ") is not 0 without keys");
    }
    if (!s_.log_sum) return;
    const double log_sum = log_sum_of(b, head, i), want = top + std::log(sum);
    if (seen == 0 ? log_sum != -INFINITY
                  : !(std::abs(log_sum - want) <= relative * (1 + std::abs(want))))
      fail("log_sum_exp(", b, ", ", head, ", ", i, ") is ", log_sum, ", not ", want);
  }

  void check_nan_row(int b, int head, int i) const {
    for (int d = 0; d < s_.head_size; ++d)
      if (const double got = o_.value(query_at(o_, b, head, i), d); !std::isnan(got))
        fail("o(", b, ", ", head, ", ", i, ", ", d, ") is ", got, ", not NaN");
    if (s_.log_sum && !std::isnan(log_sum_of(b, head, i)))
      fail("log_sum_exp(", b, ", ", head, ", ", i, ") is ", log_sum_of(b, head, i), ", not NaN");
  }
  double log_sum_of(int b, int head, int i) const {
    const std::int64_t row = packed_
                                 ? head * log_rows() + query_starts_[Setup::index(b)] + i
                                 : (std::int64_t{b} * s_.query_heads + head) * s_.query_rows + i;
    return log_sums_[Setup::index(row)];
  }

  const char* what_;
  const Setup s_;
  bool packed_, packed_keys_, paged_;  // packed: the queries
  std::vector<std::int32_t> query_starts_, kv_starts_;
  int pages_per_sequence_;
  std::vector<std::int32_t> table_;
  Heads q_, o_, k_, v_;
  std::vector<float> log_sums_;
};

// `plan` is to be refused with a text that has `part` in it.
template <class Plan>
void expect_refusal(const char* part, const Plan& plan) {
  try {
    plan();
  } catch (const base::Refusal& refusal) {
    if (std::string(refusal.what()).find(part) != std::string::npos) return;
    std::fprintf(stderr, "refused with '%s', without '%s'\n", refusal.what(), part);
    std::exit(1);
  }
  std::fprintf(stderr, "not refused: %s\n", part);
  std::exit(1);
}

}  // namespace aisp::attention_test
