#include "app/tune/tune_options.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/sizes.hpp"
#include "lab/cli/command_line.hpp"
#include "lab/judge/gemm_problem.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {
namespace {

using base::Exit;
using base::refuse;
using tile::Element;

struct Types {
  Element a, b, d;
};

// By the names of lab::gemm_types.
const std::map<std::string, Types> types{
    {"bf16", {Element::bf16, Element::bf16, Element::bf16}},
    {"fp16", {Element::f16, Element::f16, Element::f16}},
    {"tf32", {Element::tf32, Element::tf32, Element::f32}},
    {"fp8", {Element::e4m3, Element::e4m3, Element::bf16}},
    {"fp8_e5m2", {Element::e5m2, Element::e5m2, Element::bf16}},
    {"int8", {Element::s8, Element::s8, Element::s32}},
    {"bf16_int8", {Element::bf16, Element::s8, Element::bf16}},
    {"bf16_fp8", {Element::bf16, Element::e4m3, Element::bf16}}};

const std::vector<std::string> flags{"--candidates", "--list", "--missing"};
const std::vector<std::string> options{"--sizes",      "--dtype", "--against", "--samples",
                                       "--candidates", "--list",  "--missing", "--format"};

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "--samples 50" and "--samples=50"; a flag has no value.
std::map<std::string, std::string> take_apart(const std::vector<std::string>& words) {
  std::map<std::string, std::string> given;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto equals = words[at].starts_with("--") ? words[at].find('=') : std::string::npos;
    const std::string option = words[at].substr(0, equals);
    if (!holds(options, option)) {
      if (option.starts_with("-")) lab::refuse_option("tune gemm", option, options);
      refuse(Exit::usage, "tune gemm takes no word without an option: got '", option,
             "'; see 'aisp tune gemm --help'");
    }
    std::string value;
    if (equals != std::string::npos)
      value = words[at].substr(equals + 1);
    else if (!holds(flags, option) && at + 1 < words.size())
      value = words[++at];
    if (holds(flags, option) != value.empty())
      refuse(Exit::usage, "tune gemm ", option,
             value.empty() ? " needs a value after it" : " takes no value");
    if (!given.emplace(option, value).second)
      refuse(Exit::usage, "tune gemm ", option, " is given twice");
  }
  return given;
}

void require_one_of(const std::string& option, const std::string& word,
                    const std::vector<std::string>& known) {
  if (!holds(known, word))
    refuse(Exit::usage, "tune gemm ", option, " is one of ", base::join(known, ", "), ", not '",
           word, "'");
}

// "4096 4096 8192 512 512 64" are two sizes, and so are "4096x4096x8192,512x512x64".
std::vector<lab::Size> read_sizes(const std::string& text, const std::string& dtype) {
  std::vector<lab::Size> sizes;
  for (const auto& extents : lab::parse_sizes(base::split(text, ' '))) {
    if (extents.size() % 3 != 0)
      refuse(Exit::usage, "tune gemm --sizes takes M N K, three extents for each size: got ",
             extents.size());
    for (auto at = extents.begin(); at != extents.end(); at += 3)
      sizes.push_back({dtype, {at, at + 3}});
  }
  return sizes;
}

int read_samples(const std::string& text) {
  constexpr int least = 5, most = 1'000'000;
  const auto number = base::parse_integer(text);
  if (!number || *number < least || *number > most)
    refuse(Exit::usage, "tune gemm --samples is a number from ", least, " to ", most, ", not '",
           text, "'");
  return static_cast<int>(*number);
}

}  // namespace

TuneOptions parse_tune_options(const std::vector<std::string>& words,
                               const std::vector<std::string>& opponents) {
  const auto given = take_apart(lab::join_sizes(words));
  const auto value = [&](const std::string& option) -> std::optional<std::string> {
    const auto found = given.find(option);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  };
  TuneOptions read;
  const std::string dtype = value("--dtype").value_or("bf16");
  std::vector<std::string> names;
  for (const auto& [name, type] : types) names.push_back(name);
  require_one_of("--dtype", dtype, names);
  if (!value("--sizes"))
    refuse(Exit::usage, "tune gemm needs --sizes M N K, for example --sizes 4096 4096 8192");
  read.sizes = read_sizes(*value("--sizes"), dtype);
  for (const auto& size : read.sizes) problem_of(size);
  if (const auto name = value("--against")) {
    require_one_of("--against", *name, opponents);
    read.against = *name;
  }
  if (const auto format = value("--format")) read.format = lab::parse_format(*format);
  if (const auto samples = value("--samples")) read.samples = read_samples(*samples);
  read.candidates = given.contains("--candidates");
  read.list = given.contains("--list");
  read.missing = given.contains("--missing");
  return read;
}

tile::device::GemmKey key_of(const lab::Size& size) {
  const Types type = types.at(size.variant);
  return {.m = size.dims.at(0),
          .n = size.dims.at(1),
          .k = size.dims.at(2),
          .batch = 1,
          .a = {type.a},
          .b = {type.b},
          .d = {type.d}};
}

lab::Problem problem_of(const lab::Size& size) {
  return lab::gemm_problem("tune gemm", size, lab::gemm_types(size.variant), lab::GemmB::nk);
}

}  // namespace aisp::app
