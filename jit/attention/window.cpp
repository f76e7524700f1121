#include "jit/attention/window.hpp"

#include <algorithm>
#include <map>

namespace aisp::jit {

namespace {

// query * of_query + key * of_key + constant
struct Linear {
  std::int64_t of_query = 0, of_key = 0, constant = 0;
};

class Windows {
 public:
  explicit Windows(const Function& function) : function_(function) {
    for (const Operation& one : function.body.body)
      for (const Id id : one.results) definitions_[id] = &one;
  }

  std::optional<MaskWindow> of(Id mask) {
    return narrow(mask, true) && window_.left.value_or(0) >= 0 && window_.right.value_or(0) >= 0
               ? std::optional(window_)
               : std::nullopt;
  }

 private:
  const Operation* definition(Id id) const {
    const auto at = definitions_.find(id);
    return at == definitions_.end() ? nullptr : at->second;
  }

  // False where the condition, or its opposite, is no bound of key - query.
  bool narrow(Id id, bool holds) {
    const Operation* own = definition(id);
    if (own == nullptr) return false;
    const auto both = [&] {
      return narrow(own->operands[0], holds) && narrow(own->operands[1], holds);
    };
    switch (own->code) {
      case Opcode::constant:
        return (own->attributes.number != 0) == holds;
      case Opcode::logical_not:
        return narrow(own->operands[0], !holds);
      case Opcode::logical_and:
        return holds && both();
      case Opcode::logical_or:
        return !holds && both();
      case Opcode::lt:
        return holds ? below(own->operands, 0, 1, -1) : below(own->operands, 1, 0, 0);
      case Opcode::le:
        return holds ? below(own->operands, 0, 1, 0) : below(own->operands, 1, 0, -1);
      case Opcode::gt:
        return holds ? below(own->operands, 1, 0, -1) : below(own->operands, 0, 1, 0);
      case Opcode::ge:
        return holds ? below(own->operands, 1, 0, 0) : below(own->operands, 0, 1, -1);
      case Opcode::eq:
        return holds && below(own->operands, 0, 1, 0) && below(own->operands, 1, 0, 0);
      default:
        return false;
    }
  }

  // operands[a] - operands[b] <= most
  bool below(const std::vector<Id>& operands, std::size_t a, std::size_t b, std::int64_t most) {
    if (function_.type(operands[a]).element != Element::s32) return false;
    const auto limit = linear(operands[b]);
    // |x| <= c is x <= c and -x <= c.
    const Operation* own = definition(operands[a]);
    if (own != nullptr && own->code == Opcode::abs && limit) {
      const auto inner = linear(own->operands[0]);
      return inner && bound(*inner, *limit, 1, most) && bound(*inner, *limit, -1, most);
    }
    const auto value = linear(operands[a]);
    return value && limit && bound(*value, *limit, 1, most);
  }
  // sign * value - limit <= most
  bool bound(const Linear& value, const Linear& limit, std::int64_t sign, std::int64_t most) {
    const std::int64_t of_key = sign * value.of_key - limit.of_key;
    const std::int64_t of_query = sign * value.of_query - limit.of_query;
    const std::int64_t rest = most - (sign * value.constant - limit.constant);
    if (of_key == 0 && of_query == 0) return rest >= 0;
    if (of_key == 1 && of_query == -1)
      window_.right = std::min(window_.right.value_or(rest), rest);
    else if (of_key == -1 && of_query == 1)
      window_.left = std::min(window_.left.value_or(rest), rest);
    else
      return false;
    return true;
  }

  std::optional<Linear> linear(Id id) const {
    if (id == argument(function_, Given::query)) return Linear{.of_query = 1};
    if (id == argument(function_, Given::key)) return Linear{.of_key = 1};
    const Operation* own = definition(id);
    if (own == nullptr || function_.type(id).element != Element::s32) return std::nullopt;
    if (own->code == Opcode::constant)
      return Linear{.constant = static_cast<std::int64_t>(own->attributes.number)};
    if (own->code == Opcode::neg) {
      const auto inner = linear(own->operands[0]);
      return inner ? std::optional(Linear{-inner->of_query, -inner->of_key, -inner->constant})
                   : std::nullopt;
    }
    if (own->code != Opcode::add && own->code != Opcode::sub) return std::nullopt;
    const auto a = linear(own->operands[0]), b = linear(own->operands[1]);
    if (!a || !b) return std::nullopt;
    const std::int64_t sign = own->code == Opcode::add ? 1 : -1;
    return Linear{a->of_query + sign * b->of_query, a->of_key + sign * b->of_key,
                  a->constant + sign * b->constant};
  }

  const Function& function_;
  std::map<Id, const Operation*> definitions_;
  MaskWindow window_;
};

}  // namespace

std::optional<MaskWindow> window_of(const Function& function) {
  return Windows(function).of(mask_of(function));
}

}  // namespace aisp::jit
