// Tables of single instructions for the comparison of the decoder with nvJitLink. A line of a
// .statements file is a template:
//   (a/b/c)     one of the alternatives; an empty one is allowed
//   (@name)     those of the set that a line `@name = a b c` defines; sets may name earlier ones
//   $1 ... $9   what the first, second, ... parenthesis became
//   # targets: sm_100a   judged for these instead of sm_80 and sm_90a
//   %u32_1      a register declared with that type, 1 to 9; g c sh l in are variables, `end` a
//   label
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/oracle/oracle.hpp"

namespace aisp::oracle {

using Sets = std::map<std::string, std::vector<std::string>>;

inline std::vector<std::string> alternatives(const std::string& text, const Sets& sets) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string one = text.substr(at, end - at);
    if (one.starts_with('@')) {
      const auto& set = sets.at(one.substr(1));
      found.insert(found.end(), set.begin(), set.end());
    } else {
      found.push_back(one);
    }
    at = end + 1;
  }
  return found;
}

// Replaces the first parenthesis by each of its alternatives, and so on with what comes out.
inline void expand(const std::string& line, const Sets& sets, int number,
                   std::vector<std::string>& to) {
  const std::size_t open = line.find('('), close = line.find(')', open);
  if (open == std::string::npos) return to.push_back(line);
  const std::string reference = "$" + std::to_string(number);
  for (const std::string& one : alternatives(line.substr(open + 1, close - open - 1), sets)) {
    std::string next = line.substr(0, open) + one + line.substr(close + 1);
    for (std::size_t at; (at = next.find(reference)) != std::string::npos;)
      next.replace(at, reference.size(), one);
    expand(next, sets, number + 1, to);
  }
}

struct Excuse {
  std::string pattern, reason;
  bool used = false;
};

struct Table {
  std::vector<std::string> targets{"sm_80", "sm_90a"};
  std::vector<std::string> statements;  // sorted, each once
  std::vector<Excuse> excuses;
};

// `*` matches any text.
inline bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skip = 0; skip <= text.size(); ++skip)
    if (matches(pattern, text.substr(skip))) return true;
  return false;
}

inline Table read_table(const std::filesystem::path& file) {
  Table table;
  std::ifstream stream(file);
  Sets sets;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("# targets: ")) {
      std::istringstream words(line.substr(11));
      table.targets.clear();
      for (std::string word; words >> word;) table.targets.push_back(word);
    }
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(" : "), equals = line.find(" = ");
    if (line.starts_with("! ")) {
      table.excuses.push_back({line.substr(2, colon - 2), line.substr(colon + 3)});
    } else if (!line.starts_with('@') || equals == std::string::npos) {
      expand(line, sets, 1, table.statements);
    } else {
      std::istringstream words(line.substr(equals + 3));
      auto& set = sets[line.substr(1, equals - 1)];
      for (std::string word; words >> word;)
        for (const std::string& one : alternatives(word, sets)) set.push_back(one);
    }
  }
  auto& all = table.statements;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return table;
}

// The registers that the statements name, ten of each kind.
inline std::string declarations(const std::vector<std::string>& statements) {
  // Kinds that are no register type, and what they are kept in.
  static const std::map<std::string, std::string> others = {
      {"bf16", "b16"},  {"bf16x2", "b32"},  {"u16x2", "b32"},  {"s16x2", "b32"},  {"tf32", "b32"},
      {"f32x2", "b64"}, {"e4m3x2", "b16"},  {"e5m2x2", "b16"}, {"e3m2x2", "b16"}, {"e2m3x2", "b16"},
      {"e2m1x2", "b8"}, {"ue8m0x2", "b16"}, {"e4m3x4", "b32"}};
  std::set<std::string> kinds;
  for (const std::string& statement : statements)
    for (std::size_t at = 0; (at = statement.find('%', at)) != std::string::npos; ++at) {
      const std::size_t end = statement.find_first_of("_, ;.]}", at);
      if (end != std::string::npos && statement[end] == '_' &&
          std::isdigit(statement[end + 1]) != 0)
        kinds.insert(statement.substr(at + 1, end - at - 1));
    }
  std::string text;
  for (const std::string& kind : kinds) {
    const auto other = others.find(kind);
    text += ".reg ." + (other == others.end() ? kind : other->second) + " %" + kind + "_<10>; ";
  }
  return text;
}

// A kernel with one statement per line, the first on line `first_line`.
inline constexpr int first_line = 5;
inline std::string kernel_of(const std::vector<std::string>& statements,
                             const std::string& target) {
  std::string text = ".version 9.0\n.target " + target + "\n.address_size 64\n" +
                     ".global .align 128 .u32 g[64]; .const .u32 c[64]; .visible .entry "
                     "k(.param .u64 in) { .shared .align 128 .b8 sh[1024]; .local .u32 l[16]; " +
                     declarations(statements) + "\n";
  for (const std::string& statement : statements) text += statement + "\n";
  return text + "end: ret;\n}\n";
}

// The lines that a log calls wrong: "..., line 12; error ..."; and of 32-bit addresses it only
// warns before it gives up: "... on line '12' ...". Not those of the compiler's own PTX.
inline std::vector<int> lines_with_errors(const std::string& log) {
  std::vector<int> lines;
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    const auto number_after = [&](std::string_view mark) {
      const std::size_t at = line.find(mark);
      int number = 0;
      if (at != std::string::npos)
        std::from_chars(line.data() + at + mark.size(), line.data() + line.size(), number);
      return number;
    };
    if (line.find("<builtin>") != std::string::npos) continue;
    if (line.find("32-bit address") != std::string::npos) lines.push_back(number_after("line '"));
    const bool is_advice =
        line.find("warning") != std::string::npos || line.find("Advisory") != std::string::npos;
    if (!is_advice) lines.push_back(number_after(", line "));
  }
  return lines;
}

// Clears the lines that are refused. A compilation names every line that is wrong, so that a few of
// them judge hundreds of statements; where it names none, the halves are judged apart.
inline void clear_refused(std::vector<std::string>& lines, const std::string& target) {
  const auto all_clear = [&] {
    return std::all_of(lines.begin(), lines.end(), [](const auto& line) { return line.empty(); });
  };
  for (bool named = true; named && !all_clear();) {
    const Verdict verdict = JitLink::get().judge(kernel_of(lines, target), target);
    if (verdict.accepted) return;
    named = false;
    for (const int line : lines_with_errors(verdict.log)) {
      const auto index = static_cast<std::size_t>(line - first_line);
      if (index >= lines.size() || lines[index].empty()) continue;
      lines[index].clear();
      named = true;
    }
  }
  if (lines.size() == 1) lines[0].clear();
  if (all_clear()) return;
  const auto middle = lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 2);
  std::vector<std::string> halves[] = {{lines.begin(), middle}, {middle, lines.end()}};
  auto to = lines.begin();
  for (auto& half : halves) {
    clear_refused(half, target);
    to = std::copy(half.begin(), half.end(), to);
  }
}

// Which statements nvJitLink accepts.
inline std::vector<bool> judge_statements(const std::vector<std::string>& statements,
                                          const std::string& target) {
  constexpr std::size_t batch = 1000;
  std::vector<bool> accepted;
  for (std::size_t first = 0; first < statements.size(); first += batch) {
    const auto begin = statements.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<std::string> lines(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(batch, statements.size() - first)));
    clear_refused(lines, target);
    for (const std::string& line : lines) accepted.push_back(!line.empty());
  }
  return accepted;
}

}  // namespace aisp::oracle
