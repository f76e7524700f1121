#include "app/new/names.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/refuse.hpp"
#include "lab/case/catalog.hpp"
#include "lab/case/registry.hpp"

namespace aisp::app {
namespace {

using Table = std::vector<std::string_view>;

const Table keywords{"alignas",
                     "alignof",
                     "and",
                     "and_eq",
                     "asm",
                     "auto",
                     "bitand",
                     "bitor",
                     "bool",
                     "break",
                     "case",
                     "catch",
                     "char",
                     "char16_t",
                     "char32_t",
                     "char8_t",
                     "class",
                     "co_await",
                     "co_return",
                     "co_yield",
                     "compl",
                     "concept",
                     "const",
                     "const_cast",
                     "consteval",
                     "constexpr",
                     "constinit",
                     "continue",
                     "decltype",
                     "default",
                     "delete",
                     "do",
                     "double",
                     "dynamic_cast",
                     "else",
                     "enum",
                     "explicit",
                     "export",
                     "extern",
                     "false",
                     "float",
                     "for",
                     "friend",
                     "goto",
                     "if",
                     "inline",
                     "int",
                     "long",
                     "mutable",
                     "namespace",
                     "new",
                     "noexcept",
                     "not",
                     "not_eq",
                     "nullptr",
                     "operator",
                     "or",
                     "or_eq",
                     "private",
                     "protected",
                     "public",
                     "register",
                     "requires",
                     "return",
                     "short",
                     "signed",
                     "sizeof",
                     "static",
                     "static_assert",
                     "static_cast",
                     "struct",
                     "switch",
                     "template",
                     "this",
                     "thread_local",
                     "throw",
                     "true",
                     "try",
                     "typedef",
                     "typeid",
                     "typename",
                     "union",
                     "unsigned",
                     "using",
                     "virtual",
                     "void",
                     "volatile",
                     "wchar_t",
                     "while",
                     "xor",
                     "xor_eq",
                     "reinterpret_cast"};

// Namespaces that a module's files see, and targets that CMake keeps for itself.
const Table namespaces{"aisp", "app", "base", "comm", "embedded", "lab", "peers", "std", "tile"};
const Table of_cmake{"clean",      "edit_cache",     "help",          "install",
                     "package",    "package_source", "rebuild_cache", "test",
                     "Continuous", "Experimental",   "Nightly",       "NightlyMemoryCheck"};
// Functions that nvcc declares for every kernel and the C library does not have.
const Table of_cuda{"max", "min", "norm", "rsqrt", "saturate"};

bool holds(const Table& table, const std::string& name) {
  return std::find(table.begin(), table.end(), name) != table.end();
}

bool is_letter(char letter) { return letter >= 'a' && letter <= 'z'; }

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// What the command line, CMake's aisp_add_targets() and C++ all take.
bool is_identifier(const std::string& name) {
  const auto allowed = [](char letter) {
    return letter == '_' || is_letter(letter) || is_digit(letter);
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), allowed) && name.find("__") == std::string::npos;
}

// "My-kernels" -> "my_kernels", "3d" -> "k3d"
std::string as_identifier(const std::string& name) {
  std::string made;
  for (const char given : name) {
    const char letter = given >= 'A' && given <= 'Z' ? static_cast<char>(given - 'A' + 'a') : given;
    if (is_letter(letter) || is_digit(letter))
      made += letter;
    else if (!made.empty() && made.back() != '_')
      made += '_';
  }
  while (!made.empty() && made.back() == '_') made.pop_back();
  if (made.empty()) return "kernels";
  return is_letter(made.front()) ? made : "k" + made;
}

[[noreturn]] void refuse_name(const std::string& what, const std::string& name,
                              const std::string& why, const std::string& instead) {
  base::refuse(base::Exit::usage, "'", name, "' cannot name a ", what, ": ", why,
               "; use for example ", instead);
}

void require_plain_word(const std::string& what, const std::string& name) {
  if (!is_identifier(name))
    refuse_name(what, name, "it begins with a letter and has a-z, 0-9 and single '_'",
                as_identifier(name));
  const std::string instead = "my_" + name;
  if (holds(keywords, name)) refuse_name(what, name, "it is a word of C++", instead);
  if (name == "all") refuse_name(what, name, "--targets all already means every target", instead);
  if (name == lab::roof_chapter)
    refuse_name(what, name, "the machine's own ceilings have it", instead);
  if (is_chapter_name(name)) refuse_name(what, name, "chapters are called so", instead);
}

bool is_alias_of(const lab::Target& target, const std::string& name) {
  return std::any_of(target.aliases.begin(), target.aliases.end(),
                     [&](const auto& alias) { return alias.first == name; });
}

[[noreturn]] void refuse_taken(const std::string& name, const std::string& owner) {
  base::refuse(base::Exit::usage, "'", name, "' is a name of ", owner,
               "; 'aisp bench list-targets' lists those that are taken");
}

bool is_chapter(const std::string& name) {
  const auto in_chapter = [&](const auto& one) { return one.chapter == name; };
  const auto& targets = lab::all_targets();
  const auto& planned = lab::planned_targets();
  return std::any_of(targets.begin(), targets.end(), in_chapter) ||
         std::any_of(planned.begin(), planned.end(), in_chapter);
}

}  // namespace

bool is_chapter_name(const std::string& name) {
  return name.size() > 2 && name.starts_with("ch") &&
         name.find_first_not_of("0123456789", 2) == std::string::npos;
}

void require_module_name(const std::string& name) {
  require_plain_word("module", name);
  const std::string instead = name + "_kernels";
  if (is_chapter(name)) refuse_name("module", name, "a chapter has it", instead);
  if (holds(namespaces, name))
    refuse_name("module", name, "aisp or C++ has a namespace of it", instead);
  if (holds(of_cmake, name)) refuse_name("module", name, "CMake has a target of it", instead);
  // The module is a namespace, and a function of the same name cannot stand beside it.
  if (holds(of_cuda, name) || dlsym(RTLD_DEFAULT, name.c_str()) != nullptr)
    refuse_name("module", name, "the C library or CUDA has a function of it", instead);
}

void require_target_name(const std::string& name) {
  require_plain_word("target", name);
  if (is_chapter(name)) refuse_name("target", name, "a chapter has it", "my_" + name);
}

void require_free_name(const std::string& name, Among among) {
  for (const auto& target : lab::all_targets())
    if (is_alias_of(target, name) || (among == Among::chapters && target.name == name))
      refuse_taken(name, target.id());
  for (const auto& planned : lab::planned_targets()) {
    const bool alias =
        std::find(planned.aliases.begin(), planned.aliases.end(), name) != planned.aliases.end();
    if (alias || (among == Among::chapters && planned.name == name))
      refuse_taken(name, planned.id() + ", which is planned");
  }
}

}  // namespace aisp::app
