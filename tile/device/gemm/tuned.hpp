// What the tuner found out about one device: the recipe that ran fastest for each product. A text
// file that the library reads by itself and a person can mend; its head is five lines (| below):
//   aisp-tuned 1 | device NVIDIA H200 | multiprocessors 132 | driver 13000 | library 0.2.0
//   gemm m=4096 n=4096 k=8192 batch=1 a=bf16,k b=bf16,k d=bf16,k
//        recipe=pingpong_128x256 raster=m8 splits=1 us=356.1
#pragma once

#include <array>
#include <charconv>
#include <compare>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/home.hpp"
#include "base/refuse.hpp"
#include "tile/device/gemm/problem.hpp"
#include "tile/schedule/tile_order.hpp"

namespace aisp::tile::device {

inline constexpr const char* library_version = "0.2.0";  // recipes may change with it
inline constexpr int tuned_format = 1;

// What a measured time depends on besides the product.
struct TunedDevice {
  std::string name{};  // "NVIDIA H200"
  int multiprocessors = 0;
  int driver = 0;  // the CUDA version it supports, as cudaDriverGetVersion counts: 13000
  std::string library = library_version;
  bool operator==(const TunedDevice&) const = default;
};

// An operand in a key: its numbers, and which index is contiguous.
struct TunedOperand {
  Element element = Element::bf16;
  Major major = Major::k;
  auto operator<=>(const TunedOperand&) const = default;
};

// What a choice depends on: pointers, strides, alpha and beta are left out.
struct GemmKey {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  TunedOperand a{}, b{}, d{};
  auto operator<=>(const GemmKey&) const = default;
};

inline GemmKey key_of(const GemmProblem& problem) {
  const auto operand = [](const Matrix& matrix) {
    return TunedOperand{matrix.element, matrix.major};
  };
  return {problem.m,          problem.n,          problem.k,         problem.batch,
          operand(problem.a), operand(problem.b), operand(problem.d)};
}

struct TunedChoice {
  std::string recipe{};     // its name in the library; no blanks
  Raster raster{};          // the order of tiles
  int splits = 1;           // split-K slices
  double microseconds = 0;  // median that it was chosen for
};

// "m8", "n4", "hilbert"
inline std::string text_of(const Raster& raster) {
  if (raster.along == Raster::Along::hilbert) return "hilbert";
  return base::say(raster.along == Raster::Along::m ? 'm' : 'n', raster.group);
}

struct TunedTable {
  TunedDevice device{};
  std::map<GemmKey, TunedChoice> gemm{};

  // Nothing where this product has not been tuned.
  const TunedChoice* find(const GemmKey& key) const {
    const auto found = gemm.find(key);
    return found == gemm.end() ? nullptr : &found->second;
  }
};

// <home>/tuned/<device>-<multiprocessors>-<driver>-<library>.txt: another driver, another file.
inline std::filesystem::path tuned_path(const TunedDevice& device) {
  return base::home() / "tuned" /
         base::say(base::file_word(device.name), '-', device.multiprocessors, '-', device.driver,
                   '-', base::file_word(device.library), ".txt");
}

namespace detail {

inline std::string text_of(const TunedOperand& operand) {
  return base::say(name_of(operand.element), operand.major == Major::k ? ",k" : ",mn");
}

inline std::optional<TunedOperand> parse_operand(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view major = text.substr(comma + 1);
  if (major != "k" && major != "mn") return std::nullopt;
  for (int i = 0; i <= static_cast<int>(Element::s32); ++i)
    if (text.substr(0, comma) == name_of(static_cast<Element>(i)))
      return TunedOperand{static_cast<Element>(i), major == "k" ? Major::k : Major::mn};
  return std::nullopt;
}

// The whole of `text` as a number above 0.
template <class Number>
std::optional<Number> parse_positive(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && value - value == 0 ? std::optional(value) : std::nullopt;
}

inline std::optional<Raster> parse_raster(std::string_view text) {
  if (text == "hilbert") return Raster{Raster::Along::hilbert, 1};
  if (text.empty() || (text[0] != 'm' && text[0] != 'n')) return std::nullopt;
  const auto group = parse_positive<int>(text.substr(1));
  if (!group) return std::nullopt;
  return Raster{text[0] == 'm' ? Raster::Along::m : Raster::Along::n, *group};
}

// Files of earlier versions call the recipes of sm_100 umma_*.
inline std::string recipe_today(std::string_view name) {
  constexpr std::string_view before = "umma_";
  if (!name.starts_with(before)) return std::string(name);
  return base::say("tcgen05_", name.substr(before.size()));
}

// One line of the file, taken apart from the left. What does not fit is refused with its line.
class TunedLine {
 public:
  TunedLine(std::string_view text, const std::string& file, int number)
      : rest_(text), file_(file), number_(number) {}

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... why) const {
    base::refuse(base::Exit::environment, file_, ", line ", number_, ": ", why...,
                 "; mend the line, or delete the file and run `aisp tune gemm` again");
  }

  std::string_view word() {
    const auto blank = std::min(rest_.find(' '), rest_.size());
    const std::string_view taken = rest_.substr(0, blank);
    rest_.remove_prefix(std::min(blank + 1, rest_.size()));
    return taken;
  }
  std::string_view rest() const { return rest_; }

  // The value of the next word, which must be "<key>=<value>".
  std::string_view value(std::string_view key) {
    const std::string_view got = word();
    if (got.size() <= key.size() + 1 || !got.starts_with(key) || got[key.size()] != '=')
      refuse("'", key, "=' with a value belongs where '", got, "' stands");
    return got.substr(key.size() + 1);
  }
  template <class Number>
  Number number(std::string_view key) {
    const std::string_view text = value(key);
    const auto parsed = parse_positive<Number>(text);
    if (!parsed) refuse("'", text, "' is no ", key);
    return *parsed;
  }
  TunedOperand operand(std::string_view key) {
    const std::string_view text = value(key);
    const auto parsed = parse_operand(text);
    if (!parsed) refuse("'", text, "' is no operand ", key, "; write it like bf16,k");
    return *parsed;
  }
  Raster raster() {
    const std::string_view text = value("raster");
    const auto parsed = parse_raster(text);
    if (!parsed) refuse("'", text, "' is no raster; write m8, n8 or hilbert");
    return *parsed;
  }

 private:
  std::string_view rest_;
  const std::string& file_;
  int number_;
};

inline void parse_gemm(TunedLine line, TunedTable& table) {
  // Braces evaluate from left to right.
  const GemmKey key{line.number<std::int64_t>("m"),
                    line.number<std::int64_t>("n"),
                    line.number<std::int64_t>("k"),
                    line.number<std::int64_t>("batch"),
                    line.operand("a"),
                    line.operand("b"),
                    line.operand("d")};
  const TunedChoice choice{recipe_today(line.value("recipe")), line.raster(),
                           line.number<int>("splits"), line.number<double>("us")};
  if (!line.rest().empty()) line.refuse("nothing may follow, and '", line.rest(), "' does");
  if (!table.gemm.emplace(key, choice).second) line.refuse("this product has a line already");
}

}  // namespace detail

inline std::string to_text(const TunedTable& table) {
  std::string text = base::say("aisp-tuned ", tuned_format, "\ndevice ", table.device.name,
                               "\nmultiprocessors ", table.device.multiprocessors, "\ndriver ",
                               table.device.driver, "\nlibrary ", table.device.library, "\n");
  for (const auto& [key, choice] : table.gemm) {
    std::array<char, 32> us{};
    std::snprintf(us.data(), us.size(), "%.3f", choice.microseconds);
    text += base::say("gemm m=", key.m, " n=", key.n, " k=", key.k, " batch=", key.batch,
                      " a=", detail::text_of(key.a), " b=", detail::text_of(key.b),
                      " d=", detail::text_of(key.d), " recipe=", choice.recipe,
                      " raster=", text_of(choice.raster), " splits=", choice.splits,
                      " us=", us.data(), "\n");
  }
  return text;
}

// The table of `text`, which must be one of `device`. Refuses (Exit::environment) anything else,
// with the name of the file, the line and the way out.
inline TunedTable parse_tuned(std::string_view text, const TunedDevice& device,
                              const std::string& file) {
  const std::array<std::string, 5> head{
      base::say("aisp-tuned ", tuned_format), base::say("device ", device.name),
      base::say("multiprocessors ", device.multiprocessors), base::say("driver ", device.driver),
      base::say("library ", device.library)};
  TunedTable table{device, {}};
  for (std::size_t number = 1; number <= head.size() || !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view content = text.substr(0, end);
    detail::TunedLine line(content, file, static_cast<int>(number));
    if (number <= head.size()) {
      if (content != head[number - 1])
        line.refuse("'", head[number - 1], "' belongs where '", content, "' stands");
    } else {
      if (line.word() != "gemm") line.refuse("'gemm' belongs where '", content, "' begins");
      // A line without its end is one that was cut: its last number may have lost digits.
      if (end == text.size()) line.refuse("the line has no end");
      detail::parse_gemm(line, table);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return table;
}

// An empty table where there is no such file.
inline TunedTable read_tuned(const std::filesystem::path& path, const TunedDevice& device) {
  const base::FileText read = base::read_file(path);
  if (read.missing) return {device, {}};
  if (!read.problem.empty())
    base::refuse(base::Exit::environment, "cannot read ", path.string(), ": ", read.problem,
                 "; remove it, or set AISP_HOME to another folder");
  return parse_tuned(read.text, device, path.string());
}

}  // namespace aisp::tile::device
