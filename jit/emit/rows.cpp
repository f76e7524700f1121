// The rows schedule. A row belongs to so many threads; each has pieces of `vector` neighbours, in
// turns. What lies between two reductions is one pass over the row: values that a later pass needs
// stay in registers, or, where a row is too long for that, are computed again.
#include <algorithm>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/emit/block.hpp"
#include "jit/emit/row_passes.hpp"
#include "jit/emit/schedules.hpp"

namespace aisp::jit::emitting {

namespace {

class Rows : public BlockExpressions {
 public:
  Rows(const Function& function, const Signature& signature, const Plan& plan, Text& text)
      : BlockExpressions(function, text),
        signature_(signature),
        shape_(plan.shape),
        vector_(plan.get("vector")),
        per_row_(plan.get("threads_per_row")),
        at_once_(plan.get("rows_at_once")),
        keeps_(plan.get("kept") != 0) {
    columns_ = shape_.back();
    for (const int extent : shape_) rows_ *= extent;
    rows_ /= columns_;
    chunks_ = (columns_ + vector_ * per_row_ - 1) / (vector_ * per_row_);
    passes_.emplace(function, columns_, keeps_);
  }

  void body() {
    for (const Operation& operation : function_.body.body) uniform(operation);
    text_.line(at_once_ == 1 ? "const int lane = threadIdx.x;"
                             : base::say("const int lane = threadIdx.x % ", per_row_, ";"));
    open_row();
    enter();
    for (int pass = 0; pass <= passes_->last(); ++pass) emit_pass(pass);
    for (const Operation& operation : function_.body.body)
      if (is_store(operation) && !varies(operation.operands[0])) store_one(operation);
    leave();
    if (row_open_) text_.close();
  }

 private:
  bool varies(Id id) const { return passes_->varies(id); }
  Coordinates own(const Type& type) const {
    Coordinates result;
    const std::size_t skip = shape_.size() - type.extents.size();
    for (std::size_t axis = 0; axis < type.extents.size(); ++axis)
      result.push_back(type.extents[axis] == 1 ? "0" : axes_[skip + axis]);
    return result;
  }
  std::string own_value(Id id) { return at(id, own(function_.type(id))); }

  void open_row() {
    axes_.assign(shape_.size(), "0");
    if (columns_ > 1) axes_.back() = "j";
    if (rows_ == 1 && at_once_ == 1) return;
    if (at_once_ > 1) text_.line(base::say("const int group = threadIdx.x / ", per_row_, ";"));
    row_open_ = rows_ > at_once_;
    if (row_open_)
      text_.open(base::say("for (int first = 0; first < ", rows_, "; first += ", at_once_, ") {"));
    text_.line(base::say("const int row = ", row_open_ ? "first" : "",
                         row_open_ && at_once_ > 1 ? " + " : "", at_once_ > 1 ? "group" : "", ";"));
    if (rows_ % at_once_ != 0) there_ = base::say("row < ", rows_);
    std::int64_t behind = rows_;
    for (std::size_t axis = 0; axis + 1 < shape_.size(); ++axis) {
      if (shape_[axis] == 1) continue;
      behind /= shape_[axis];
      if (shape_[axis] == rows_) {
        axes_[axis] = "row";
        continue;
      }
      axes_[axis] = fresh("row" + std::to_string(axis));
      text_.line(
          base::say("const int ", axes_[axis], " = row / ", behind, " % ", shape_[axis], ";"));
    }
  }

  // begin and end of what is inside along the row, by their names.
  std::pair<std::string, std::string> range(const Type& type) {
    const std::vector<Bound>& bounds = type.bounds;
    const auto found = ranges_.find({type.rank(), bounds});
    if (found != ranges_.end()) return found->second;
    std::vector<std::string> conditions, ends{std::to_string(columns_)}, begins;
    if (!there_.empty()) conditions.push_back(there_);
    for (const Bound& bound : bounds) {
      if (bound.axis + 1 == type.rank()) {
        const std::string start = at(bound.start, {}), extent = at(bound.extent, {});
        ends.push_back(start == "0" ? extent : extent + " - " + start);
        if (!never_negative(bound.start)) begins.push_back("-" + start);
        continue;
      }
      Type one = type;
      one.bounds = {bound};
      const std::string condition = inside(one, own(type));
      if (!condition.empty()) conditions.push_back(condition);
    }
    std::string end = ends[0];
    for (std::size_t at = 1; at < ends.size(); ++at)
      end = base::say("min(", end, ", ", ends[at], ")");
    if (!conditions.empty()) end = base::say(base::join(conditions, " && "), " ? ", end, " : 0");
    std::string begin = "0";
    for (const std::string& one : begins) begin = base::say("max(", begin, ", ", one, ")");
    std::pair<std::string, std::string> names{"0", fresh("end")};
    text_.line(base::say("const int ", names.second, " = ", end, ";"));
    if (!begins.empty()) {
      names.first = fresh("begin");
      text_.line(base::say("const int ", names.first, " = ", begin, ";"));
    }
    return ranges_[{type.rank(), bounds}] = names;
  }

  bool never_negative(Id id) const {
    const Operation* operation = definition(id);
    return operation != nullptr &&
           (operation->code == Opcode::block ||
            (operation->code == Opcode::constant && operation->attributes.number >= 0));
  }

  std::string stride_of(std::size_t tensor) const {
    return signature_.tensors[tensor].contiguous
               ? "1"
               : base::say(parameter(tensor), ".stride[", function_.parameters[tensor].rank - 1,
                           "]");
  }

  std::string row_pointer(Id view) {
    const auto found = pointers_.find(view);
    if (found != pointers_.end()) return found->second;
    const std::size_t tensor = tensor_of(view);
    const Type& type = function_.type(view);
    const Coordinates place = own(type);
    const bool output = function_.parameters[tensor].role == Parameter::Role::output;
    std::string text = base::say("static_cast<", output ? "" : "const ", "Code<",
                                 element_word(type.element), ">*>(", parameter(tensor), ".data)");
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      const std::string start = at(definition(view)->operands[axis], {});
      const bool last = axis + 1 == place.size();
      std::string position = last || place[axis] == "0" ? start
                             : start == "0"             ? place[axis]
                                                        : "(" + start + " + " + place[axis] + ")";
      if (position == "0") continue;
      const std::string stride =
          last ? stride_of(tensor) : base::say(parameter(tensor), ".stride[", axis, "]");
      text += " + " + position + (stride == "1" ? "" : " * " + stride);
    }
    const std::string name = fresh(parameter(tensor) + "_row");
    text_.line(base::say("auto* const ", name, " = ", text, ";"));
    return pointers_[view] = name;
  }

  std::string shape_words(Id id) const { return "  // " + shape_text(function_.type(id).extents); }

  std::string leaf(const Operation& operation, Id id, const Coordinates& coordinates) override {
    if (operation.code == Opcode::reduce) {  // of a row of one element
      if (operation.attributes.reduction == Reduction::argmax) return "0";
      const Type& from = function_.type(operation.operands[0]);
      const std::string condition = inside(from, own(from)),
                        value = own_value(operation.operands[0]);
      return condition.empty()
                 ? value
                 : base::say("(", condition, " ? ", value, " : ",
                             neutral(operation.attributes.reduction, from.element), ")");
    }
    return BlockExpressions::leaf(operation, id, coordinates);
  }

  std::string standing(Id id, const Coordinates&) override {
    const auto found = arrays_.find(id);
    return found == arrays_.end() || !ready_.contains(id)
               ? ""
               : found->second + (vector_ > 1 ? "[c][i]" : "[c][0]");
  }

  void emit_pass(int pass) {
    const std::vector<const Operation*> work = passes_->roots(pass);
    if (work.empty()) return;
    const RowNeeds& needs = passes_->needs(pass);
    for (const Id id : needs.uniform) own_value(id);
    std::map<const Operation*, std::string> parts;
    for (const Id id : needs.loads) {
      const Id view = definition(id)->operands[0];
      row_pointer(view);
      range(function_.type(view));
      if (passes_->kept(id)) keep(id, name_for(id, "kept"));
    }
    for (const Id id : needs.computed)
      if (passes_->kept(id))
        keep(id, fresh("kept_" + (function_.values[id].name.empty()
                                      ? std::string(name_of(definition(id)->code))
                                      : function_.values[id].name)));
    for (const Operation* root : work) {
      if (is_store(*root)) {
        if (root->code == Opcode::store) row_pointer(root->operands[1]);
        range(joined(*root));
        continue;
      }
      range(function_.type(root->operands[0]));
      const Element element = function_.type(root->operands[0]).element;
      const Reduction reduction = root->attributes.reduction;
      const std::string part = fresh("part");
      const bool best = reduction == Reduction::argmax;
      text_.line(base::say(
          best ? base::say("Best<", cpp_type(element), ">") : std::string(cpp_type(element)), " ",
          part, " = ",
          best ? base::say("{", neutral(reduction, element), ", 0x7fffffff}")
               : neutral(reduction, element),
          ";"));
      parts[root] = part;
    }
    text_.place(work[0]->place);
    open_columns(work, needs);
    columns(work, needs, parts);
    text_.close();
    leave();
    for (const auto& array : arrays_) ready_.insert(array.first);
    for (const Operation* root : work)
      if (!is_store(*root)) finish(*root, parts[root]);
  }

  void keep(Id id, const std::string& name) {
    arrays_[id] = name;
    text_.line(base::say(cpp_type(function_.type(id).element), " ", name, "[", chunks_, "][",
                         vector_, "];", shape_words(id)));
  }

  Type joined(const Operation& store) const {
    Type type = function_.type(store.operands[0]);
    std::vector<Bound> bounds = type.bounds;
    const auto& more = function_.type(store.operands[1]).bounds;
    bounds.insert(bounds.end(), more.begin(), more.end());
    return tile_type(type.element, type.extents, bounds);
  }

  void open_columns(const std::vector<const Operation*>&, const RowNeeds&) {
    enter();
    if (keeps_) {
      text_.line("#pragma unroll");
      text_.open(base::say("for (int c = 0; c < ", chunks_, "; ++c) {"));
      text_.line(base::say("const int column = (c * ", per_row_, " + lane)",
                           vector_ > 1 ? base::say(" * ", vector_) : "", ";"));
    } else {
      text_.open(base::say("for (int column = lane", vector_ > 1 ? base::say(" * ", vector_) : "",
                           "; column < ", columns_, "; column += ", per_row_ * vector_, ") {"));
    }
  }

  void columns(const std::vector<const Operation*>& work, const RowNeeds& needs,
               const std::map<const Operation*, std::string>& parts) {
    const std::string element_index = vector_ > 1 ? "[i]" : "[0]";
    for (const Id id : needs.loads) {
      const Id view = definition(id)->operands[0];
      const std::size_t tensor = tensor_of(view);
      const auto [begin, end] = range(function_.type(view));
      std::string target;
      if (passes_->kept(id)) {
        target = arrays_[id] + "[c]";
      } else {
        target = name_for(id, parameter(tensor) + "_piece");
        text_.line(
            base::say(cpp_type(function_.type(id).element), " ", target, "[", vector_, "];"));
      }
      text_.line(base::say("load_piece<", element_word(function_.parameters[tensor].element), ">(",
                           row_pointer(view), ", ", stride_of(tensor), ", column, ", begin, ", ",
                           end, ", ", target, ");"));
      remember(id, own(function_.type(id)), target + element_index);
    }
    std::map<const Operation*, std::string> pieces;
    for (const Operation* root : work)
      if (root->code == Opcode::store) {
        pieces[root] = fresh(parameter(tensor_of(root->operands[1])) + "_piece");
        text_.line(base::say(cpp_type(function_.type(root->operands[0]).element), " ", pieces[root],
                             "[", vector_, "];"));
      }
    enter();
    if (vector_ > 1) {
      text_.line("#pragma unroll");
      text_.open(base::say("for (int i = 0; i < ", vector_, "; ++i) {"));
      text_.line("const int j = column + i;");
    } else {
      text_.line("const int j = column;");
    }
    for (const Id id : needs.computed)
      if (passes_->kept(id))
        text_.line(base::say(arrays_[id], "[c]", element_index, " = ", own_value(id), ";"));
    for (const Operation* root : work) {
      const std::string value = own_value(root->operands[0]);
      if (root->code == Opcode::store) {
        text_.line(base::say(pieces[root], element_index, " = ", bare(value), ";"));
        continue;
      }
      if (root->code == Opcode::reduce_store) {
        const auto [begin, end] = range(joined(*root));
        text_.line(store(*root, base::say("j >= ", begin, " && j < ", end), value,
                         own(function_.type(root->operands[0]))));
        continue;
      }
      const auto [begin, end] = range(function_.type(root->operands[0]));
      const Reduction reduction = root->attributes.reduction;
      const std::string& part = parts.at(root);
      const bool best = reduction == Reduction::argmax;
      const char* type = cpp_type(function_.type(root->operands[0]).element);
      text_.line(base::say("if (", begin == "0" ? "" : "j >= " + begin + " && ", "j < ", end, ") ",
                           part, " = ", combine_word(reduction), "{}(", part, ", ",
                           best ? base::say("Best<", type, ">{", value, ", j}") : bare(value),
                           ");"));
    }
    if (vector_ > 1) text_.close();
    leave();
    for (const auto* root : work)
      if (root->code == Opcode::store) {
        const Id view = root->operands[1];
        const auto [begin, end] = range(joined(*root));
        text_.line(base::say("store_piece<", element_word(function_.type(view).element), ">(",
                             row_pointer(view), ", ", stride_of(tensor_of(view)), ", column, ",
                             begin, ", ", end, ", ", pieces[root], ");",
                             shape_words(root->operands[0])));
      }
  }

  void finish(const Operation& root, const std::string& part) {
    const Id id = root.results[0];
    const Reduction reduction = root.attributes.reduction;
    const Element element = function_.type(root.operands[0]).element;
    const bool best = reduction == Reduction::argmax;
    const std::string name = name_for(id, std::string(name_of(reduction)));
    const std::string least = best ? base::say("Best<", cpp_type(element), ">{",
                                               neutral(reduction, element), ", 0x7fffffff}")
                                   : neutral(reduction, element);
    text_.line(base::say("const ", cpp_type(function_.type(id).element), " ", name, " = ",
                         best ? "first_of(" : "", "across_row<", per_row_, ">(", part, ", ", least,
                         ", ", combine_word(reduction), "{})", best ? ")" : "", ";",
                         shape_words(id)));
    remember(id, own(function_.type(id)), name);
  }

  void store_one(const Operation& operation) {
    text_.place(operation.place);
    const Type& type = function_.type(operation.operands[0]);
    const std::string value = own_value(operation.operands[0]);
    std::string condition = "lane == 0";
    if (!there_.empty()) condition += " && " + there_;
    const std::string in = inside(type, own(type));
    if (!in.empty()) condition += " && " + in;
    text_.line(store(operation, condition, value, own(type)) + shape_words(operation.operands[0]));
  }

  const Signature& signature_;
  std::vector<int> shape_;
  std::int64_t vector_, per_row_, at_once_, columns_ = 1, rows_ = 1, chunks_ = 1;
  bool keeps_, row_open_ = false;
  std::string there_;
  Coordinates axes_;
  std::set<Id> ready_;
  std::map<Id, std::string> arrays_, pointers_;
  std::map<std::pair<int, std::vector<Bound>>, std::pair<std::string, std::string>> ranges_;
  std::optional<RowPasses> passes_;
};

}  // namespace

Emitted emit_rows(const Function& function, const Signature& signature, const Plan& plan,
                  const std::string& name) {
  Text text;
  Rows rows(function, signature, plan, text);
  const int threads = static_cast<int>(plan.get("threads_per_row") * plan.get("rows_at_once"));
  const std::string first = head(function, rows, name, threads);
  rows.body();
  return {name, without_unused(first + text.take() + "}\n"), threads, 0};
}

}  // namespace aisp::jit::emitting
