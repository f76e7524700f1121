#include "jit/build/resources.hpp"

#include <charconv>
#include <regex>

#include "base/text.hpp"

namespace aisp::jit {
namespace {

// The number in front of `words`, or 0.
int number_before(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  if (at == std::string_view::npos) return 0;
  auto first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  int number = 0;
  std::from_chars(line.data() + first, line.data() + at, number);
  return number;
}

int bytes_of_type(const std::string& type) {  // ".u64", ".b8", ".f32"
  int bits = 0;
  std::from_chars(type.data() + 2, type.data() + type.size(), bits);
  return bits / 8;
}

EntryPoint entry_point(std::string_view name, const std::string& parameters) {
  static const std::regex each(R"(\.param([^,]*)\.([busf]\d+)\b([^,\[]*)(\[(\d+)\])?)");
  EntryPoint entry{std::string(name), {}};
  for (std::sregex_iterator at(parameters.begin(), parameters.end(), each), end; at != end; ++at) {
    const int count = (*at)[5].matched ? std::stoi((*at)[5].str()) : 1;
    entry.parameter_bytes.push_back(bytes_of_type("." + (*at)[2].str()) * count);
  }
  return entry;
}

}  // namespace

std::vector<Resources> resources_in(std::string_view log) {
  constexpr std::string_view heading = "Function properties for ";
  std::vector<Resources> all;
  for (const auto& line : base::split(log, '\n')) {
    if (const auto at = line.find(heading); at != std::string::npos)
      all.push_back({.kernel = line.substr(at + heading.size())});
    if (all.empty()) continue;
    Resources& one = all.back();
    if (line.find("bytes stack frame") != std::string::npos) {
      one.stack = number_before(line, " bytes stack frame");
      one.spill_stores = number_before(line, " bytes spill stores");
      one.spill_loads = number_before(line, " bytes spill loads");
    } else if (line.find(" registers") != std::string::npos) {
      one.registers = number_before(line, " registers");
      one.shared = number_before(line, " bytes smem");
    }
  }
  std::erase_if(all, [](const Resources& one) { return one.registers == 0; });  // plain functions
  return all;
}

std::vector<EntryPoint> entry_points_in(std::string_view ptx) {
  constexpr std::string_view word = ".entry ";
  std::vector<EntryPoint> entries;
  for (auto at = ptx.find(word); at != std::string_view::npos; at = ptx.find(word, at + 1)) {
    const auto open = ptx.find_first_of("({", at), close = ptx.find(')', at);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    auto name = ptx.substr(at + word.size(), open - at - word.size());
    while (!name.empty() && (name.back() == ' ' || name.back() == '\n')) name.remove_suffix(1);
    const bool takes_some = ptx[open] == '(';
    entries.push_back(entry_point(
        name, takes_some ? std::string(ptx.substr(open + 1, close - open - 1)) : std::string()));
  }
  return entries;
}

std::string readable_log(std::string_view log) {
  static const std::regex place(R"(^([^\s(][^(]*)\((\d+)\): ((catastrophic )?error|warning|note))");
  std::string readable;
  for (const auto& line : base::split(log, '\n')) {
    const bool of_assembler = line.starts_with("ptxas info") || line.starts_with("ptxas   ");
    if (of_assembler && line.find("(C7") == std::string::npos) continue;
    readable += std::regex_replace(line, place, "$1:$2: $3") + '\n';
  }
  while (readable.ends_with("\n\n")) readable.pop_back();
  return readable == "\n" ? "" : readable;
}

std::optional<FirstError> first_error_in(std::string_view readable) {
  static const std::regex error(R"((.*[:;] )?(?:catastrophic )?error(?: #\d+(?:-D)?)?\s*: (.*))");
  FirstError found;
  for (const auto& line : base::split(readable, '\n')) {
    std::smatch parts;
    if (!std::regex_match(line, parts, error)) continue;
    if (found.count++ == 0) found.line = parts[1].str() + parts[2].str();
  }
  if (found.count == 0) return std::nullopt;
  return found;
}

std::optional<std::string> serialized_products_in(std::string_view log) {
  for (const auto& line : base::split(log, '\n'))
    if (line.find("(C7510)") != std::string::npos) return line.substr(line.find("(C7510)"));
  return std::nullopt;
}

}  // namespace aisp::jit
