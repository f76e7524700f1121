// The rows schedule. A row belongs to so many threads; each has pieces of `vector` neighbours, in
// turns. What lies between two reductions is one pass over the row: values that a later pass needs
// stay in registers, or, where a row is too long for that, are computed again.
#include <algorithm>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/emit/row_access.hpp"
#include "jit/emit/row_passes.hpp"
#include "jit/emit/schedules.hpp"

namespace aisp::jit::emitting {

namespace {

class Rows : public RowAccess {
 public:
  Rows(const Function& function, const Signature& signature, const Plan& plan, Text& text)
      : RowAccess(function, signature, plan, text), at_once_(plan.get("rows_at_once")) {
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
    if (row_open_ && per_row_ > 32 && exchanges_ == 1)
      text_.line("__syncthreads();  // before the next row's warps meet in the same memory");
    if (row_open_) text_.close();
  }

 private:
  bool varies(Id id) const { return passes_->varies(id); }
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
    return RowAccess::leaf(operation, id, coordinates);
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
    finish(work, parts);
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
      std::string target;
      if (passes_->kept(id)) {
        target = arrays_[id] + "[c]";
      } else {
        target = name_for(id, parameter(tensor) + "_piece");
        text_.line(
            base::say(cpp_type(function_.type(id).element), " ", target, "[", vector_, "];"));
      }
      text_.line(access("load_piece", function_.parameters[tensor].element, view,
                        range(function_.type(view))) +
                 target + ");");
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
        text_.line(store(*root, range(joined(*root)).element(), value,
                         own(function_.type(root->operands[0]))));
        continue;
      }
      const std::string inside = range(function_.type(root->operands[0])).element();
      const Reduction reduction = root->attributes.reduction;
      const std::string& part = parts.at(root);
      const bool best = reduction == Reduction::argmax;
      const char* type = cpp_type(function_.type(root->operands[0]).element);
      text_.line(base::say(
          inside.empty() ? "" : "if (" + inside + ") ", part, " = ", combine_word(reduction), "{}(",
          part, ", ", best ? base::say("Best<", type, ">{", value, ", j}") : bare(value), ");"));
    }
    if (vector_ > 1) text_.close();
    leave();
    for (const auto* root : work)
      if (root->code == Opcode::store) {
        const Id view = root->operands[1];
        text_.line(access("store_piece", function_.type(view).element, view, range(joined(*root))) +
                   pieces[root] + ");" + shape_words(root->operands[0]));
      }
  }

  // The warps of a row meet once for all reductions of a pass.
  void finish(const std::vector<const Operation*>& work,
              std::map<const Operation*, std::string>& parts) {
    std::vector<const Operation*> reductions;
    for (const Operation* root : work)
      if (!is_store(*root)) reductions.push_back(root);
    if (reductions.empty()) return;
    const std::string lanes = base::say("<", std::min<std::int64_t>(per_row_, 32), ">(");
    std::map<const Operation*, std::string> warps;
    for (const Operation* root : reductions) {
      const Reduction reduction = root->attributes.reduction;
      const Element element = function_.type(root->operands[0]).element;
      const std::string combine = base::say(combine_word(reduction), "{}");
      std::string& part = parts[root];
      const std::string reduced = base::say("across_lanes", lanes, part, ", ", combine, ")");
      if (per_row_ <= 32) {
        part = reduced;
        continue;
      }
      text_.line(part + " = " + reduced + ";");
      const std::string type = reduction == Reduction::argmax
                                   ? base::say("Best<", cpp_type(element), ">")
                                   : std::string(cpp_type(element));
      warps[root] = fresh("of_warps");
      text_.line(base::say("__shared__ ", type, " ", warps[root], "[", per_row_ / 32, "];"));
      text_.line(base::say("if (lane % 32 == 0) ", warps[root], "[lane / 32] = ", part, ";"));
    }
    if (per_row_ > 32) text_.line("__syncthreads();");
    for (const Operation* root : reductions) {
      const Id id = root->results[0];
      const Reduction reduction = root->attributes.reduction;
      const std::string name = name_for(id, std::string(name_of(reduction)));
      const std::string all = per_row_ <= 32 ? parts[root]
                                             : base::say("across_warps(", warps[root], ", ",
                                                         combine_word(reduction), "{})");
      text_.line(base::say("const ", cpp_type(function_.type(id).element), " ", name, " = ",
                           reduction == Reduction::argmax ? "first_of(" + all + ")" : all, ";",
                           shape_words(id)));
      remember(id, own(function_.type(id)), name);
    }
    ++exchanges_;
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

  std::int64_t at_once_, rows_ = 1, chunks_ = 1;
  int exchanges_ = 0;
  bool row_open_ = false;
  std::set<Id> ready_;
  std::map<Id, std::string> arrays_;
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
