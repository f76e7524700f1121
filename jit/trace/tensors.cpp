#include "jit/trace/tensors.hpp"

#include "base/refuse.hpp"
#include "jit/trace/control.hpp"
#include "jit/trace/source_text.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

Tile Tile::to(Element element, std::source_location at) const {
  return jit::to(Arg(*this, at), element);
}
Tile Tile::named(const std::string& name) const {
  Tracer::current().function().values[id_].name = name;
  return *this;
}
std::vector<int> Tile::extents() const { return Tracer::current().type(id_).extents; }

Size::Size(Index index, std::source_location at) {
  const Affine& form = Tracer::current().function().values[index.id()].affine;
  if (!form.is_constant())
    base::refuse(base::Exit::usage, place_of(at).text(),
                 ": extents of tiles are known when compiling: a number, a choice, or whole");
  number_ = form.constant;
}

Id IndexArg::of(std::int64_t number) { return Tracer::current().builder().index(number); }

Arg::Arg(Index index, std::source_location at) : at_(at) {
  Attributes attributes;
  attributes.element = Element::s32;
  id_ = Tracer::current().builder().value(Opcode::to, {index.id()}, attributes, place_of(at));
}

namespace detail {

int add_input(int rank) { return Tracer::current().add_tensor(Parameter::Role::input, rank); }
int add_output(int rank) { return Tracer::current().add_tensor(Parameter::Role::output, rank); }

Index Tensor::extent(int axis, std::source_location at) const {
  return Index(Tracer::current().extent(parameter_, axis, place_of(at)));
}

void Tensor::name(const std::string& name) const {
  Tracer::current().function().parameters[static_cast<std::size_t>(parameter_)].name = name;
}

static Id view_of(int parameter, const Starts& starts, const std::vector<int>& extents,
                  const Place& place, const std::string& subject) {
  Tracer& tracer = Tracer::current();
  const Parameter& own = tracer.function().parameters[static_cast<std::size_t>(parameter)];
  if (static_cast<int>(starts.size()) != own.rank || static_cast<int>(extents.size()) != own.rank)
    base::refuse(base::Exit::usage, place.text(), ": ", subject, ": ", own.name, " has ", own.rank,
                 " axes: got ", starts.size(), " starts and the tile ", shape_text(extents));
  std::vector<Id> operands;
  for (const IndexArg& start : starts) operands.push_back(start.id());
  for (int axis = 0; axis < own.rank; ++axis)
    operands.push_back(tracer.extent(parameter, axis, place));
  Attributes attributes;
  attributes.integers = {parameter};
  attributes.integers.insert(attributes.integers.end(), extents.begin(), extents.end());
  return tracer.builder().value(Opcode::view, operands, attributes, place, subject);
}

Tile Tensor::loaded(const Starts& starts, const Sizes& sizes, bool widens,
                    const std::source_location& at) const {
  Tracer& tracer = Tracer::current();
  const TensorFacts& facts = tracer.signature().tensors[static_cast<std::size_t>(parameter_)];
  std::vector<int> extents;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
    extents.push_back(static_cast<int>(sizes[axis].is_whole() && axis < facts.extents.size()
                                           ? tracer.whole(parameter_, axis)
                                           : sizes[axis].number()));
  const Place place = place_of(at);
  const Id view = view_of(parameter_, starts, extents, place, "load");
  Attributes attributes;
  attributes.element = widens ? widened(facts.element) : facts.element;
  return Tile(tracer.builder().value(Opcode::load, {view}, attributes, place));
}

void Tensor::stored(const Starts& starts, Arg value, const Reduction* reduction,
                    Extent extent) const {
  Tracer& tracer = Tracer::current();
  const Place place = place_of(value.at());
  const Parameter own = tracer.function().parameters[static_cast<std::size_t>(parameter_)];
  const std::vector<int> ones(static_cast<std::size_t>(own.rank), 1);
  Id id =
      value.is_number() ? tracer.builder().scalar(value.number(), Element::f32, place) : value.id();
  Attributes shape;
  Type type = tracer.type(id);
  if (type.kind == Kind::scalar) {
    shape.integers.assign(ones.begin(), ones.end());
    id = tracer.builder().value(Opcode::broadcast, {id}, shape, place, "store");
  } else if (type.kind == Kind::tile && type.rank() > own.rank) {  // leading axes of extent 1 go
    const std::vector<int> last(type.extents.end() - own.rank, type.extents.end());
    if (tile_type(type.element, last).size() == type.size()) {
      shape.integers.assign(last.begin(), last.end());
      id = tracer.builder().value(Opcode::reshape, {id}, shape, place, "store");
    }
  }
  type = tracer.type(id);
  if (type.element == Element::boolean) {
    Attributes number;
    number.element = Element::f32;
    id = tracer.builder().value(Opcode::to, {id}, number, place, "store");
  }
  const Id view = view_of(parameter_, starts, type.extents, place, "store");
  Attributes attributes;
  if (reduction != nullptr) attributes.reduction = *reduction;
  if (extent == Extent::part) attributes.integers = {1};
  tracer.builder().effect(reduction == nullptr ? Opcode::store : Opcode::reduce_store, {id, view},
                          attributes, place);
}

Tile gathered(const BoundArray& array, Element element, const std::string& name, Arg index) {
  Tracer& tracer = Tracer::current();
  const Place place = place_of(index.at());
  Attributes attributes;
  attributes.integers = {tracer.array(array, element, name)};
  const Id id =
      index.is_number() ? tracer.builder().scalar(index.number(), Element::s32, place) : index.id();
  return Tile(tracer.builder().value(Opcode::gather, {id}, attributes, place));
}

std::vector<Id> traced_loop(Id extent, Id step, std::vector<Id> carried,
                            const std::function<std::vector<Id>(const std::vector<Id>&)>& body,
                            const std::source_location& at) {
  return Tracer::current().builder().loop(extent, step, std::move(carried), body, place_of(at));
}

}  // namespace detail

Index blocks(Index extent, Size size, std::source_location at) {
  Tracer& tracer = Tracer::current();
  if (size.is_whole() || size.number() < 1)
    base::refuse(base::Exit::usage, place_of(at).text(),
                 ": blocks: a block has at least 1 element: got ",
                 size.is_whole() ? "whole" : std::to_string(size.number()));
  Attributes attributes;
  attributes.integers = {tracer.next_dimension()};
  const Id length = tracer.builder().index(size.number());
  return Index(
      tracer.builder().value(Opcode::block, {extent.id(), length}, attributes, place_of(at)));
}

Index choice(const std::string& name, std::initializer_list<int> candidates,
             std::source_location at) {
  Tracer& tracer = Tracer::current();
  const std::vector<std::int64_t> all(candidates.begin(), candidates.end());
  Attributes attributes;
  attributes.integers = {tracer.choose(name, all, place_of(at))};
  attributes.integers.insert(attributes.integers.end(), all.begin(), all.end());
  attributes.name = name;
  return Index(tracer.builder().value(Opcode::choice, {}, attributes, place_of(at)));
}

}  // namespace aisp::jit
