#include "jit/emit/expressions.hpp"

#include <cmath>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/ir/print.hpp"

namespace aisp::jit::emitting {

namespace {
// C++'s own words, those of the helpers, and those that every kernel uses.
constexpr std::string_view reserved_words =
    " alignas alignof and and_eq asm atomic_cancel auto bitand bitor bool break case catch"
    " char class co_await co_return co_yield compl concept const const_cast consteval"
    " constexpr constinit continue decltype default delete do double dynamic_cast else enum"
    " explicit export extern false float for friend goto if inline int long mutable"
    " namespace new noexcept not not_eq nullptr operator or or_eq private protected public"
    " register reinterpret_cast requires return short signed sizeof static static_assert"
    " static_cast struct switch template this thread_local throw true try typedef typeid"
    " typename union unsigned using virtual void volatile wchar_t while xor xor_eq"
    " threadIdx blockIdx blockDim gridDim exponential power_of_two logf log2f log1pf"
    " expm1f sqrtf rsqrtf tanhf erff erfcf sinf cosf floorf ceilf rintf truncf powf fabsf"
    " fmaf min max abs maximum minimum sigmoid rounded rounded_tf32 inside widen widen_two narrow"
    " quotient remainder_of element_at store_at combine_at load_piece store_piece"
    " across_row first_of from_lane_xor beats Sum Max Min Any All ArgMax Prod Best Code PairCode "
    "Tensor"
    " Element aisp lane column group row first c i j at tiles";
}  // namespace

const char* cpp_type(Element element) {
  if (element == Element::boolean) return "bool";
  return is_integer(element) ? "int" : "float";
}

std::string element_word(Element element) { return "Element::" + std::string(name_of(element)); }

std::string literal(double number, Element element) {
  if (element == Element::boolean) return number != 0 ? "true" : "false";
  if (is_integer(element))
    return number == -0x1p31 ? "(-2147483647 - 1)"
           : print_number(number).find('e') == std::string::npos
               ? print_number(number)
               : std::to_string(static_cast<std::int64_t>(number));
  const double value = rounded(Element::f32, number);  // may be infinity, or zero
  if (std::isnan(value)) return "__int_as_float(0x7fffffff)";
  if (std::isinf(value))
    return value < 0 ? "-__int_as_float(0x7f800000)" : "__int_as_float(0x7f800000)";
  if (value == 0) return std::signbit(value) ? "-0.0f" : "0.0f";
  std::string text = print_number(value);
  for (int digits = 1; digits <= 9; ++digits) {  // shortest that is the same f32, read as an f32
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, number);
    if (double{std::strtof(shorter, nullptr)} == value) {
      text = shorter;
      break;
    }
  }
  if (text.find_first_of(".ein") == std::string::npos) text += ".0";
  return text + "f";
}

std::string bare(std::string expression) {
  while (expression.size() > 2 && expression.front() == '(' && expression.back() == ')') {
    int depth = 0;
    for (std::size_t at = 0; at + 1 < expression.size(); ++at) {
      depth += expression[at] == '(' ? 1 : expression[at] == ')' ? -1 : 0;
      if (depth == 0) return expression;  // the first bracket closes before the end
    }
    expression = expression.substr(1, expression.size() - 2);
  }
  return expression;
}

std::string without_unused(std::string kernel) {
  const auto is_word = [](char letter) {
    return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
  };
  for (bool again = true; again;) {
    again = false;
    std::map<std::string, int> seen;
    for (std::size_t at = 0; at < kernel.size();) {
      std::size_t end = at;
      while (end < kernel.size() && is_word(kernel[end])) ++end;
      if (end > at) ++seen[kernel.substr(at, end - at)];
      at = end > at ? end : at + 1;
    }
    std::string kept;
    for (const std::string& line : base::split(kernel, '\n')) {
      const auto begin = line.find_first_not_of(' ');
      const auto equals = line.find(" = ");
      bool unused = false;
      if (begin != std::string::npos && equals != std::string::npos &&
          line.compare(begin, 6, "const ") == 0 && line.find(';') != std::string::npos) {
        const auto name = line.rfind(' ', equals - 1) + 1;
        unused = seen[line.substr(name, equals - name)] == 1;
      }
      again = again || unused;
      if (!unused) kept += line + "\n";
    }
    kept.pop_back();
    kernel = kept;
  }
  return kernel;
}

void Text::line(const std::string& text) { text_ += text.empty() ? "\n" : indent_ + text + "\n"; }
void Text::open(const std::string& text) {
  line(text);
  indent_ += "  ";
}
void Text::close(const std::string& text) {
  indent_.resize(indent_.size() - 2);
  line(text);
}
void Text::place(const Place& place) {
  if (place.line == 0 || place.text() == place_) return;
  place_ = place.text();
  text_ += base::say("#line ", place.line, " \"", place.file, "\"\n");
}

Expressions::Expressions(const Function& function, Text& text) : function_(function), text_(text) {
  for_each(function.body, [&](const Operation& operation) {
    for (const Id id : operation.results) definitions_[id] = &operation;
    for (const Id id : operation.operands) ++uses_[id];
  });
  for (const std::string& word : base::split(std::string(reserved_words), ' ')) taken_.insert(word);
  for (const Parameter& one : function.parameters) parameters_.push_back(fresh(one.name));
  enter();
}

std::string Expressions::fresh(const std::string& wish) {
  std::string word;
  for (const char letter : wish)
    word += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) != 0) word = "v" + word;
  std::string name = word;
  for (int number = 2; !taken_.insert(name).second; ++number) name = base::say(word, "_", number);
  return name;
}

std::string Expressions::name_for(Id id, const std::string& otherwise) {
  const std::string& own = function_.values[id].name;
  return fresh(own.empty() ? otherwise : own);
}

const Operation* Expressions::definition(Id id) const {
  const auto at = definitions_.find(id);
  return at == definitions_.end() ? nullptr : at->second;
}

void Expressions::remember(Id id, const Coordinates& coordinates, const std::string& expression) {
  scopes_.back()[{id, coordinates}] = expression;
}

// One block per element, or per so many that divide the extent by definition of the grid.
bool Expressions::in_bounds_always(const Bound& bound, int extent) const {
  const Operation* start = definition(bound.start);
  return start != nullptr && start->code == Opcode::block && start->operands[0] == bound.extent &&
         extent == 1;
}

std::string Expressions::inside(const Type& type, const Coordinates& coordinates) {
  std::vector<std::string> words;
  for (const Bound& bound : type.bounds) {
    if (in_bounds_always(bound, type.extents[bound.axis])) continue;
    const std::string start = at(bound.start, {});
    const std::string& own = coordinates[bound.axis];
    words.push_back(base::say("inside(",
                              start == "0" ? own
                              : own == "0" ? start
                                           : start + " + " + own,
                              ", ", at(bound.extent, {}), ")"));
  }
  return base::join(words, " && ");
}

std::string Expressions::at(Id id, const Coordinates& coordinates) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find({id, coordinates});
    if (found != scope->end()) return found->second;
  }
  if (const std::string there = standing(id, coordinates); !there.empty()) return there;
  const Operation* operation = definition(id);
  if (operation == nullptr)
    base::refuse(base::Exit::wrong, function_.name, ": emit: value ", id, " stands nowhere");
  const Type& type = function_.type(id);
  std::string text;
  switch (operation->code) {
    case Opcode::constant:
    case Opcode::choice:
      return literal(operation->code == Opcode::choice
                         ? static_cast<double>(operation->attributes.integers[0])
                         : operation->attributes.number,
                     type.element);
    case Opcode::iota:
      return coordinates[static_cast<std::size_t>(operation->attributes.integers[0])];
    case Opcode::broadcast: {
      const Type& from = function_.type(operation->operands[0]);
      Coordinates own;
      if (from.kind == Kind::tile)
        for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
          own.push_back(from.extents[axis] == 1 ? "0" : coordinates[axis]);
      return at(operation->operands[0], own);
    }
    case Opcode::transpose: {
      Coordinates own(coordinates.size());
      for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        own[static_cast<std::size_t>(operation->attributes.integers[axis])] = coordinates[axis];
      return at(operation->operands[0], own);
    }
    case Opcode::reshape: {
      const std::vector<int>& from = function_.type(operation->operands[0]).extents;
      std::vector<int> core_from, core_to;
      Coordinates core_at, own;
      for (const int extent : from)
        if (extent != 1) core_from.push_back(extent);
      for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        if (type.extents[axis] != 1) {
          core_to.push_back(type.extents[axis]);
          core_at.push_back(coordinates[axis]);
        }
      std::size_t next = 0;
      if (core_from == core_to) {
        for (const int extent : from) own.push_back(extent == 1 ? "0" : core_at[next++]);
        return at(operation->operands[0], own);
      }
      std::string linear = "0";
      for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        linear = axis == 0
                     ? coordinates[0]
                     : base::say("(", linear, ") * ", type.extents[axis], " + ", coordinates[axis]);
      const std::string place = fresh("place");
      text_.line(base::say("const int ", place, " = ", linear, ";"));
      std::int64_t behind = function_.type(operation->operands[0]).size();
      for (const int extent : from) {
        behind /= extent;
        own.push_back(base::say("(", place, " / ", behind, " % ", extent, ")"));
      }
      return at(operation->operands[0], own);
    }
    default:
      break;
  }
  if (by_element(operation->code) && operation->code != Opcode::gather) {
    std::vector<std::string> operands;
    for (const Id operand : operation->operands)
      operands.push_back(
          at(operand, function_.type(operand).kind == Kind::tile ? coordinates : Coordinates{}));
    text = expression(*operation, operands);
  } else if (operation->code == Opcode::gather) {
    const Id index = operation->operands[0];
    const auto number = static_cast<std::size_t>(operation->attributes.integers[0]);
    text = base::say(
        "element_at<", element_word(function_.parameters[number].element), ">(",
        parameters_[number], ", ",
        at(index, function_.type(index).kind == Kind::tile ? coordinates : Coordinates{}), ")");
  } else {
    text = leaf(*operation, id, coordinates);
  }
  const bool plain_name = text.find_first_of(" (") == std::string::npos;
  const bool once = uses_[id] <= 1 && function_.values[id].name.empty() && text.size() <= 60;
  if (!plain_name && !once) {
    const std::string name = name_for(id, std::string(name_of(operation->code)));
    text_.line(base::say("const ", cpp_type(type.element), " ", name, " = ", bare(text), ";"));
    text = name;
  }
  remember(id, coordinates, text);
  return text;
}

bool Expressions::uniform(const Operation& operation) {
  if (operation.results.size() != 1 || !operation.regions.empty()) return false;
  const Id id = operation.results[0];
  const Kind kind = function_.type(id).kind;
  if (kind == Kind::view) return true;
  if (kind != Kind::index && kind != Kind::scalar) return false;
  if (operation.code == Opcode::constant || operation.code == Opcode::choice) return true;
  if (uses_[id] > 0 || operation.code == Opcode::block) at(id, {});
  return true;
}

std::string Expressions::expression(const Operation& operation,
                                    const std::vector<std::string>& of) {
  const bool integer = is_integer(function_.type(operation.operands.back()).element);
  const auto call = [&](const char* function) {
    std::vector<std::string> words;
    for (const std::string& one : of) words.push_back(bare(one));
    return base::say(function, "(", base::join(words, ", "), ")");
  };
  const auto infix = [&](const char* sign) {
    return base::say("(", of[0], " ", sign, " ", of[1], ")");
  };
  switch (operation.code) {
    case Opcode::neg:
      return base::say(of[0].starts_with('-') ? "(- " : "(-", of[0], ")");  // no "--"
    case Opcode::abs:
      return call(integer ? "abs" : "fabsf");
    case Opcode::exp:
      return call("exponential");
    case Opcode::exp2:
      return call("power_of_two");
    case Opcode::log:
      return call("logf");
    case Opcode::log2:
      return call("log2f");
    case Opcode::log1p:
      return call("log1pf");
    case Opcode::expm1:
      return call("expm1f");
    case Opcode::sqrt:
      return call("sqrtf");
    case Opcode::rsqrt:
      return call("rsqrtf");
    case Opcode::tanh:
      return call("tanhf");
    case Opcode::sigmoid:
      return call("sigmoid");
    case Opcode::erf:
      return call("erff");
    case Opcode::erfc:
      return call("erfcf");
    case Opcode::sin:
      return call("sinf");
    case Opcode::cos:
      return call("cosf");
    case Opcode::floor:
      return call("floorf");
    case Opcode::ceil:
      return call("ceilf");
    case Opcode::round:
      return call("rintf");
    case Opcode::trunc:
      return call("truncf");
    case Opcode::pow:
      return call("powf");
    case Opcode::fma:
      return call("fmaf");
    case Opcode::logical_not:
      return base::say("(!", of[0], ")");
    case Opcode::add:
      return infix("+");
    case Opcode::sub:
      return infix("-");
    case Opcode::mul:
      return infix("*");
    case Opcode::div:
      return call("quotient");
    case Opcode::mod:
      return call("remainder_of");
    case Opcode::min:
      return call("minimum");
    case Opcode::max:
      return call("maximum");
    case Opcode::lt:
      return infix("<");
    case Opcode::le:
      return infix("<=");
    case Opcode::gt:
      return infix(">");
    case Opcode::ge:
      return infix(">=");
    case Opcode::eq:
      return infix("==");
    case Opcode::ne:
      return infix("!=");
    case Opcode::logical_and:
      return infix("&&");
    case Opcode::logical_or:
      return infix("||");
    case Opcode::where:
      return base::say("(", of[0], " ? ", of[1], " : ", of[2], ")");
    default:
      break;
  }
  // to
  const Element to = operation.attributes.element,
                from = function_.type(operation.operands[0]).element;
  if (to == Element::boolean) return base::say("(", of[0], " != 0)");
  const std::string number = from == Element::boolean ? base::say("(", of[0], " ? 1 : 0)") : of[0];
  if (to == Element::s32)
    // C++ leaves NaN and what is out of range undefined; this is 0 and the nearest integer.
    return is_integer(from) || from == Element::boolean
               ? number
               : base::say("__float2int_rz(", bare(number), ")");
  if (to == Element::f32)
    return from == Element::f32 || !(is_integer(from) || from == Element::boolean)
               ? number
               : base::say("static_cast<float>(", number, ")");
  if (to == Element::tf32) return base::say("rounded_tf32(", number, ")");
  if (to == Element::s8) return base::say("static_cast<int>(rounded<Element::s8>(", number, "))");
  return base::say("rounded<", element_word(to), ">(", number, ")");
}

}  // namespace aisp::jit::emitting
