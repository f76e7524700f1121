#include "base/kernel_name.hpp"

#include <cctype>
#include <cstdlib>
#include <vector>

namespace aisp::base {
namespace {

constexpr std::size_t longest_whole = 120, longest_argument = 48, longest_list = 72;

// What follows the name of a function whose last characters are `operator`: < > ( ) of a name.
std::size_t operator_length(std::string_view text, std::size_t at) {
  constexpr std::string_view word = "operator";
  if (text.substr(at, word.size()) != word) return 0;
  if (at > 0 &&
      (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '_'))
    return 0;
  std::size_t end = at + word.size();
  if (text.substr(end, 2) == "()") return end + 2 - at;
  while (end < text.size() && std::string_view("<>=-").find(text[end]) != std::string_view::npos)
    ++end;
  return end - at;
}

// One past the bracket that closes the one at `open`; the end of the text where none does.
std::size_t close_of(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (const std::size_t skipped = operator_length(text, at)) {
      at += skipped - 1;
      continue;
    }
    const bool is_arrow = text[at] == '>' && at > 0 && text[at - 1] == '-';
    if (std::string_view("<({[").find(text[at]) != std::string_view::npos) ++depth;
    if (!is_arrow && std::string_view(">)}]").find(text[at]) != std::string_view::npos &&
        --depth == 0)
      return at + 1;
  }
  return text.size();
}

std::string cut(std::string text) {
  if (text.size() <= longest_argument) return text;
  return text.substr(0, longest_argument - 3) + "...";
}

// "cutlass::Gemm<A, B>::Params const*" as "cutlass::Gemm<...>::Params const*".
std::string without_inner(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool opens = text[at] == '<' || text[at] == '{';
    const bool is_cast = text[at] == '(' && at == 0;  // (Kind)3, (anonymous namespace)
    if (!opens && (text[at] != '(' || is_cast)) {
      result += text[at++];
      continue;
    }
    const std::size_t end = close_of(text, at);
    result += text[at];
    if (end > at + 2) result += "...";
    if (end > at + 1) result += text[end - 1];
    at = end;
  }
  return cut(result);
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t first = 0;
  for (std::size_t at = 0; at < list.size();) {
    if (std::string_view("<({[").find(list[at]) != std::string_view::npos) {
      at = close_of(list, at);
    } else if (list[at] == ',') {
      parts.push_back(list.substr(first, at - first));
      first = ++at;
      while (first < list.size() && list[first] == ' ') first = ++at;
    } else {
      ++at;
    }
  }
  if (first < list.size()) parts.push_back(list.substr(first));
  return parts;
}

// The first ones of a list in brackets, as many as fit.
std::string short_list(std::string_view brackets) {
  std::string result(1, brackets.front());
  bool is_first = true;
  for (const std::string_view part : split(brackets.substr(1, brackets.size() - 2))) {
    const std::string shown = without_inner(part);
    if (!is_first) result += ", ";
    if (!is_first && result.size() + shown.size() > longest_list) {
      result += "...";
      break;
    }
    result += shown;
    is_first = false;
  }
  return result + brackets.back();
}

// What may stand behind the parameters.
bool is_qualifier(std::string_view text) {
  for (const std::string_view word : {"const", "volatile", "&", "noexcept", "["})
    if (text.starts_with(word)) return true;
  return false;
}

}  // namespace

std::string short_kernel_name(std::string_view readable) {
  if (readable.size() <= longest_whole) return std::string(readable);
  // The pieces at the outermost level: the result, the name with lists in brackets, qualifiers.
  std::string result;
  for (std::size_t at = 0; at < readable.size();) {
    const std::string_view rest = readable.substr(at);
    if (const std::size_t word = operator_length(readable, at)) {
      result += rest.substr(0, word);
      at += word;
    } else if (rest.starts_with("(anonymous namespace)")) {
      result += "(anonymous namespace)";
      at += std::string_view("(anonymous namespace)").size();
    } else if (rest[0] == '<' || rest[0] == '(' || rest[0] == '{' || rest[0] == '[') {
      const std::size_t end = close_of(readable, at);
      result += short_list(readable.substr(at, end - at));
      at = end;
    } else if (rest[0] == ' ' && !is_qualifier(rest.substr(1))) {
      result.clear();  // it was the result's type
      ++at;
    } else {
      result += rest[0];
      ++at;
    }
  }
  constexpr std::size_t longest = 240;
  if (result.size() > longest) result = result.substr(0, longest) + "...";
  return result;
}

std::string shown_kernel_name(std::string_view readable) {
  const char* whole = std::getenv("AISP_SIM_FULL_NAMES");
  return whole != nullptr && std::string_view(whole) == "1" ? std::string(readable)
                                                            : short_kernel_name(readable);
}

}  // namespace aisp::base
