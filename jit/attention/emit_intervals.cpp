// The mask on intervals: one call of tile/collective/attention/interval.hpp for each operation.
#include <cmath>
#include <map>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/attention/array_text.hpp"
#include "jit/attention/dependence.hpp"
#include "jit/attention/emit.hpp"
#include "jit/emit/expressions.hpp"
#include "jit/ir/print.hpp"

namespace aisp::jit {

namespace {

class IntervalEmitter {
 public:
  explicit IntervalEmitter(const Function& function)
      : function_(function), arrays_(array_names(function)) {
    for (const Operation& one : function.body.body)
      for (const Id id : one.results) operations_[id] = &one;
    for (int at = 0; at < given_to_users; ++at)
      names_[function.body.arguments[static_cast<std::size_t>(at)]] =
          base::say("at.", given_names[static_cast<std::size_t>(at)]);
  }

  std::string made(bool every_block) {
    const std::string result =
        every_block ? "aisp::tile::Truth{true, false}" : value(mask_of(function_));
    const bool reads =
        !every_block && (dependences(function_)[static_cast<std::size_t>(mask_of(function_))] &
                         depends::memory) != 0;
    return base::say(
        "struct Functions {\n  static constexpr bool reads_arrays = ", reads ? "true" : "false",
        ";\n", array_members(function_), "  float scale_, inverse_scale_, softmax_scale_;\n",
        "  __device__ __forceinline__ aisp::tile::Truth seen(const "
        "aisp::tile::BlockPlace& at) const {\n",
        "    namespace interval = aisp::tile::interval;\n", lines_, "    return ", result,
        ";\n  }\n};\n");
  }

 private:
  std::string value(Id id) {
    const auto known = names_.find(id);
    if (known != names_.end()) return known->second;
    const Operation& one = *operations_.at(id);
    std::vector<std::string> of;
    for (const Id operand : one.operands) of.push_back(value(operand));
    const std::string name = base::say(name_of(one.code), "_", id);
    lines_ += base::say("    const auto ", name, " = ", computed(one, id, of), ";\n");
    names_[id] = name;
    return name;
  }

  std::string computed(const Operation& one, Id id, const std::vector<std::string>& of) const {
    const Element element = function_.type(id).element;
    const std::string all = base::join(of, ", ");
    const auto call = [&](const std::string& name) {
      return base::say("interval::", name, "(", all, ")");
    };
    const auto typed = [&](const char* name) {
      return call(base::say(name, element == Element::s32 ? "<true>" : "<false>"));
    };
    const auto within = [&](const char* least, const char* most) {
      return base::say("interval::within(", all, ", ", least, ", ", most, ")");
    };
    switch (one.code) {
      case Opcode::constant: {
        // As the kernel has it: 0.1f is another number than 0.1, and 1e39f infinite.
        const double number = rounded(element, one.attributes.number);
        if (element == Element::boolean)
          return base::say("interval::certainly(", number != 0 ? "true" : "false", ")");
        return std::isfinite(number) ? base::say("interval::point(", print_number(number), ")")
                                     : "interval::anything";
      }
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::div:
      case Opcode::neg:
      case Opcode::abs:
        return typed(std::string(name_of(one.code)).c_str());
      case Opcode::mod:
        return element == Element::s32 ? call("mod") : "interval::anything";
      case Opcode::min:
      case Opcode::max:
      case Opcode::lt:
      case Opcode::le:
      case Opcode::eq:
      case Opcode::where:
        return call(std::string(name_of(one.code)));
      case Opcode::gt:
        return base::say("interval::lt(", of[1], ", ", of[0], ")");
      case Opcode::ge:
        return base::say("interval::le(", of[1], ", ", of[0], ")");
      case Opcode::ne:
        return base::say("interval::logical_not(", call("eq"), ")");
      case Opcode::logical_and:
        return call("logical_and");
      case Opcode::logical_or:
        return call("logical_or");
      case Opcode::logical_not:
        return call("logical_not");
      case Opcode::exp:
      case Opcode::exp2:
        return within("0", "interval::endless");
      case Opcode::sigmoid:
        return within("-0.001", "1.001");
      case Opcode::tanh:
      case Opcode::erf:
        return within("-1.001", "1.001");
      case Opcode::sqrt:
      case Opcode::rsqrt:
        return call("root");
      case Opcode::to:
        return converted(one, of[0]);
      case Opcode::gather: {
        const std::string& array = arrays_[static_cast<std::size_t>(one.attributes.integers[0])];
        return base::say("aisp::tile::entries_in(", array, ".data, ", array, ".count, ", of[0],
                         ")");
      }
      default:
        return "interval::anything";  // log
    }
  }

  std::string converted(const Operation& one, const std::string& from) const {
    const Element before = function_.type(one.operands[0]).element, to = one.attributes.element;
    if (to == Element::boolean)
      return base::say("interval::logical_not(interval::eq(", from, ", interval::point(0)))");
    const std::string number =
        before == Element::boolean ? base::say("interval::number(", from, ")") : from;
    if (to == Element::s32)
      return before == Element::f32 ? base::say("interval::to_integer(", number, ")") : number;
    if (to == Element::f32) return base::say("interval::to_f32(", number, ")");
    return "interval::anything";  // rounded to something short
  }

  const Function& function_;
  std::vector<std::string> arrays_;
  std::map<Id, const Operation*> operations_;
  std::map<Id, std::string> names_;
  std::string lines_;
};

}  // namespace

std::string interval_text(const Function& function, bool every_block) {
  return IntervalEmitter(function).made(every_block);
}

}  // namespace aisp::jit
