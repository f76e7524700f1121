#include "jit/attention/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "base/refuse.hpp"
#include "jit/attention/array_text.hpp"
#include "jit/attention/dependence.hpp"
#include "jit/attention/emit.hpp"
#include "jit/attention/find_nan.hpp"
#include "jit/attention/window.hpp"
#include "jit/emit/emit.hpp"
#include "jit/ir/builder.hpp"
#include "tile/device/attention/configurations.hpp"

namespace aisp::jit {

namespace {

using tile::device::AttentionProblem;
using tile::device::unlimited;

// mask && key <= query + right && key >= query - left
Function with_window(Function function, const AttentionProblem& problem) {
  Id mask = mask_of(function);
  const Id score = score_of(function);
  function.body.body.pop_back();
  Builder builder(function);
  const Id query = argument(function, Given::query), key = argument(function, Given::key);
  const auto meet = [&](Opcode compare, Opcode move, int by) {
    const Id edge = builder.value(move, {query, builder.scalar(by, Element::s32)});
    mask = builder.value(Opcode::logical_and, {mask, builder.value(compare, {key, edge})});
  };
  if (problem.window_right != unlimited) meet(Opcode::le, Opcode::add, problem.window_right);
  if (problem.window_left != unlimited) meet(Opcode::ge, Opcode::sub, problem.window_left);
  builder.effect(Opcode::yield, {score, mask});
  return function;
}

int narrower(int window, const std::optional<std::int64_t>& other) {
  if (!other) return window;
  const auto most = static_cast<int>(std::min<std::int64_t>(*other, 1 << 28));
  return window == unlimited ? most : std::min(window, most);
}

// Measured with a soft cap at D = 128: two of eight exponentials on the FMA pipe are best beside
// one tanh a score, and for a function that asks nothing of the special-function unit they only
// cost.
int polynomials_for(const NormalForm& form, bool precise) {
  const std::vector<unsigned> on = dependences(form.function);
  int asked = 0;
  for (const Operation& one : form.function.body.body)
    if (one.results.size() == 1 &&
        (on[static_cast<std::size_t>(one.results[0])] & depends::score) != 0)
      switch (one.code) {
        case Opcode::tanh:
        case Opcode::sigmoid:
          asked += precise ? 2 : 1;
          break;
        case Opcode::exp:
        case Opcode::exp2:
        case Opcode::log:
        case Opcode::sqrt:
        case Opcode::rsqrt:
          ++asked;
          break;
        default:
          break;
      }
  return asked > 0 ? 2 : 0;
}

const char* truth(bool value) { return value ? "true" : "false"; }

std::string element_word(const tile::Sm90AttentionConfig& config) {
  return config.element == tile::Element::bf16 ? "bf16" : "f16";
}

std::string config_text(const tile::Sm90AttentionConfig& c) {
  return base::say(
      "aisp::tile::Sm90AttentionConfig{.element = aisp::tile::Element::", element_word(c),
      ",\n    .head_size = ", c.head_size, ", .block_keys = ", c.block_keys,
      ", .math_warpgroups = ", c.math_warpgroups, ", .key_stages = ", c.key_stages,
      ", .value_stages = ", c.value_stages, ",\n    .overlapped = ", truth(c.overlapped),
      ", .ping_pong = ", truth(c.ping_pong), ", .plain = ", truth(c.plain),
      ", .listed = ", truth(c.listed), "}");
}

std::string name_for(const char* kind, const AttentionVariant& variant) {
  return base::say("flex_", kind, "_", element_word(variant.config), "_d",
                   variant.config.head_size);
}

std::string preface(const AttentionVariant& variant, const char* header) {
  std::string text = base::say("#include \"", header, "\"\n");
  if (!variant.form.modifies && !variant.masks) return text + "using aisp::tile::NoFunctions;\n";
  return text + helpers() + attention_helpers() + (variant.finds_nan ? found_nan_text : "") + "\n" +
         functions_text(variant.form, {.masks = variant.masks,
                                       .precise = variant.precise,
                                       .polynomials = variant.polynomials,
                                       .finds_nan = variant.finds_nan});
}

bool has_functions(const AttentionVariant& variant) {
  return variant.form.modifies || variant.masks;
}

}  // namespace

AttentionVariant choose_variant(const ScoreFunctions& functions, const VariantOptions& options,
                                AttentionProblem& problem) {
  AttentionVariant variant;
  variant.precise = options.precise;
  variant.every_block = options.every_block;
  variant.form = normal_form(functions.function(), limits_of(problem),
                             problem.log_sum_exp != nullptr || options.find_nan);
  variant.finds_nan = options.find_nan && variant.form.modifies;
  const auto window = window_of(functions.function());
  // What a window hides is computed with all the same: only the mask says that nobody sees it.
  const bool windowed = (window && !window->all()) || problem.window_left != unlimited ||
                        problem.window_right != unlimited;
  variant.masks =
      !window || (options.every_block && !window->all()) || (variant.finds_nan && windowed);
  if (!variant.masks) {
    problem.window_left = narrower(problem.window_left, window->left);
    problem.window_right = narrower(problem.window_right, window->right);
  } else {
    variant.form.function = with_window(variant.form.function, problem);
    problem.window_left = problem.window_right = unlimited;
  }
  variant.config =
      tile::device::forward_config(problem.q.element, problem.head_size,
                                   tile::device::is_plain(problem) && !has_functions(variant));
  variant.polynomials = options.polynomials >= 0 ? options.polynomials
                                                 : polynomials_for(variant.form, options.precise);
  variant.decode = tile::device::takes_decode(problem);
  variant.config.listed = variant.masks && !variant.decode;
  return variant;
}

double score_scale(const AttentionProblem& problem) {
  return problem.scale != 0 ? static_cast<double>(problem.scale)
                            : 1 / std::sqrt(static_cast<double>(problem.head_size));
}

std::vector<char> function_bytes(const AttentionVariant& variant,
                                 const std::vector<BoundArray>& arrays,
                                 const AttentionProblem& problem, const void* found) {
  if (!variant.form.modifies && !variant.masks) return std::vector<char>(1);
  std::vector<char> bytes;
  const auto append = [&](const auto& value) {
    const auto* from = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  };
  for (const BoundArray& array : arrays) {
    append(array.data);
    append(static_cast<std::int64_t>(array.count));
  }
  const double scale = score_scale(problem);
  append(static_cast<float>(scale));
  append(static_cast<float>(1 / scale));
  append(static_cast<float>(variant.form.factor * (variant.form.scaled ? scale : 1.0) *
                            1.4426950408889634));
  if (!arrays.empty() || variant.finds_nan) bytes.resize(bytes.size() + 4);  // a multiple of 8
  if (variant.finds_nan) append(found);
  return bytes;
}

AttentionText forward_text(const AttentionVariant& variant) {
  const std::string entry = name_for(variant.config.listed ? "forward_listed" : "forward", variant);
  const bool functions = has_functions(variant);
  const std::string name = functions ? "Functions" : "NoFunctions";
  return {entry,
          base::say(preface(variant, "tile/kernel/attention_sm90.cuh"),
                    "\nusing Recipe = aisp::tile::Sm90AttentionRecipe<",
                    config_text(variant.config), ", ", name, ">;\n\nextern \"C\" __global__ void ",
                    "__launch_bounds__(Recipe::config.threads(), 1)\n    ", entry,
                    "(const __grid_constant__ aisp::tile::AttentionForward all,\n        ",
                    "const __grid_constant__ ", name, " functions,\n        ",
                    "const __grid_constant__ aisp::tile::AttentionLists lists) {\n  ",
                    "aisp::tile::attend<Recipe>(all, functions, lists);\n}\n")};
}

AttentionText decode_text(const AttentionVariant& variant) {
  const std::string entry = name_for("decode", variant);
  const std::string name = has_functions(variant) ? "Functions" : "NoFunctions";
  return {entry,
          base::say(preface(variant, "tile/kernel/attention_decode.cuh"),
                    "\nusing Recipe = aisp::tile::DecodeRecipe<aisp::tile::Element::",
                    element_word(variant.config), ", ", variant.config.head_size, ", ", name,
                    ">;\n\nextern \"C\" __global__ void ",
                    "__launch_bounds__(Recipe::config.threads(), Recipe::config.blocks_per_sm())\n",
                    "    ", entry,
                    "(const __grid_constant__ aisp::tile::DecodeParams params,\n        ",
                    "const __grid_constant__ ", name,
                    " functions) {\n  aisp::tile::decode<Recipe>(params, functions);\n}\n\n",
                    "extern \"C\" __global__ void __launch_bounds__(128)\n    ",
                    "flex_combine(const __grid_constant__ aisp::tile::CombineParams params) {\n",
                    "  aisp::tile::combine<4>(params);\n}\n")};
}

AttentionText block_mask_text(const AttentionVariant& variant) {
  const std::string entry =
      base::say("flex_block_mask_", variant.config.block_rows(), "x", variant.config.block_keys);
  return {entry,
          base::say("#include \"tile/kernel/attention_block_mask.cuh\"\n", helpers(),
                    attention_helpers(), "\n",
                    interval_text(variant.form.function, variant.every_block),
                    "\nextern \"C\" __global__ void __launch_bounds__(",
                    "aisp::tile::block_mask_threads)\n    ", entry,
                    "(const __grid_constant__ aisp::tile::BlockMaskParams params,\n        ",
                    "const __grid_constant__ Functions functions) {\n  aisp::tile::BlockMask<",
                    variant.config.block_rows(), ", ", variant.config.block_keys,
                    ", Functions>(params, functions).make();\n}\n")};
}

}  // namespace aisp::jit
