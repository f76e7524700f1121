#include "lab/check/examples.hpp"

#include <cctype>
#include <vector>

#include "base/text.hpp"

namespace aisp::embedded {
extern const std::string_view hazard_examples;
}

namespace aisp::lab {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t find_word(const std::string& text, const std::string& word, std::size_t from = 0) {
  for (auto at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_word(text[end]))) return at;
  }
  return std::string::npos;
}

// The first of `ends` that is in no parentheses opened after `from`; also where those around it
// close.
std::size_t end_of_expression(const std::string& text, std::size_t from, std::string_view ends) {
  int depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && ends.find(c) != std::string_view::npos) {
      const bool scope = c == ':' && (text[at + 1] == ':' || text[at - 1] == ':');
      if (!scope) return at;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth-- == 0) return at;
  }
  return text.size();
}

// Where the expression begins that ends at `to`: behind the parenthesis or the comma before it.
std::size_t begin_of_expression(const std::string& text, std::size_t to) {
  int depth = 0;
  while (to > 0) {
    const char c = text[to - 1];
    if (c == ')' || c == ']') ++depth;
    if ((c == '(' || c == '[') && depth-- == 0) break;
    if (depth == 0 && (c == ',' || c == ';' || c == '=')) break;
    --to;
  }
  return to;
}

void replace_words(std::string& text, const std::string& word, const std::string& by) {
  for (auto at = find_word(text, word); at != std::string::npos;
       at = find_word(text, word, at + by.size()))
    text.replace(at, word.size(), by);
}

void trim(std::string& text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(" \n"), text.size()));
}

// `true || x`, `false || x`, `true && x`, `false && x`, `x && true`, `x && false` and `true ? x :
// y`.
bool simplify_expression(std::string& text) {
  for (const bool value : {true, false}) {
    const std::string word = value ? "true" : "false";
    if (const auto at = text.find(word + " || "); at != std::string::npos) {
      const std::size_t right = at + word.size() + 4, end = end_of_expression(text, right, "?,;");
      text.replace(at, end - at, value ? "true" : text.substr(right, end - right));
      if (value && text.compare(at + 4, 1, "?") == 0) text.insert(at + 4, " ");
      return true;
    }
    if (const auto at = text.find(word + " && "); at != std::string::npos) {
      const std::size_t right = at + word.size() + 4, end = end_of_expression(text, right, "?,;");
      text.replace(at, end - at, value ? text.substr(right, end - right) : "false");
      return true;
    }
    if (const auto at = text.find(" && " + word); at != std::string::npos) {
      const std::size_t end = at + 4 + word.size();
      const std::size_t begin = value ? at : begin_of_expression(text, at);
      text.replace(begin, end - begin, value ? "" : "false");
      return true;
    }
    if (const auto at = text.find(word + " ? "); at != std::string::npos) {
      const std::size_t yes = at + word.size() + 3, colon = end_of_expression(text, yes, ":");
      const std::size_t no = colon + 1, end = end_of_expression(text, no, ",;>");
      std::string taken = value ? text.substr(yes, colon - yes) : text.substr(no, end - no);
      trim(taken);
      text.replace(at, end - at, taken);
      // Parentheses around one name or call that were there for the `?:` only.
      const bool alone = at > 1 && text[at - 1] == '(' && !is_word(text[at - 2]) &&
                         text.compare(at + taken.size(), 1, ")") == 0 &&
                         taken.find(' ') == std::string::npos;
      if (alone) text.replace(at - 1, taken.size() + 2, taken);
      return true;
    }
  }
  return false;
}

// A statement from `from` on: a block, or all up to the semicolon.
std::size_t end_of_statement(const std::string& text, std::size_t from) {
  const std::size_t begin = text.find_first_not_of(" \n", from);
  if (text[begin] == '{') return end_of_expression(text, begin + 1, "") + 1;
  return end_of_expression(text, begin, ";") + 1;
}

// Without the braces, moved to where the `if` was.
std::string unwrapped(std::string statement) {
  trim(statement);
  if (!statement.starts_with('{')) return statement;
  statement = statement.substr(1, statement.size() - 2);
  std::vector<std::string> lines;
  for (const std::string& line : base::split(statement, '\n'))
    if (line.find_first_not_of(' ') != std::string::npos)
      lines.push_back(line.starts_with("  ") ? line.substr(2) : line);
  statement = base::join(lines, "\n");
  trim(statement);
  return statement;
}

bool simplify_branch(std::string& text) {
  for (const bool value : {true, false})
    for (const std::string condition : {"if (", "if constexpr ("}) {
      const std::string head = condition + (value ? "true)" : "false)");
      const auto at = text.find(head);
      if (at == std::string::npos) continue;
      const std::size_t then = at + head.size(), then_end = end_of_statement(text, then);
      std::size_t end = then_end;
      std::string taken = value ? text.substr(then, then_end - then) : "";
      const std::size_t next = text.find_first_not_of(" \n", then_end);
      if (next != std::string::npos &&
          (text.compare(next, 5, "else ") == 0 || text.compare(next, 5, "else\n") == 0)) {
        end = end_of_statement(text, next + 4);
        if (!value) taken = text.substr(next + 4, end - next - 4);
      }
      std::size_t begin = at;
      if (taken.empty()) {  // with the line, and the `else` in front of it
        begin = text.find_last_not_of(" \n", at - 1) + 1;
        if (begin >= 4 && text.compare(begin - 4, 4, "else") == 0)
          begin = text.find_last_not_of(" \n", begin - 5) + 1;
        text.erase(begin, end - begin);
      } else {
        text.replace(begin, end - begin, unwrapped(taken));
      }
      return true;
    }
  return false;
}

}  // namespace

std::string side_of(std::string_view code, bool fixed) {
  std::string text(code);
  for (auto at = text.find("!fixed"); at != std::string::npos; at = text.find("!fixed"))
    text.replace(at, 6, fixed ? "false" : "true");
  replace_words(text, "fixed", fixed ? "true" : "false");
  while (simplify_expression(text) || simplify_branch(text)) {
  }
  return text;
}

HazardExample find_example(std::string_view rule) {
  const std::string_view all = embedded::hazard_examples;
  const std::string head = "@@ " + std::string(rule) + " ";
  auto at = all.find(head);
  while (at != std::string_view::npos && at != 0 && all[at - 1] != '\n')
    at = all.find(head, at + 1);
  if (at == std::string_view::npos) return {};
  const auto line_end = all.find('\n', at);
  HazardExample example{.file =
                            std::string(all.substr(at + head.size(), line_end - at - head.size()))};
  auto end = all.find("\n@@ ", line_end);
  const std::string_view code =
      all.substr(line_end + 1, (end == std::string_view::npos ? all.size() : end) - line_end - 1);
  example.wrong = side_of(code, false);
  example.fixed = side_of(code, true);
  return example;
}

}  // namespace aisp::lab
