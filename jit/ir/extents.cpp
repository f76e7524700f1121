#include "jit/ir/extents.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/ir/demands.hpp"
#include "jit/ir/signature.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {

namespace {

constexpr const char* way_out =
    "; give them the same extents, or pass the part that is meant: Tensor(data, extents, strides)";
constexpr const char* way_out_of_store =
    "; give it the extents that are stored, or write store_part() where the rest is to stay as it "
    "is";
constexpr const char* way_out_of_overlap =
    "; store a tile as long as the step of its blocks, or write store_part() where blocks store "
    "the "
    "same on purpose";

// Part of an axis, and what ends it.
struct Part {
  Sweep sweep;
  std::int64_t low = 0, high = 0;
  const Constraint* cut = nullptr;  // null: the blocks or the loop
  bool others = false;              // some constraint may cut more, which is not known
};

struct Access {
  const Operation* operation = nullptr;
  std::size_t tensor = 0;
  const Operation* view = nullptr;
  bool conditional = false;
};

class Judge {
 public:
  Judge(const Function& function, const CallExtents& extents)
      : function_(function),
        extents_(extents),
        forms_(function, extents),
        demands_(function, forms_) {
    find(function.body, false);
  }

  void check() const {
    for (const Access& load : loads_)
      for (const Use& use : demands_.uses(load.operation->results[0]))
        if (!use.part) check_load(load, use);
    for (const Access& store : stores_)
      if (!is_partial(*store.operation)) {
        check_overlap(store);
        check_stored(store);
      }
    for (std::size_t at = 0; at < function_.parameters.size(); ++at)
      if (function_.parameters[at].role == Parameter::Role::output) check_output(at);
  }

 private:
  void find(const Region& region, bool conditional) {
    for (const Operation& one : region.body) {
      for (const Region& inner : one.regions)
        find(inner, conditional || one.code == Opcode::branch);
      const bool load = one.code == Opcode::load,
                 store = one.code == Opcode::store || one.code == Opcode::reduce_store;
      if (!load && !store) continue;
      const Operation* view = forms_.definition(one.operands[load ? 0 : 1]);
      const Access made{&one, static_cast<std::size_t>(view->attributes.integers[0]), view,
                        conditional};
      (load ? loads_ : stores_).push_back(made);
      if (store && (conditional || one.code == Opcode::reduce_store || is_partial(one)))
        partly_.insert(made.tensor);
    }
  }

  std::int64_t extent(std::size_t tensor, std::size_t axis) const { return extents_[tensor][axis]; }
  std::string shape(std::size_t tensor) const {
    std::vector<std::string> words;
    for (const std::int64_t one : extents_[tensor]) words.push_back(std::to_string(one));
    return base::say(function_.parameters[tensor].name, " (tensor ", tensor, ") is (",
                     base::join(words, ", "), ")");
  }
  static std::string elements(std::int64_t first, std::int64_t end) {
    return end - first == 1 ? base::say("element ", first)
                            : base::say("elements ", first, " to ", end - 1);
  }
  // What ends the part, in words: another tensor, or what the program goes over.
  std::string ended_by(const Part& part, std::size_t own) const {
    if (part.cut != nullptr && part.cut->tensor != static_cast<int>(own))
      return shape(static_cast<std::size_t>(part.cut->tensor));
    const Operation* by = part.sweep.by;
    if (part.cut != nullptr || by == nullptr)
      return base::say("the program takes ", part.high - part.low, " of it");
    return base::say(by->code == Opcode::block ? "blocks()" : "the loop",
                     by->place.line == 0 ? "" : " at " + by->place.text(), " goes over ",
                     std::max<std::int64_t>(part.sweep.asked - part.sweep.low, 0));
  }

  Part part(const Access& access, std::size_t axis, const std::vector<Constraint>& all) const {
    const Affine start = forms_.form(access.view->operands[axis]);
    const std::int64_t tile = access.view->attributes.integers[axis + 1];
    Part made{forms_.sweep(start, tile)};
    made.low = made.sweep.low, made.high = made.sweep.high;
    for (const Constraint& one : all) {
      if (one.axis >= 0 && one.axis != static_cast<int>(axis)) continue;
      const auto moved = IndexForms::difference(one.start, start);
      if (!moved) {
        made.others = made.others || !one.start.terms.empty();
        continue;
      }
      const std::int64_t rest = one.axis >= 0 ? 0 : tile - 1;  // of the tile that starts there
      if (one.high - *moved + rest < made.high) {
        made.high = one.high - *moved + rest;
        made.cut = &one;
      }
      made.low = std::max(made.low, one.low - *moved);
    }
    return made;
  }

  // Elements that are loaded and left out, and places behind the end that are used as if they were
  // elements.
  void check_load(const Access& load, const Use& use) const {
    const std::vector<std::int64_t>& own = extents_[load.tensor];
    if (std::find(own.begin(), own.end(), 0) != own.end()) return;
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      const Part made = part(load, axis, use.constraints);
      const Sweep& sweep = made.sweep;
      // A row + 10 of the lambda, and rows apart from each other, take a part on purpose.
      const Affine& written =
          function_.values[static_cast<std::size_t>(load.view->operands[axis])].affine;
      const bool on_purpose = sweep.gaps || (sweep.iterates && written.constant != 0);
      const std::int64_t meant = sweep.iterates ? own[axis] : std::min(own[axis], sweep.high);
      if (made.high < meant && !on_purpose && !taken_elsewhere(load, axis, meant))
        base::refuse(base::Exit::usage, place_prefix(function_, *load.operation),
                     "load: ", shape(load.tensor), ", and ", ended_by(made, load.tensor), ": ",
                     elements(std::max<std::int64_t>(made.high, 0), meant), " of axis ", axis,
                     " of ", function_.parameters[load.tensor].name, " would be left out", way_out);
      const bool one_element = load.view->attributes.integers[axis + 1] == 1;
      const bool used = sweep.known && use.certain && !made.others && made.low < made.high;
      if (one_element && used && (made.high > own[axis] || made.low < 0))
        base::refuse(base::Exit::usage, place_prefix(function_, *load.operation),
                     "load: ", shape(load.tensor), ", and ",
                     made.low < 0 ? base::say("is read at ", made.low)
                                  : base::say(ended_by(made, load.tensor), ", up to ",
                                              elements(made.high - 1, made.high)),
                     " of axis ", axis, ": what is outside of ",
                     function_.parameters[load.tensor].name, " would be read as 0", way_out);
    }
  }

  // Another load of the tensor takes the rest.
  bool taken_elsewhere(const Access& load, std::size_t axis, std::int64_t end) const {
    const Affine start = forms_.form(load.view->operands[axis]);
    for (const Access& other : loads_) {
      if (other.tensor != load.tensor || forms_.form(other.view->operands[axis]) == start) continue;
      for (const Use& use : demands_.uses(other.operation->results[0]))
        if (part(other, axis, use.constraints).high >= end) return true;
    }
    return false;
  }

  // How many elements along the axis the first block stores; nothing where that is not known.
  std::optional<std::int64_t> stored_by_first(const Access& store, std::size_t axis) const {
    const Type& value = function_.type(store.operation->operands[0]);
    for (const Bound& bound : value.bounds)
      if (forms_.definition(bound.extent)->code != Opcode::extent || !forms_.number(bound.extent))
        return {};
    std::int64_t count = store.view->attributes.integers[axis + 1];
    for (const Constraint& one : demands_.constraints(value)) {
      const std::int64_t start = one.start.constant;  // there, and in the first turn of loops
      if (start < one.low) return {};
      if (one.axis == static_cast<int>(axis)) count = std::min(count, one.high - start);
      if (one.axis < 0 && start >= one.high) return 0;
    }
    return std::max<std::int64_t>(count, 0);
  }

  // Two blocks that store to the same elements: which of them is the last is not defined.
  void check_overlap(const Access& store) const {
    if (store.conditional || store.operation->code == Opcode::reduce_store) return;
    struct Overlap {
      std::size_t axis;
      std::int64_t stored, step;
    };
    std::map<Id, Overlap> over;  // by the position of blocks
    std::set<Id> apart;          // positions along which other tiles have other elements
    for (std::size_t axis = 0; axis < extents_[store.tensor].size(); ++axis) {
      const auto known = stored_by_first(store, axis);
      const std::int64_t stored = std::min(known.value_or(0), extent(store.tensor, axis));
      for (const auto& [symbol, step] : forms_.form(store.view->operands[axis]).terms)
        if (forms_.differs_between_blocks(symbol) && step > 0 && step < stored)
          over.insert({symbol, {axis, stored, step}});
        else
          apart.insert(symbol);
    }
    for (const auto& [symbol, found] : over)
      if (!apart.contains(symbol))
        base::refuse(base::Exit::usage, place_prefix(function_, *store.operation),
                     "store: ", shape(store.tensor), ", and each block stores ", found.stored,
                     " elements of axis ", found.axis, ", ", found.step,
                     found.step == 1 ? " element" : " elements",
                     " behind the block before it: blocks would overwrite each other",
                     way_out_of_overlap);
  }

  // Elements that are stored for certain, and that the output has no place for.
  void check_stored(const Access& store) const {
    for (std::size_t axis = 0; axis < extents_[store.tensor].size(); ++axis) {
      const Affine start = forms_.form(store.view->operands[axis]);
      const Sweep sweep = forms_.sweep(start, store.view->attributes.integers[axis + 1]);
      const std::int64_t most = extent(store.tensor, axis);
      std::vector<Constraint> bounds =
          demands_.constraints(function_.type(store.operation->operands[0]));
      std::erase_if(bounds, [&](const Constraint& one) {
        return one.axis >= 0 && one.axis != static_cast<int>(axis);
      });
      // Bounds at a place of their own cut the tiles of all blocks alike.
      const bool alike = std::all_of(bounds.begin(), bounds.end(), [&](const Constraint& one) {
        return one.axis >= 0 && one.start.terms.empty() && !start.terms.empty();
      });
      const auto stored = stored_by_first(store, axis);
      if (!sweep.known || !alike || !stored) continue;
      const std::int64_t end = bounds.empty() ? sweep.asked : sweep.last_start + *stored;
      const bool of_class =
          bounds.empty() && !sweep.iterates && is_length_of_whole(end - sweep.low);
      if (end <= most || of_class) continue;
      base::refuse(base::Exit::usage, place_prefix(function_, *store.operation),
                   "store: ", shape(store.tensor), ", and ", end, " elements of axis ", axis,
                   " are stored to it: ", elements(most, end), " would be left out",
                   way_out_of_store);
    }
  }

  // Whether a load of a whole axis has such a tile: it may be longer than the axis, and so are the
  // tiles that a program makes beside it.
  bool is_length_of_whole(std::int64_t length) const {
    return std::any_of(loads_.begin(), loads_.end(), [&](const Access& load) {
      for (std::size_t axis = 0; axis < extents_[load.tensor].size(); ++axis)
        if (load.view->attributes.integers[axis + 1] == length &&
            width_class(extent(load.tensor, axis)) == length)
          return true;
      return false;
    });
  }

  void check_output(std::size_t tensor) const {
    const std::vector<std::int64_t>& own = extents_[tensor];
    if (partly_.contains(tensor) || std::find(own.begin(), own.end(), 0) != own.end()) return;
    std::vector<std::vector<Part>> boxes;
    std::vector<std::vector<Constraint>> kept;  // what parts point to
    kept.reserve(stores_.size());
    const Access* last = nullptr;
    bool gaps = false;
    std::int64_t written = 0, all = 1;
    for (const std::int64_t one : own) all *= one;
    for (const Access& store : stores_) {
      if (store.tensor != tensor) continue;
      last = &store;
      kept.push_back(demands_.constraints(function_.type(store.operation->operands[0])));
      std::vector<Part> box;
      std::int64_t elements_of_box = 1;
      for (std::size_t axis = 0; axis < own.size(); ++axis) {
        box.push_back(part(store, axis, kept.back()));
        const Sweep& sweep = box.back().sweep;
        const std::int64_t most = std::max<std::int64_t>(
            std::min(box.back().high, own[axis]) - std::max<std::int64_t>(box.back().low, 0), 0);
        gaps = gaps || sweep.gaps;
        elements_of_box *=
            sweep.gaps ? std::min(most, sweep.tiles * store.view->attributes.integers[axis + 1])
                       : most;
      }
      written += elements_of_box;
      boxes.push_back(std::move(box));
    }
    if (last == nullptr) return;  // refused when it was traced
    if (written < all && boxes.size() == 1) refuse_unwritten(*last, boxes[0]);
    if (!gaps && boxes.size() > 1) check_union(*last, boxes);
    if (written < all)
      base::refuse(base::Exit::usage, place_prefix(function_, *last->operation),
                   "store: ", shape(tensor), ", and its ", boxes.size(), " stores write at most ",
                   written, " of ", all, " elements: the others would stay unwritten",
                   way_out_of_store);
  }

  [[noreturn]] void refuse_unwritten(const Access& store, const std::vector<Part>& box) const {
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const std::int64_t end = extent(store.tensor, axis);
      const Part& one = box[axis];
      std::string what;
      if (one.high < end)
        what = base::say(ended_by(one, store.tensor), ": ",
                         elements(std::max<std::int64_t>(one.high, 0), end));
      else if (one.low > 0)
        what = base::say("what is stored starts at ", one.low, ": ", elements(0, one.low));
      else if (one.sweep.gaps)
        what = "tiles are stored with gaps between them: elements";
      if (what.empty()) continue;
      base::refuse(base::Exit::usage, place_prefix(function_, *store.operation),
                   "store: ", shape(store.tensor), ", and ", what, " of axis ", axis, " of ",
                   function_.parameters[store.tensor].name, " would stay unwritten",
                   way_out_of_store);
    }
    base::refuse(base::Exit::usage, place_prefix(function_, *store.operation),
                 "store: ", shape(store.tensor), ", and part of it would stay unwritten",
                 way_out_of_store);
  }

  // All cells of the grid that the ends of the boxes make are inside of one of them.
  void check_union(const Access& store, const std::vector<std::vector<Part>>& boxes) const {
    const std::vector<std::int64_t>& own = extents_[store.tensor];
    std::vector<std::vector<std::int64_t>> cuts(own.size());
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      std::set<std::int64_t> ends{0};
      for (const auto& box : boxes)
        for (const std::int64_t end : {box[axis].low, box[axis].high})
          if (end > 0 && end < own[axis]) ends.insert(end);
      cuts[axis].assign(ends.begin(), ends.end());
    }
    std::vector<std::size_t> at(own.size());
    for (bool more = true; more;) {
      const bool inside = std::any_of(boxes.begin(), boxes.end(), [&](const auto& box) {
        for (std::size_t axis = 0; axis < own.size(); ++axis)
          if (cuts[axis][at[axis]] < box[axis].low || cuts[axis][at[axis]] >= box[axis].high)
            return false;
        return true;
      });
      if (!inside) refuse_hole(store, cuts, at, boxes.size());
      more = false;
      for (std::size_t axis = own.size(); axis-- > 0 && !more;) {
        more = ++at[axis] < cuts[axis].size();
        if (!more) at[axis] = 0;
      }
    }
  }

  [[noreturn]] void refuse_hole(const Access& store,
                                const std::vector<std::vector<std::int64_t>>& cuts,
                                const std::vector<std::size_t>& at, std::size_t stores) const {
    std::vector<std::string> words;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      words.push_back(std::to_string(cuts[axis][at[axis]]));
    base::refuse(base::Exit::usage, place_prefix(function_, *store.operation),
                 "store: ", shape(store.tensor), ", and none of its ", stores,
                 " stores writes element (", base::join(words, ", "), ")", way_out_of_store);
  }

  const Function& function_;
  const CallExtents& extents_;
  IndexForms forms_;
  Demands demands_;
  std::vector<Access> loads_, stores_;
  std::set<std::size_t> partly_;  // outputs that are added to, or stored to under a condition
};

}  // namespace

void refuse_disagreeing_extents(const Function& function, const CallExtents& extents) {
  Judge(function, extents).check();
}

}  // namespace aisp::jit
