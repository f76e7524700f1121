#include "jit/ir/index_forms.hpp"

#include <algorithm>
#include <cmath>

#include "jit/ir/apply.hpp"

namespace aisp::jit {

IndexForms::IndexForms(const Function& function, const CallExtents& extents)
    : function_(function), extents_(extents) {
  for_each(function.body, [&](const Operation& one) {
    for (const Id id : one.results) definitions_[id] = &one;
    if (one.code == Opcode::loop) counters_[one.regions[0].arguments[0]] = &one;
  });
}

const Operation* IndexForms::definition(Id id) const {
  const auto found = definitions_.find(id);
  return found == definitions_.end() ? nullptr : found->second;
}

std::optional<std::int64_t> IndexForms::number(Id index) const {
  const auto [at, fresh] = numbers_.try_emplace(index);
  if (!fresh) return at->second;
  const Operation* one = definition(index);
  if (one == nullptr || function_.type(index).kind != Kind::index) return {};
  const auto& integers = one->attributes.integers;
  std::optional<std::int64_t> result;
  switch (one->code) {
    case Opcode::extent:
      result = extents_.at(static_cast<std::size_t>(integers[0]))
                   .at(static_cast<std::size_t>(integers[1]));
      break;
    case Opcode::constant:
      result = static_cast<std::int64_t>(one->attributes.number);
      break;
    case Opcode::choice:
      result = integers[0];
      break;
    case Opcode::block:
      break;
    default: {
      std::vector<double> operands;
      for (const Id id : one->operands) {
        const auto operand = number(id);
        if (!operand) return {};
        operands.push_back(static_cast<double>(*operand));
      }
      if (!operands.empty() && by_element(one->code))
        result = static_cast<std::int64_t>(apply(one->code, Element::s32, operands));
    }
  }
  return numbers_[index] = result;
}

Affine IndexForms::form(Id index) const {
  const Affine& own = function_.values[static_cast<std::size_t>(index)].affine;
  Affine result{own.constant, {}};
  for (const auto& [symbol, times] : own.terms) {
    if (const auto known = number(symbol))
      result.constant += times * *known;
    else
      result.terms.push_back({symbol, times});
  }
  return result;
}

std::optional<std::int64_t> IndexForms::difference(const Affine& a, const Affine& b) {
  if (a.terms != b.terms) return {};
  return a.constant - b.constant;
}

std::optional<std::int64_t> IndexForms::most(Id index) const {
  const Affine own = form(index);
  std::int64_t result = own.constant;
  for (const auto& [symbol, times] : own.terms) {
    const auto many = turns(symbol);
    if (!many) return {};
    if (times > 0) result += times * std::max<std::int64_t>(many->count - 1, 0);
  }
  return result;
}

// Of the symbol as affine forms have it: a counter whose step is a number counts turns.
std::optional<IndexForms::Turns> IndexForms::turns(Id symbol) const {
  const auto loop = counters_.find(symbol);
  const Operation* by = loop == counters_.end() ? definition(symbol) : loop->second;
  if (by == nullptr || (by->code != Opcode::loop && by->code != Opcode::block)) return {};
  const auto length = most(by->operands[0]), step = number(by->operands[1]);
  const auto& own = function_.values[static_cast<std::size_t>(symbol)].affine.terms;
  const bool counts_turns = own.size() == 1 && step && own[0].second == *step;
  if (!length || !step || *step < 1 || !counts_turns) return {};
  const std::int64_t count = *length <= 0 ? 0 : (*length + *step - 1) / *step;
  return Turns{count, std::max<std::int64_t>(*length, 0), by};
}

bool IndexForms::differs_between_blocks(Id symbol) const {
  const auto many = turns(symbol);
  return many && many->by->code == Opcode::block && many->count > 1;
}

Sweep IndexForms::sweep(const Affine& start, std::int64_t tile) const {
  Sweep made{.low = start.constant, .known = true};
  std::vector<std::pair<std::int64_t, Turns>> moves;
  for (const auto& [symbol, times] : start.terms) {
    const auto many = turns(symbol);
    if (!many || times < 0) return {};
    if (many->count == 0)
      return {.low = 0,
              .high = 0,
              .last_start = 0,
              .asked = 0,
              .known = true,
              .iterates = true,
              .by = many->by};
    if (many->count > 1) moves.push_back({times, *many});
  }
  made.iterates = !start.terms.empty();
  std::sort(moves.begin(), moves.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::int64_t run = tile;  // without a gap
  for (const auto& [times, many] : moves) {
    made.gaps = made.gaps || times > run;
    run += times * (many.count - 1);
    made.tiles *= many.count;
    made.by = many.by;
  }
  if (made.by == nullptr && start.terms.size() == 1) made.by = turns(start.terms[0].first)->by;
  made.high = made.low + run;
  made.last_start = made.high - tile;
  made.asked = made.iterates ? made.last_start + 1 : made.high;
  if (start.terms.size() == 1 && start.terms[0].second == tile)
    made.asked = made.low + turns(start.terms[0].first)->length;
  return made;
}

}  // namespace aisp::jit
