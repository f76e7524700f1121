#include "jit/trace/tracer.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

namespace {
thread_local Tracer* current_tracer = nullptr;
}  // namespace

Tracer::Tracer(std::string name, const Signature& signature, Place place)
    : builder_(function_),
      signature_(signature),
      whole_axes_(signature.tensors.size()),
      outer_(current_tracer) {
  function_.name = std::move(name);
  function_.place = std::move(place);
  current_tracer = this;
}
Tracer::~Tracer() { current_tracer = outer_; }

Tracer& Tracer::current() {
  if (current_tracer == nullptr)
    base::refuse(base::Exit::usage,
                 "tile values exist while a program is traced; write this in the "
                 "lambda of a jit::Program");
  return *current_tracer;
}

int Tracer::add_tensor(Parameter::Role role, int rank) {
  const auto number = function_.parameters.size();
  const TensorFacts& facts = signature_.tensors[number];
  if (!in_tensors(facts.element))
    base::refuse(base::Exit::usage, program_prefix(function_), "tensor ", number,
                 ": memory holds no ", name_of(facts.element));
  if (static_cast<int>(facts.extents.size()) != rank)
    base::refuse(base::Exit::usage, program_prefix(function_), "tensor ", number, " has ",
                 facts.extents.size(), " axes, the lambda takes ",
                 role == Parameter::Role::input ? "Input<" : "Output<", rank, "> there");
  const auto same = std::count_if(function_.parameters.begin(), function_.parameters.end(),
                                  [&](const Parameter& one) { return one.role == role; });
  function_.parameters.push_back(
      {role, base::say(role == Parameter::Role::input ? "in" : "out", same), facts.element, rank});
  return static_cast<int>(number);
}

int Tracer::array(const BoundArray& array, Element element, const std::string& name) {
  const auto tensors = function_.parameters.size() - arrays_.size();
  for (std::size_t at = 0; at < arrays_.size(); ++at)
    if (arrays_[at].data == array.data && arrays_[at].count == array.count &&
        function_.parameters[tensors + at].element == element)
      return static_cast<int>(tensors + at);
  function_.parameters.push_back({Parameter::Role::array,
                                  name.empty() ? base::say("array", arrays_.size()) : name, element,
                                  1});
  arrays_.push_back(array);
  return static_cast<int>(function_.parameters.size()) - 1;
}

std::int64_t Tracer::whole(int parameter, std::size_t axis) {
  const auto number = static_cast<std::size_t>(parameter);
  whole_axes_[number] |= 1u << axis;
  return width_class(signature_.tensors[number].extents[axis]);
}

std::int64_t Tracer::choose(const std::string& name, const std::vector<std::int64_t>& candidates,
                            const Place& place) {
  if (candidates.empty())
    base::refuse(base::Exit::usage, place.text(), ": choice ", name, " has no candidates");
  for (const Choice& other : chosen_)
    if (other.name == name)
      base::refuse(base::Exit::usage, place.text(), ": choice ", name, " is made twice");
  const auto set = signature_.choices.find(name);
  const std::int64_t chosen = set == signature_.choices.end() ? candidates[0] : set->second;
  if (chosen < 1)
    base::refuse(base::Exit::usage, place.text(), ": choice ", name, " is at least 1: got ",
                 chosen);
  chosen_.push_back({name, chosen, candidates});
  return chosen;
}

Id Tracer::extent(int parameter, int axis, const Place& place) {
  const Parameter& own = function_.parameters[static_cast<std::size_t>(parameter)];
  if (axis < 0 || axis >= own.rank)
    base::refuse(base::Exit::usage, place.text(), ": ", own.name, " has no axis ", axis,
                 "; it has ", own.rank);
  Attributes attributes;
  attributes.integers = {parameter, axis};
  return builder_.value(Opcode::extent, {}, attributes, place);
}

}  // namespace aisp::jit
