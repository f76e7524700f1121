#include "jit/attention/functions.hpp"

#include "base/refuse.hpp"
#include "jit/ir/print.hpp"
#include "jit/ir/verify.hpp"
#include "jit/pass/simplify.hpp"

namespace aisp::jit {

namespace {

void add_arguments(Function& function) {
  for (int at = 0; at < given_count; ++at) {
    const Element element = is_float(static_cast<Given>(at)) ? Element::f32 : Element::s32;
    function.body.arguments.push_back(function.add_value(
        scalar_type(element), std::string(given_names[static_cast<std::size_t>(at)])));
  }
}

// The operation that gives the value, or the last one written where it is an argument.
Place place_of_value(const Function& function, Id id) {
  for (const Operation& one : function.body.body)
    for (const Id result : one.results)
      if (result == id) return one.place;
  return function.body.body.empty() ? Place{} : function.body.body.back().place;
}

template <class... Parts>
[[noreturn]] void refuse_at(const Function& function, Id id, const Parts&... parts) {
  const std::string place = place_of_value(function, id).text();
  base::refuse(base::Exit::usage, place.empty() ? "attention" : place, ": ", parts...);
}

}  // namespace

std::string ScoreFunctions::score_place() const {
  const std::string place = place_of_value(function_, score_of(function_)).text();
  return (place.empty() ? "attention" : place) + ": ";
}

void ScoreFunctions::trace(const Traced& functions) {
  const Signature signature;
  Tracer tracer("attention", signature);
  Function& function = tracer.function();
  add_arguments(function);
  const auto given = [&](Given which) { return Tile(argument(function, which)); };
  const auto [score, seen] = functions(given(Given::score), {.sequence = given(Given::sequence),
                                                             .head = given(Given::head),
                                                             .query = given(Given::query),
                                                             .key = given(Given::key),
                                                             .query_row = given(Given::query_row),
                                                             .key_row = given(Given::key_row),
                                                             .queries = given(Given::queries),
                                                             .keys = given(Given::keys)});
  Builder& builder = tracer.builder();
  const auto admit = [&](Id id, const char* what, bool condition) {
    const Type& type = function.type(id);
    if (type.kind == Kind::tile)
      refuse_at(function, id, what, " function gives a tile ", shape_text(type.extents),
                ", not one number: it is about one score");
    if ((type.element == Element::boolean) != condition)
      refuse_at(function, id, what, " function gives ",
                condition ? "a number, not a condition: compare it with something"
                          : "a condition, not a score: choose with where(condition, a, b)");
  };
  Id new_score = score.id();
  admit(new_score, "score", false);
  if (function.type(new_score).element != Element::f32) {
    Attributes to_float;
    to_float.element = Element::f32;
    new_score = builder.value(Opcode::to, {new_score}, to_float);
  }
  const Id mask = seen ? seen->id() : builder.scalar(1, Element::boolean);
  admit(mask, "mask", true);
  builder.effect(Opcode::yield, {new_score, mask});
  verify(function);
  function_ = simplify(function);
  text_ = print(function_);
  arrays_ = tracer.arrays();
}

}  // namespace aisp::jit
