#include "jit/attention/normal_form.hpp"

#include <cmath>
#include <map>
#include <optional>

#include "jit/attention/dependence.hpp"
#include "jit/ir/builder.hpp"
#include "jit/ir/verify.hpp"
#include "jit/pass/simplify.hpp"

namespace aisp::jit {

namespace {

class Rewriter {
 public:
  explicit Rewriter(const Function& function)
      : function_(function), builder_(function_), mask_(mask_of(function)) {
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
      if ((on & (depends::score | depends::key)) == 0 && !whole_rows) continue;
      if ((on & depends::score) != 0) {
        with_score.push_back(term);
        continue;
      }
      if (!whole_rows && (on & depends::query) != 0 && separable(term.value))
        term.value = at_first_query(term.value);
      others.push_back({floats_first(term.value), term.negative});
    }
    const std::optional<double> times =
        with_score.size() == 1 ? multiple(with_score[0]) : std::nullopt;
    const Id product = argument(function_, Given::score);
    Id result = product;
    if (times && *times > 0) {
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
          if (const auto constant = constant_of(own.operands[at]); constant && *constant > 0) {
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

  // A sum of something of the query and something of the key: the former moves all of a row.
  bool separable(Id id) {
    constexpr unsigned both = depends::key | depends::query;
    if ((depends_on(id) & both) != both) return true;
    const Operation own = definition(id);
    switch (own.code) {
      case Opcode::add:
      case Opcode::sub:
        return separable(own.operands[0]) && separable(own.operands[1]);
      case Opcode::neg:
      case Opcode::to:
        return own.code == Opcode::neg || (is_float_value(id) &&
                                           function_.type(own.operands[0]).element == Element::s32)
                   ? separable(own.operands[0])
                   : false;
      case Opcode::mul:
        return uniform(own.operands[0])   ? separable(own.operands[1])
               : uniform(own.operands[1]) ? separable(own.operands[0])
                                          : false;
      case Opcode::div:
        return is_float_value(id) && uniform(own.operands[1]) && separable(own.operands[0]);
      default:
        return false;
    }
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
  // column, and exact as long as there are less than 2^24 of them.
  Id floats_first(Id id) {
    const Operation own = definition(id);
    constexpr unsigned both = depends::key | depends::query;
    if (own.results.empty()) return id;
    if (own.code == Opcode::to && is_float_value(id) &&
        function_.type(own.operands[0]).element == Element::s32 && (depends_on(id) & both) == both)
      return as_float(own.operands[0]);
    return rebuilt(id, [&](Id operand) { return floats_first(operand); });
  }
  Id as_float(Id id) {
    const Operation own = definition(id);
    constexpr unsigned both = depends::key | depends::query;
    const bool passes = own.code == Opcode::add || own.code == Opcode::sub ||
                        own.code == Opcode::neg || own.code == Opcode::abs ||
                        own.code == Opcode::min || own.code == Opcode::max;
    if (passes && (depends_on(id) & both) == both) {
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
  std::size_t indexed_ = 0;
  std::map<Id, std::size_t> defined_;
  std::vector<unsigned> dependences_;
};

}  // namespace

NormalForm normal_form(const Function& function, bool whole_rows) {
  return Rewriter(function).made(whole_rows);
}

}  // namespace aisp::jit
