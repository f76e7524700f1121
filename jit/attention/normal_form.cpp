#include "jit/attention/normal_form.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "jit/attention/dependence.hpp"
#include "jit/ir/builder.hpp"
#include "jit/ir/verify.hpp"
#include "jit/pass/simplify.hpp"

namespace aisp::jit {

namespace {

namespace interval = tile::interval;
using tile::Interval;

constexpr double exact_in_f32 = 0x1p24;
constexpr double least_factor = 0x1p-32;  // that is left to the softmax
constexpr double most_moved = 0x1p80;     // by which a row may be moved: scaled, it is finite, too

class Rewriter {
 public:
  Rewriter(const Function& function, const PositionLimits& limits)
      : function_(function), builder_(function_), mask_(mask_of(function)), limits_(limits) {
    score_ = score_of(function);
    function_.body.body.pop_back();
  }

  NormalForm made(bool whole_rows) {
    NormalForm form;
    std::vector<Term> with_score, others;
    std::vector<Term> all;
    flatten(score_, false, all);
    for (Term term : all) {
      const unsigned on = depends_on(term.value);
      if ((on & (depends::score | depends::key)) == 0 && !whole_rows &&
          interval::finite(range(term.value)))
        continue;
      if ((on & depends::score) != 0) {
        with_score.push_back(term);
        continue;
      }
      if (!whole_rows && is_movable(term.value)) term.value = at_first_query(term.value);
      others.push_back({floats_first(term.value), term.negative});
    }
    const std::optional<double> times =
        with_score.size() == 1 ? multiple(with_score[0]) : std::nullopt;
    const Id product = argument(function_, Given::score);
    Id result = product;
    if (times && is_factor(*times)) {
      form.factor = *times;
      const Id unit = mul(argument(function_, Given::inverse_scale), number(1 / *times));
      for (Term& term : others) term.value = scaled(term.value, unit);
      result = total(product, others);
    } else {
      form.scaled = false;
      // A factor in front of all is the softmax's.
      if (others.empty() && with_score.size() == 1 && !with_score[0].negative) {
        const Operation own = definition(with_score[0].value);
        for (std::size_t at = 0; own.code == Opcode::mul && at < 2; ++at)
          if (const auto constant = constant_of(own.operands[at]);
              constant && is_factor(*constant)) {
            form.factor = *constant;
            with_score[0].value = own.operands[1 - at];
            break;
          }
      }
      std::optional<Id> sum;
      for (const Term& term : with_score) {
        const Id value = of_product(floats_first(term.value));
        sum = !sum            ? (term.negative ? neg(value) : value)
              : term.negative ? sub(*sum, value)
                              : add(*sum, value);
      }
      result = total(sum ? *sum : number(0), others);
    }
    form.modifies = result != product;
    builder_.effect(Opcode::yield, {result, mask_});
    verify(function_);
    form.function = simplify(function_);
    return form;
  }

 private:
  struct Term {
    Id value;
    bool negative;
  };

  Id number(double value) { return builder_.scalar(value, Element::f32); }
  Id mul(Id a, Id b) { return builder_.value(Opcode::mul, {a, b}); }
  Id add(Id a, Id b) { return builder_.value(Opcode::add, {a, b}); }
  Id sub(Id a, Id b) { return builder_.value(Opcode::sub, {a, b}); }
  Id neg(Id a) { return builder_.value(Opcode::neg, {a}); }

  // Arguments give a constant without results: no operation that anybody looks for.
  Operation definition(Id id) {
    for (; indexed_ < function_.body.body.size(); ++indexed_)
      for (const Id result : function_.body.body[indexed_].results) defined_[result] = indexed_;
    const auto at = defined_.find(id);
    return at == defined_.end() ? Operation{} : function_.body.body[at->second];
  }
  unsigned depends_on(Id id) {
    if (dependences_.size() < function_.values.size()) dependences_ = dependences(function_);
    return dependences_[static_cast<std::size_t>(id)];
  }
  Interval range(Id id) {
    if (ranges_.size() < function_.values.size()) ranges_ = value_ranges(function_, limits_);
    return ranges_[static_cast<std::size_t>(id)];
  }
  bool is_within(Id id, double most) {
    return interval::finite(range(id)) && -most <= range(id).least && range(id).most <= most;
  }
  bool uniform(Id id) { return (depends_on(id) & depends::within_tile) == 0; }
  bool is_float_value(Id id) const { return function_.type(id).element == Element::f32; }
  std::optional<double> constant_of(Id id) {
    const Operation own = definition(id);
    if (own.code != Opcode::constant || own.results.empty()) return std::nullopt;
    return own.attributes.number;
  }

  void flatten(Id id, bool negative, std::vector<Term>& terms) {
    const Operation own = definition(id);
    if (is_float_value(id) && (own.code == Opcode::add || own.code == Opcode::sub)) {
      flatten(own.operands[0], negative, terms);
      flatten(own.operands[1], negative != (own.code == Opcode::sub), terms);
    } else if (is_float_value(id) && own.code == Opcode::neg) {
      flatten(own.operands[0], !negative, terms);
    } else {
      terms.push_back({id, negative});
    }
  }

  // The number that the score is multiplied by, where that is all that happens to it.
  std::optional<double> multiple(const Term& term) {
    double times = term.negative ? -1 : 1;
    Id id = term.value;
    while (id != argument(function_, Given::score)) {
      const Operation own = definition(id);
      if (own.code != Opcode::mul && own.code != Opcode::div) return std::nullopt;
      const bool second = (depends_on(own.operands[1]) & depends::score) != 0;
      if (second && own.code == Opcode::div) return std::nullopt;
      const auto constant = constant_of(own.operands[second ? 0 : 1]);
      if (!constant) return std::nullopt;
      times = own.code == Opcode::mul ? times * *constant : times / *constant;
      id = own.operands[second ? 1 : 0];
    }
    return std::isfinite(times) ? std::optional(times) : std::nullopt;
  }

  // A sum of something of the query and something of the key: the former moves all of a row. This
  // is the range of what it moves it by; nothing where it is no such sum, where integers may wrap
  // on the way to it, or where it may be infinite or NaN.
  std::optional<Interval> of_query(Id id) {
    constexpr unsigned both = depends::key | depends::query;
    const unsigned on = depends_on(id);
    const bool integer = !is_float_value(id);
    if (integer && !is_within(id, interval::most_int - 1)) return std::nullopt;
    if ((on & depends::query) == 0) return interval::point(0);
    if ((on & both) != both)
      return interval::finite(range(id)) ? std::optional(range(id)) : std::nullopt;
    const Operation own = definition(id);
    const auto of = [&](std::size_t at) { return of_query(own.operands[at]); };
    const auto meet = [&](Interval (*operation)(Interval, Interval), std::optional<Interval> a,
                          std::optional<Interval> b) {
      return a && b ? std::optional(operation(*a, *b)) : std::nullopt;
    };
    switch (own.code) {
      case Opcode::add:
        return meet(interval::add<false>, of(0), of(1));
      case Opcode::sub:
        return meet(interval::sub<false>, of(0), of(1));
      case Opcode::neg:
        return meet(interval::sub<false>, interval::point(0), of(0));
      case Opcode::to:
        return !integer && function_.type(own.operands[0]).element == Element::s32 ? of(0)
                                                                                   : std::nullopt;
      case Opcode::mul:
        for (const std::size_t at : {0, 1})
          if (uniform(own.operands[at]))
            return meet(interval::mul<false>, range(own.operands[at]), of(1 - at));
        return std::nullopt;
      case Opcode::div:
        if (integer || !uniform(own.operands[1])) return std::nullopt;
        return meet(interval::div<false>, of(0), range(own.operands[1]));
      default:
        return std::nullopt;
    }
  }
  bool is_movable(Id id) {
    if ((depends_on(id) & depends::query) == 0) return false;
    const auto moved = of_query(id);
    return moved && -most_moved < moved->least && moved->most < most_moved;
  }

  // What is left to the softmax is positive, and neither it nor its inverse leaves f32's range.
  static bool is_factor(double number) {
    return number > least_factor && number < 1 / least_factor;
  }
  // The same with other operands, which `replace` gives.
  template <class Replace>
  Id rebuilt(Id id, const Replace& replace) {
    const Operation own = definition(id);
    std::vector<Id> operands;
    for (const Id operand : own.operands) operands.push_back(replace(operand));
    if (operands == own.operands) return id;
    return builder_.value(own.code, std::move(operands), own.attributes, own.place);
  }

  Id at_first_query(Id id) {
    if (id == argument(function_, Given::query)) return argument(function_, Given::first_query);
    if (id == argument(function_, Given::query_row))
      return argument(function_, Given::first_query_row);
    if ((depends_on(id) & depends::query) == 0) return id;
    return rebuilt(id, [&](Id operand) { return at_first_query(operand); });
  }

  // Integers of a query and a key become floats before they meet: that is once for a row or a
  // column. Only where all of them are exact as f32: of larger ones the difference would be lost.
  Id floats_first(Id id) {
    const Operation own = definition(id);
    constexpr unsigned both = depends::key | depends::query;
    if (own.results.empty()) return id;
    if (own.code == Opcode::to && is_float_value(id) &&
        function_.type(own.operands[0]).element == Element::s32 && (depends_on(id) & both) == both)
      return is_exact_float(own.operands[0]) ? as_float(own.operands[0]) : id;
    return rebuilt(id, [&](Id operand) { return floats_first(operand); });
  }
  // The key, and what is the same for all keys added to it: a thread converts the first of its
  // columns, and the others differ from it by constants (emit.cpp).
  bool steps_with_key(Id id) {
    if (id == argument(function_, Given::key) || id == argument(function_, Given::key_row))
      return true;
    const Operation own = definition(id);
    if (own.code != Opcode::add && own.code != Opcode::sub) return false;
    const auto of_key = [&](std::size_t at) {
      return (depends_on(own.operands[at]) & depends::key) != 0;
    };
    return of_key(0) != of_key(1) && steps_with_key(own.operands[of_key(1) ? 1 : 0]);
  }
  bool becomes_float_late(Id id) {
    constexpr unsigned both = depends::key | depends::query;
    const Opcode code = definition(id).code;
    return (depends_on(id) & both) != both || steps_with_key(id) ||
           (code != Opcode::add && code != Opcode::sub && code != Opcode::neg &&
            code != Opcode::abs && code != Opcode::min && code != Opcode::max);
  }
  bool is_exact_float(Id id) {
    if (!is_within(id, exact_in_f32)) return false;
    if (becomes_float_late(id)) return true;
    const Operation own = definition(id);
    return std::all_of(own.operands.begin(), own.operands.end(),
                       [&](Id operand) { return is_exact_float(operand); });
  }
  Id as_float(Id id) {
    const Operation own = definition(id);
    if (!becomes_float_late(id)) {
      std::vector<Id> operands;
      for (const Id operand : own.operands) operands.push_back(as_float(operand));
      return builder_.value(own.code, std::move(operands), {}, own.place);
    }
    Attributes to_float;
    to_float.element = Element::f32;
    return builder_.value(Opcode::to, {id}, to_float, own.place);
  }

  // Numbers in front of the score and its scale become one.
  Id of_product(Id id) {
    const Id product = argument(function_, Given::score), scale = argument(function_, Given::scale);
    if (id == product) return mul(product, scale);
    if ((depends_on(id) & depends::score) == 0) return id;
    if (const auto times = multiple({id, false})) return mul(product, mul(scale, number(*times)));
    return rebuilt(id, [&](Id operand) { return of_product(operand); });
  }

  // Times a number of the tile, which goes to a factor of its kind.
  Id scaled(Id id, Id unit) {
    const Operation own = definition(id);
    if (own.code == Opcode::mul)
      for (std::size_t at = 0; at < 2; ++at)
        if (uniform(own.operands[at]))
          return mul(mul(own.operands[at], unit), own.operands[1 - at]);
    return mul(id, unit);
  }

  // What depends on the key alone is added up first: it serves all rows.
  Id total(Id sum, const std::vector<Term>& terms) {
    std::optional<Id> of_key;
    for (const Term& term : terms)
      if ((depends_on(term.value) & depends::query) == 0)
        of_key = !of_key         ? (term.negative ? neg(term.value) : term.value)
                 : term.negative ? sub(*of_key, term.value)
                                 : add(*of_key, term.value);
    if (of_key) sum = add(sum, *of_key);
    for (const Term& term : terms)
      if ((depends_on(term.value) & depends::query) != 0)
        sum = term.negative ? sub(sum, term.value) : add(sum, term.value);
    return sum;
  }

  Function function_;
  Builder builder_;
  Id score_ = -1, mask_;
  PositionLimits limits_;
  std::size_t indexed_ = 0;
  std::map<Id, std::size_t> defined_;
  std::vector<unsigned> dependences_;
  std::vector<Interval> ranges_;
};

}  // namespace

NormalForm normal_form(const Function& function, const PositionLimits& limits, bool whole_rows) {
  return Rewriter(function, limits).made(whole_rows);
}

}  // namespace aisp::jit
