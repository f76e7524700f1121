// The plain schedule: operations in their order, every thread a part of the elements. What is read
// at other coordinates than it is computed at (reductions, products, carried tiles) lies in shared
// memory; everything else is computed where it is used.
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/emit/block.hpp"
#include "jit/emit/schedules.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit::emitting {

namespace {

class Plain : public BlockExpressions {
 public:
  Plain(const Function& function, const Plan& plan, Text& text)
      : BlockExpressions(function, text), threads_(plan.get("threads")) {
    for_each(function.body, [&](const Operation& operation) {
      for (const Id id : operation.operands) ++uses_[id];
    });
  }

  void body() { region(function_.body); }
  std::int64_t shared_bytes() const { return 4 * words_; }

 private:
  void region(const Region& region) {
    for (const Operation& operation : region.body) {
      if (uniform(operation)) continue;
      if (operation.code == Opcode::loop) loop(operation);
      if (operation.code == Opcode::branch) branch(operation);
      if (operation.code == Opcode::reduce) reduce(operation);
      if (operation.code == Opcode::dot && !in_place_.contains(operation.results[0]))
        dot(operation, slot(operation.results[0], "dot"));
      if (operation.code == Opcode::dot && in_place_.contains(operation.results[0]))
        dot(operation, slots_.at(in_place_.at(operation.results[0])));
      if (operation.code == Opcode::store || operation.code == Opcode::reduce_store)
        write(operation);
    }
  }

  // Shared memory for a tile, under a name.
  std::string slot(Id id, const std::string& otherwise) {
    const Type& type = function_.type(id);
    const std::string name = name_for(id, otherwise);
    text_.line(base::say(cpp_type(type.element), "* const ", name, " = reinterpret_cast<",
                         cpp_type(type.element), "*>(tiles + ", words_, ");  // ",
                         shape_text(type.extents)));
    words_ += type.element == Element::boolean ? (type.size() + 3) / 4 : type.size();
    return slots_[id] = name;
  }

  std::string standing(Id id, const Coordinates& coordinates) override {
    const auto found = slots_.find(id);
    if (found == slots_.end()) return "";
    const std::vector<int>& extents = function_.type(id).extents;
    std::string linear;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (coordinates[axis] == "0" && linear.empty()) continue;
      if (!linear.empty())
        linear = base::say(linear.find(' ') == std::string::npos ? linear : "(" + linear + ")",
                           " * ", extents[axis]);
      if (coordinates[axis] != "0") linear += (linear.empty() ? "" : " + ") + coordinates[axis];
    }
    return base::say(found->second, "[", linear.empty() ? "0" : linear, "]");
  }

  // A loop of all threads over the elements of a shape; their coordinates.
  Coordinates open_elements(const std::vector<int>& extents) {
    std::int64_t size = 1;
    for (const int extent : extents) size *= extent;
    enter();
    text_.open(base::say("for (int at = threadIdx.x; at < ", size, "; at += ", threads_, ") {"));
    Coordinates coordinates;
    std::int64_t behind = size;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      behind /= extents[axis];
      if (extents[axis] == 1) {
        coordinates.push_back("0");
      } else if (extents[axis] == size) {
        coordinates.push_back("at");
      } else {
        coordinates.push_back(fresh(base::say("at", axis)));
        text_.line(base::say("const int ", coordinates.back(), " = at",
                             behind == 1 ? "" : base::say(" / ", behind),
                             axis == 0 ? "" : base::say(" % ", extents[axis]), ";"));
      }
    }
    return coordinates;
  }
  void close_elements() {
    text_.close();
    leave();
  }

  void fill(const std::string& to, Id from) {
    const Coordinates coordinates = open_elements(function_.type(from).extents);
    text_.line(base::say(to, "[at] = ", bare(at(from, coordinates)), ";"));
    close_elements();
  }
  void barrier() { text_.line("__syncthreads();"); }

  void reduce(const Operation& operation) {
    const Id id = operation.results[0], from = operation.operands[0];
    const Type& source = function_.type(from);
    const auto axis = static_cast<std::size_t>(operation.attributes.integers[0]);
    const Reduction reduction = operation.attributes.reduction;
    const bool best = reduction == Reduction::argmax;
    const std::string type = best ? base::say("Best<", cpp_type(source.element), ">")
                                  : std::string(cpp_type(source.element));
    const std::string to = slot(id, std::string(name_of(reduction)));
    text_.place(operation.place);
    Coordinates coordinates = open_elements(function_.type(id).extents);
    const std::string part = fresh("part"), along = fresh("along");
    text_.line(base::say(type, " ", part, " = ",
                         best ? base::say("{", neutral(reduction, source.element), ", 0x7fffffff}")
                              : neutral(reduction, source.element),
                         ";"));
    text_.open(base::say("for (int ", along, " = 0; ", along, " < ", source.extents[axis], "; ++",
                         along, ") {"));
    enter();
    coordinates[axis] = source.extents[axis] == 1 ? "0" : along;
    const std::string condition = inside(source, coordinates);
    if (!condition.empty()) text_.line("if (!(" + condition + ")) continue;");
    const std::string value = at(from, coordinates);
    text_.line(base::say(part, " = ", combine_word(reduction), "{}(", part, ", ",
                         best ? base::say(type, "{", value, ", ", along, "}") : value, ");"));
    leave();
    text_.close();
    text_.line(base::say(to, "[at] = ", best ? "first_of(" + part + ")" : part, ";"));
    close_elements();
    barrier();
  }

  void dot(const Operation& operation, const std::string& to) {
    const Type &a = function_.type(operation.operands[0]),
               &b = function_.type(operation.operands[1]);
    const Id id = operation.results[0];
    const Type& type = function_.type(id);
    slots_[id] = to;
    text_.place(operation.place);
    const Coordinates coordinates = open_elements(type.extents);
    const std::string total = fresh("total"), k = fresh("inner");
    const bool carried = operation.operands.size() == 3;
    text_.line(base::say(cpp_type(type.element), " ", total, " = ",
                         carried                        ? at(operation.operands[2], coordinates)
                         : type.element == Element::s32 ? "0"
                                                        : "0.0f",
                         ";"));
    text_.open(base::say("for (int ", k, " = 0; ", k, " < ", a.extents[1], "; ++", k, ") {  // ",
                         shape_text(a.extents), " x ", shape_text(b.extents)));
    enter();
    const std::string inner = a.extents[1] == 1 ? "0" : k;
    const Coordinates left{coordinates[0], inner}, right{inner, coordinates[1]};
    const std::string here = inside(a, left), there = inside(b, right);
    const std::string both = here.empty() || there.empty() ? here + there : here + " && " + there;
    if (!both.empty()) text_.line("if (!(" + both + ")) continue;");
    const std::string x = at(operation.operands[0], left), y = at(operation.operands[1], right);
    const bool integer = type.element == Element::s32;
    text_.line(integer
                   ? base::say(total, " += static_cast<int>(", x, ") * static_cast<int>(", y, ");")
                   : base::say(total, " = fmaf(", x, ", ", y, ", ", total, ");"));
    leave();
    text_.close();
    text_.line(base::say(to, "[at] = ", total, ";"));
    close_elements();
    barrier();
  }

  void write(const Operation& operation) {
    text_.place(operation.place);
    const Id from = operation.operands[0];
    const Coordinates coordinates = open_elements(function_.type(from).extents);
    const std::string condition = inside(function_.type(from), coordinates);
    const std::string value = at(from, coordinates);
    text_.line(store(operation, condition, value, coordinates));
    close_elements();
    ++stores_;
    if (stores_ > 1) barrier();  // another thread may write the same element next
  }

  // A dot onto the carried sums that nobody else reads: each element is read and written by one
  // thread.
  bool adds_in_place(const Operation& loop, std::size_t at) {
    const Region& body = loop.regions[0];
    const Id argument = body.arguments[at + 1], next = body.body.back().operands[at];
    const Operation* dot = definition(next);
    if (dot == nullptr || dot->code != Opcode::dot || dot->operands.size() != 3 ||
        dot->operands[2] != argument)
      return false;
    for (const Operation& one : body.body)
      if (&one == dot) return uses_[argument] == 1 && uses_[next] == 1;
    return false;
  }

  void loop(const Operation& operation) {
    const Region& body = operation.regions[0];
    const std::size_t count = operation.results.size();
    std::vector<std::string> next(count);
    for (std::size_t at_ = 0; at_ < count; ++at_) {
      const Id argument = body.arguments[at_ + 1];
      if (function_.type(argument).kind == Kind::tile) {
        const std::string name = slot(argument, "carried");
        fill(name, operation.operands[at_ + 2]);
        if (adds_in_place(operation, at_)) in_place_[body.body.back().operands[at_]] = argument;
        slots_[operation.results[at_]] = name;
      } else {
        const std::string name = name_for(argument, "carried");
        text_.line(base::say(cpp_type(function_.type(argument).element), " ", name, " = ",
                             at(operation.operands[at_ + 2], {}), ";"));
        remember(argument, {}, name);
        remember(operation.results[at_], {}, name);
      }
    }
    for (std::size_t at_ = 0; at_ < count; ++at_)
      if (function_.type(body.arguments[at_ + 1]).kind == Kind::tile &&
          !in_place_.contains(body.body.back().operands[at_]))
        next[at_] = slot_next(body.arguments[at_ + 1]);
    barrier();
    const std::string counter = name_for(body.arguments[0], "step");
    const std::string extent = at(operation.operands[0], {}), step = at(operation.operands[1], {});
    text_.open(base::say("for (int ", counter, " = 0; ", counter, " < ", extent, "; ", counter,
                         " += ", step, ") {"));
    enter();
    remember(body.arguments[0], {}, counter);
    region(body);
    // All next values are computed before one of the carried ones changes.
    std::vector<std::pair<std::string, std::string>> moved;
    for (std::size_t at_ = 0; at_ < count; ++at_) {
      const Id value = body.body.back().operands[at_], argument = body.arguments[at_ + 1];
      if (!next[at_].empty()) fill(next[at_], value);
      if (function_.type(argument).kind == Kind::tile) continue;
      const std::string fresh_value = fresh("next");
      text_.line(base::say("const ", cpp_type(function_.type(argument).element), " ", fresh_value,
                           " = ", at(value, {}), ";"));
      moved.emplace_back(at(argument, {}), fresh_value);
    }
    bool copies = false;
    for (const std::string& name : next) copies = copies || !name.empty();
    if (copies) barrier();
    for (std::size_t at_ = 0; at_ < count; ++at_) {
      if (next[at_].empty()) continue;
      open_elements({static_cast<int>(function_.type(body.arguments[at_ + 1]).size())});
      text_.line(base::say(slots_.at(body.arguments[at_ + 1]), "[at] = ", next[at_], "[at];"));
      close_elements();
    }
    for (const auto& [to, from] : moved) text_.line(to + " = " + from + ";");
    barrier();  // also what the next turn writes, this one has read
    leave();
    text_.close();
  }

  std::string slot_next(Id argument) {
    const std::string kept = slots_.at(argument);
    const Type& type = function_.type(argument);
    const std::string name = fresh(kept + "_next");
    text_.line(base::say(cpp_type(type.element), "* const ", name, " = reinterpret_cast<",
                         cpp_type(type.element), "*>(tiles + ", words_, ");  // ",
                         shape_text(type.extents)));
    words_ += type.element == Element::boolean ? (type.size() + 3) / 4 : type.size();
    return name;
  }

  void branch(const Operation& operation) {
    std::vector<std::string> to;
    for (const Id id : operation.results) {
      if (function_.type(id).kind != Kind::tile)
        base::refuse(base::Exit::usage, place_prefix(function_, operation),
                     "if: gives tiles; use where for one number");
      to.push_back(slot(id, "chosen"));
    }
    text_.open("if (" + at(operation.operands[0], {}) + ") {");
    for (std::size_t side = 0; side < 2; ++side) {
      enter();
      region(operation.regions[side]);
      const auto& values = operation.regions[side].body.back().operands;
      for (std::size_t at_ = 0; at_ < values.size(); ++at_) fill(to[at_], values[at_]);
      leave();
      text_.close(side == 0 ? "} else {" : "}");
      if (side == 0) text_.open_again();
    }
    barrier();
  }

  std::int64_t threads_, words_ = 0;
  int stores_ = 0;
  std::map<Id, std::string> slots_;
  std::map<Id, Id> in_place_;
  std::map<Id, int> uses_;
};

}  // namespace

Emitted emit_plain(const Function& function, const Plan& plan, const std::string& name) {
  Text text;
  Plain plain(function, plan, text);
  const int threads = static_cast<int>(plan.get("threads"));
  const std::string first = head(function, plain, name, threads);
  plain.body();
  const std::int64_t bytes = plain.shared_bytes();
  if (bytes > most_shared_bytes)
    base::refuse(base::Exit::usage, program_prefix(function),
                 "the tiles of the plain schedule take ", bytes,
                 " bytes of shared memory, a block has ", most_shared_bytes, "; use smaller tiles");
  const std::string tiles = bytes > 0 ? "  extern __shared__ float tiles[];\n" : "";
  return {name, without_unused(first + tiles + text.take() + "}\n"), threads,
          static_cast<int>(bytes)};
}

}  // namespace aisp::jit::emitting
