#include "jit/ir/print.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::jit {

namespace {

class Printer {
 public:
  explicit Printer(const Function& function) : function_(function) {}

  std::string whole() {
    text_ = "program " + function_.name + "(";
    std::vector<std::string> words;
    for (const Parameter& parameter : function_.parameters) words.push_back(head(parameter));
    text_ += base::join(words, ", ") + ")\n";
    region(function_.body, 1);
    return text_;
  }

 private:
  static std::string head(const Parameter& parameter) {
    constexpr const char* roles[] = {"in", "out", "array"};
    return base::say(roles[static_cast<int>(parameter.role)], " ", parameter.name, ": ",
                     name_of(parameter.element), "[", parameter.rank, "]");
  }

  // Values are numbered in the order in which they are printed, whatever passes left unused.
  std::string name(Id id) {
    const auto [at, fresh] = names_.try_emplace(id, "");
    if (fresh) {
      at->second = base::say("%", names_.size() - 1);
      if (!function_.values[id].name.empty()) at->second += ":" + function_.values[id].name;
    }
    return at->second;
  }

  std::string list(const std::vector<Id>& ids) {
    std::vector<std::string> words;
    for (const Id id : ids) words.push_back(name(id));
    return base::join(words, ", ");
  }

  std::string numbers(std::size_t first, const Operation& operation) const {
    std::vector<std::string> words;
    const auto& all = operation.attributes.integers;
    for (std::size_t at = first; at < all.size(); ++at) words.push_back(std::to_string(all[at]));
    return "(" + base::join(words, ", ") + ")";
  }

  // What stands behind the operands.
  std::string attributes(const Operation& operation) const {
    const Attributes& own = operation.attributes;
    const auto parameter = [&] {
      return function_.parameters[static_cast<std::size_t>(own.integers[0])].name;
    };
    switch (operation.code) {
      case Opcode::block:
        return base::say(" dimension ", own.integers[0]);
      case Opcode::extent:
        return base::say(" ", parameter(), " axis ", own.integers[1]);
      case Opcode::choice:
        return base::say(" ", own.name, " = ", own.integers[0], " of ", numbers(1, operation));
      case Opcode::constant:
        return " " + print_number(own.number);
      case Opcode::iota:
        return base::say(" axis ", own.integers[0]);
      case Opcode::view:
      case Opcode::gather:
        return " of " + parameter();
      case Opcode::transpose:
        return " " + numbers(0, operation);
      case Opcode::reduce:
        return base::say(" ", name_of(own.reduction), " axis ", own.integers[0]);
      case Opcode::store:
        return own.integers.empty() ? "" : " part";
      case Opcode::reduce_store:
        return base::say(" ", name_of(own.reduction));
      default:
        return "";
    }
  }

  void region(const Region& region, int depth) {
    for (const Operation& operation : region.body) {
      const std::string indent(2 * static_cast<std::size_t>(depth), ' ');
      std::string line = indent;
      const std::string operands = list(operation.operands);
      if (!operation.results.empty()) line += list(operation.results) + " = ";
      line += std::string(name_of(operation.code));
      if (!operands.empty()) line += " " + operands;
      line += attributes(operation);
      for (std::size_t at = 0; at < operation.results.size(); ++at)
        line += (at == 0 ? " : " : ", ") + print_type(function_.type(operation.results[at]));
      if (operation.place.line != 0) line += "  // " + operation.place.text();
      text_ += line + "\n";
      for (const Region& inner : operation.regions) {
        text_ += indent + "{" + (inner.arguments.empty() ? "" : " " + list(inner.arguments)) + "\n";
        this->region(inner, depth + 1);
        text_ += indent + "}\n";
      }
    }
  }

  const Function& function_;
  std::string text_;
  std::map<Id, std::string> names_;
};

}  // namespace

std::string print_number(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    if (std::strtod(text, nullptr) == number) break;
  }
  return text;
}

std::string print_type(const Type& type) {
  switch (type.kind) {
    case Kind::index:
      return "index";
    case Kind::scalar:
      return std::string(name_of(type.element));
    default:
      break;
  }
  return base::say(type.kind == Kind::view ? "view " : "", name_of(type.element),
                   shape_text(type.extents));
}

std::string print(const Function& function) { return Printer(function).whole(); }

}  // namespace aisp::jit
