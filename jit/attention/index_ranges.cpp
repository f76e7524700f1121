#include "jit/attention/index_ranges.hpp"

#include <map>
#include <set>

#include "base/refuse.hpp"
#include "jit/attention/dependence.hpp"
#include "jit/ir/verify.hpp"
#include "tile/collective/attention/interval.hpp"

namespace aisp::jit {

namespace {

namespace interval = tile::interval;
using tile::Interval;

// Integers of positions; what is no sum, difference or quotient of them is anything.
class IndexRanges {
 public:
  IndexRanges(const Function& function, const tile::device::AttentionProblem& p)
      : function_(function) {
    const auto given = [&](Given which, double least, double most) {
      ranges_[argument(function, which)] = {least, most};
    };
    const double shift = p.kv_rows - p.query_rows;
    given(Given::sequence, 0, p.batch - 1);
    given(Given::head, 0, p.query_heads - 1);
    given(Given::query, shift, shift + p.query_rows - 1);
    given(Given::key, 0, p.kv_rows - 1);
    const auto rows = [](const void* packed, std::int64_t total, int own) {
      return static_cast<double>((packed != nullptr ? total : own) - 1);
    };
    given(Given::query_row, 0, rows(p.query_starts, p.query_total, p.query_rows));
    given(Given::key_row, 0, rows(p.kv_starts, p.kv_total, p.kv_rows));
    given(Given::queries, p.query_rows, p.query_rows);
    given(Given::keys, p.kv_rows, p.kv_rows);
    for (const Operation& one : function.body.body)
      if (one.results.size() == 1) ranges_[one.results[0]] = of(one);
  }
  Interval at(Id id) const {
    const auto found = ranges_.find(id);
    return found == ranges_.end() ? interval::anything : found->second;
  }

 private:
  Interval of(const Operation& one) const {
    if (function_.type(one.results[0]).element != Element::s32) return interval::anything;
    const auto a = one.operands.empty() ? interval::anything : at(one.operands[0]);
    const auto b = one.operands.size() < 2 ? interval::anything : at(one.operands[1]);
    switch (one.code) {
      case Opcode::constant:
        return interval::point(one.attributes.number);
      case Opcode::add:
        return interval::add<true>(a, b);
      case Opcode::sub:
        return interval::sub<true>(a, b);
      case Opcode::mul:
        return interval::mul<true>(a, b);
      case Opcode::div:
        return interval::div<true>(a, b);
      case Opcode::mod:
        return interval::mod(a, b);
      case Opcode::neg:
        return interval::neg<true>(a);
      case Opcode::min:
        return interval::min(a, b);
      case Opcode::max:
        return interval::max(a, b);
      default:
        return interval::anything;
    }
  }

  const Function& function_;
  std::map<Id, Interval> ranges_;
};

// What only a `where` reads may be there for the pairs that take the other side.
std::set<Id> behind_where(const Function& function) {
  std::set<Id> behind;
  for (auto one = function.body.body.rbegin(); one != function.body.body.rend(); ++one)
    for (const Id id : one->operands)
      if (one->code == Opcode::where ||
          (one->results.size() == 1 && behind.contains(one->results[0])))
        behind.insert(id);
  return behind;
}

}  // namespace

void refuse_short_arrays(const Function& function, const std::vector<BoundArray>& arrays,
                         const tile::device::AttentionProblem& problem) {
  const IndexRanges ranges(function, problem);
  const std::vector<unsigned> depends_on = dependences(function);
  const std::set<Id> doubtful = behind_where(function);
  constexpr unsigned pair = depends::key | depends::query;
  for (const Operation& one : function.body.body) {
    if (one.code != Opcode::gather || doubtful.contains(one.results[0])) continue;
    const Id index = one.operands[0];
    const unsigned on = depends_on[static_cast<std::size_t>(index)];
    const Interval range = ranges.at(index);
    if ((on & depends::memory) != 0 || (on & pair) == pair || !interval::finite(range)) continue;
    const auto number = static_cast<std::size_t>(one.attributes.integers[0]);
    const auto count = static_cast<double>(arrays[number].count);
    if (range.least >= 0 && range.most < count) continue;
    const bool beyond = range.most >= count;
    base::refuse(base::Exit::usage, place_prefix(function, one), "the function reads ",
                 function.parameters[number].name, "[…]: index ", beyond ? "up to " : "down to ",
                 static_cast<std::int64_t>(beyond ? range.most : range.least), ", the array has ",
                 arrays[number].count, "; make it longer, or take where(inside, array[…], 0)");
  }
}

}  // namespace aisp::jit
