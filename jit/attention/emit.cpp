#include "jit/attention/emit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/refuse.hpp"
#include "jit/attention/array_text.hpp"
#include "jit/attention/dependence.hpp"
#include "jit/emit/expressions.hpp"

namespace aisp::jit {

namespace {

using emitting::Coordinates;

// Where a value is computed: once a tile, a row, a column, or for every score. What of a key comes
// out of memory one lane reads for others.
enum Level { of_tile, of_row, of_fetched, of_key, of_element };
constexpr std::array<const char*, 5> structs{"tile", "row", "fetched", "key", ""};

// Rows and keys beyond the ends are computed with and thrown away: they may be anything.
constexpr const char* watched_score =
    R"(  __device__ __forceinline__ float score(float product, const Tile& tile, const Row& row, const Key& key) const {
    const float made = changed(product, tile, row, key);
    const bool inside = row.at_ < tile.place_.queries && key.at_ < tile.place_.keys;
    if (made != made && product == product && inside && mask(tile, row, key) &&
        atomicExch(&found_->there, 1u) == 0u) {
      found_->sequence = tile.place_.sequence;
      found_->head = tile.place_.head;
      found_->query = row.at_ + tile.shift;
      found_->key = key.at_;
      found_->product = product;
    }
    return made;
  }
)";

class FunctionsEmitter : emitting::Expressions {
 public:
  FunctionsEmitter(const NormalForm& form, const FunctionText& options)
      : Expressions(form.function, unused_),
        form_(form),
        options_(options),
        dependence_(dependences(form.function)),
        arrays_(array_names(form.function)) {
    for (const Operation& one : form.function.body.body)
      for (const Id id : one.results) operations_[id] = &one;
    for (int at = 0; at < given_count; ++at)
      givens_[form.function.body.arguments[static_cast<std::size_t>(at)]] = static_cast<Given>(at);
  }

  std::string made() {
    if (options_.finds_nan) keep_places();
    const std::string score = body(score_of(form_.function), "float");
    const std::string mask =
        options_.masks ? body(mask_of(form_.function), "bool") : "    return true;\n";
    std::string text = base::say(
        "struct Functions {\n  static constexpr bool modifies = ",
        form_.modifies ? "true" : "false", ", masks = ", options_.masks ? "true" : "false",
        ";\n  static constexpr int polynomials = ", options_.polynomials, ";\n",
        array_members(form_.function), "  float scale_, inverse_scale_, softmax_scale_;\n",
        options_.finds_nan ? "  FoundNan* found_;\n" : "", "\n",
        "  struct Tile {\n    int shift, query_start, key_start;\n", members_[of_tile], "  };\n",
        "  struct Row {\n", members_[of_row], "  };\n  struct Fetched {\n", members_[of_fetched],
        "  };\n  struct Key {\n    Fetched fetched;\n", members_[of_key], "  };\n");
    text += base::say(
        "  __device__ __forceinline__ Tile tile(const aisp::tile::AttentionPlace& place) const {\n",
        "    Tile tile{};\n    tile.shift = place.keys - place.queries;\n",
        "    tile.query_start = place.query_start;\n    tile.key_start = place.key_start;\n",
        lines_[of_tile], "    return tile;\n  }\n",
        "  __device__ __forceinline__ Row row(const Tile& tile, int at) const {\n    Row row{};\n",
        lines_[of_row], "    return row;\n  }\n",
        "  __device__ __forceinline__ Fetched fetch(const Tile& tile, int key_of) const {\n",
        "    Fetched fetched{};\n", lines_[of_fetched], "    return fetched;\n  }\n",
        "  __device__ __forceinline__ static Fetched from(const Fetched& own, int lane) {\n",
        "    Fetched fetched{};\n", shuffles_, "    return fetched;\n  }\n",
        "  __device__ __forceinline__ Key key(const Tile& tile, int first, int column, const "
        "Fetched& "
        "fetched) const {\n",
        "    Key key{fetched};\n", lines_[of_key], "    return key;\n  }\n",
        "  __device__ __forceinline__ float ", options_.finds_nan ? "changed" : "score",
        "(float product, const Tile& tile, const Row& row, const Key& key) const {\n", score,
        "  }\n", options_.finds_nan ? watched_score : "",
        "  __device__ __forceinline__ bool mask(const Tile& tile, const Row& row, const Key& key) "
        "const {\n",
        mask, "  }\n",
        "  __device__ __forceinline__ float scale(const Tile&) const { return softmax_scale_; }\n",
        "};\n");
    return text;
  }

 private:
  // Names that no value of the user's has: those end in a number or are given ones.
  void keep_places() {
    members_[of_tile] += "    aisp::tile::AttentionPlace place_;\n";
    lines_[of_tile] += "    tile.place_ = place;\n";
    members_[of_row] += "    int at_;\n";
    lines_[of_row] += "    row.at_ = at;\n";
    members_[of_key] += "    int at_;\n";
    lines_[of_key] += "    key.at_ = first + column;\n";
  }

  std::string leaf(const Operation&, Id, const Coordinates&) override { return ""; }

  Level level(Id id) const {
    const unsigned on = dependence_[static_cast<std::size_t>(id)];
    if ((on & depends::score) != 0) return of_element;
    const bool key = (on & depends::key) != 0, query = (on & depends::query) != 0;
    if (key && !query && (on & depends::memory) != 0 && reads_at_key(id)) return of_fetched;
    return key && query ? of_element : key ? of_key : query ? of_row : of_tile;
  }

  // Its value comes out of memory at a place that the key says.
  bool reads_at_key(Id id) const {
    const auto found = operations_.find(id);
    if (found == operations_.end()) return false;
    const Operation& one = *found->second;
    const auto of_a_key = [&](Id operand) {
      return (dependence_[static_cast<std::size_t>(operand)] & depends::key) != 0;
    };
    if (one.code == Opcode::gather && of_a_key(one.operands[0])) return true;
    return std::any_of(one.operands.begin(), one.operands.end(),
                       [&](Id operand) { return reads_at_key(operand); });
  }
  // The key itself, and what is computed of it on the way to memory, is there for each lane's own.
  std::string value_for_fetch(Id id) {
    if (level(id) != of_key) return value(id);
    if (fetching_.insert(id).second)
      lines_[of_fetched] += base::say("    const ", type(id), " own_", named(id), " = ",
                                      emitting::bare(computed(id, of_fetched)), ";\n");
    return base::say("own_", named(id));
  }

  // The statements of one function of an element, ending in its result.
  std::string body(Id root, const char* type) {
    here_.clear();
    lines_[of_element].clear();
    const std::string result = value(root);
    return base::say(lines_[of_element], "    return static_cast<", type, ">(",
                     emitting::bare(result), ");\n");
  }

  // The text of a value; what is needed for it is written on the way.
  std::string value(Id id) {
    const auto operation = operations_.find(id);
    if (operation != operations_.end() && operation->second->code == Opcode::constant)
      return emitting::literal(operation->second->attributes.number,
                               form_.function.type(id).element);
    if (id == argument(form_.function, Given::score)) return "product";
    if (id == argument(form_.function, Given::scale)) return "scale_";
    if (id == argument(form_.function, Given::inverse_scale)) return "inverse_scale_";
    const Level own = level(id);
    const std::string name = named(id);
    if (own == of_element) {
      if (here_.insert(id).second)
        lines_[own] += base::say("    const ", type(id), " ", name, " = ",
                                 emitting::bare(computed(id, own)), ";\n");
      return name;
    }
    if (written_.insert(id).second) {
      const std::string text = computed(id, own);
      members_[own] += base::say("    ", type(id), " ", name, ";\n");
      if (own == of_fetched)
        shuffles_ +=
            base::say("    fetched.", name, " = __shfl_sync(0xffffffff, own.", name, ", lane);\n");
      lines_[own] += base::say("    ", structs[own], ".", name, " = ", emitting::bare(text), ";\n");
    }
    return base::say(own == of_fetched && !in_fetch_ ? "key." : "", structs[own], ".", name);
  }

  std::string named(Id id) {
    auto [at, fresh_one] = names_.try_emplace(id);
    if (fresh_one) {
      const auto given = givens_.find(id);
      const std::string& own = form_.function.values[static_cast<std::size_t>(id)].name;
      at->second = given != givens_.end()
                       ? std::string(given_names[static_cast<std::size_t>(given->second)])
                   : own.empty() ? base::say(name_of(operations_.at(id)->code), "_", id)
                                 : fresh(own);
    }
    return at->second;
  }
  const char* type(Id id) const { return emitting::cpp_type(form_.function.type(id).element); }

  std::string computed(Id id, Level at) {
    const auto given = givens_.find(id);
    const bool outside = in_fetch_;
    in_fetch_ = at == of_fetched;
    const std::string text =
        given != givens_.end() ? of_given(given->second) : of_operation(id, at);
    in_fetch_ = outside;
    return text;
  }
  std::string of_operation(Id id, Level at) {
    const Operation& one = *operations_.at(id);
    if (const std::string column = along_columns(one, at); !column.empty()) return column;
    std::vector<std::string> of;
    for (const Id operand : one.operands)
      of.push_back(at == of_fetched ? value_for_fetch(operand) : value(operand));
    switch (one.code) {
      case Opcode::gather:
        return base::say("read(", arrays_[static_cast<std::size_t>(one.attributes.integers[0])],
                         ", ", emitting::bare(of[0]), ")");
      case Opcode::tanh:
        return base::say(options_.precise ? "tanh_f32(" : "aisp::tile::arch::tanh_approximate(",
                         emitting::bare(of[0]), ")");
      case Opcode::sigmoid:
        if (!options_.precise)
          return base::say("fmaf(0.5f, aisp::tile::arch::tanh_approximate(0.5f * ", of[0],
                           "), 0.5f)");
        break;
      case Opcode::div:
        if (const auto divisor = operations_.find(one.operands[1]);
            form_.function.type(id).element == Element::f32 && divisor != operations_.end() &&
            divisor->second->code == Opcode::constant) {
          const double inverse = 1 / divisor->second->attributes.number;
          if (std::fabs(inverse) < 0x1p120 && std::fabs(inverse) > 0x1p-120)
            return base::say("(", of[0], " * ", emitting::literal(inverse, Element::f32), ")");
        }
        break;
      default:
        break;
    }
    return expression(one, of);
  }

  std::string of_given(Given given) const {
    switch (given) {
      case Given::query:
        return "at + tile.shift";
      case Given::query_row:
        return "at + tile.query_start";
      case Given::key:
        return in_fetch_ ? "key_of" : "first + column";
      case Given::key_row:
        return in_fetch_ ? "key_of + tile.key_start" : "first + column + tile.key_start";
      case Given::first_query:
        return "place.first_row + place.keys - place.queries";
      case Given::first_query_row:
        return "place.first_row + place.query_start";
      default:
        return base::say("place.", given_names[static_cast<std::size_t>(given)]);
    }
  }

  // An integer that grows or falls by one from key to key becomes a float once for all columns,
  // which differ from it by constants; with a query in it, once for a row.
  std::string along_columns(const Operation& one, Level at) {
    if (one.code != Opcode::to || (at != of_key && at != of_element) ||
        one.attributes.element != Element::f32 ||
        form_.function.type(one.operands[0]).element != Element::s32)
      return "";
    const bool in_row = at == of_element;
    const auto [sign, base] = first_column(one.operands[0], in_row ? "key.first_" : "first");
    if (sign == 0) return "";
    if (in_row && !keeps_columns_) {
      members_[of_key] += "    int first_, column_;\n";
      lines_[of_key] += "    key.first_ = first;\n    key.column_ = column;\n";
      keeps_columns_ = true;
    }
    return base::say("static_cast<float>(", base, ")", sign > 0 ? " + " : " - ",
                     "static_cast<float>(", in_row ? "key.column_" : "column", ")");
  }
  // What the integer is in column 0, and by how much it changes; 0: by something else.
  std::pair<int, std::string> first_column(Id id, const std::string& first) {
    if (id == argument(form_.function, Given::key)) return {1, first};
    if (id == argument(form_.function, Given::key_row)) return {1, first + " + tile.key_start"};
    const auto found = operations_.find(id);
    if (found == operations_.end()) return {0, ""};
    const Operation& one = *found->second;
    if (one.code != Opcode::add && one.code != Opcode::sub) return {0, ""};
    const auto of_a_key = [&](Id operand) {
      return (dependence_[static_cast<std::size_t>(operand)] & depends::key) != 0;
    };
    const bool second = of_a_key(one.operands[1]);
    if (second == of_a_key(one.operands[0])) return {0, ""};
    const auto [sign, base] = first_column(one.operands[second ? 1 : 0], first);
    if (sign == 0) return {0, ""};
    const std::string other = value(one.operands[second ? 0 : 1]);
    const char* word = one.code == Opcode::add ? " + " : " - ";
    return {
        second && one.code == Opcode::sub ? -sign : sign,
        second ? base::say(other, word, "(", base, ")") : base::say("(", base, ")", word, other)};
  }

  emitting::Text unused_;
  const NormalForm& form_;
  FunctionText options_;
  std::vector<unsigned> dependence_;
  std::vector<std::string> arrays_;
  std::map<Id, const Operation*> operations_;
  std::map<Id, Given> givens_;
  std::map<Id, std::string> names_;
  std::set<Id> written_, here_, fetching_;
  std::array<std::string, 5> lines_, members_;
  std::string shuffles_;
  bool in_fetch_ = false;       // what is being computed is
  bool keeps_columns_ = false;  // of a key: where the thread's first one is, and how far behind
};

}  // namespace

std::string functions_text(const NormalForm& form, const FunctionText& text) {
  return FunctionsEmitter(form, text).made();
}

}  // namespace aisp::jit
