#include "jit/kept_choices.hpp"

#include "base/refuse.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "jit/run/tuned.hpp"

namespace aisp::jit {

std::string tuned_key(const std::string& architecture, const Variant& rule) {
  return base::hex_of(base::sha256_of(architecture + "\n" + module_text(rule.emitted)));
}

Choices kept_choices(const std::filesystem::path& file, const std::string& architecture,
                     const Variant& rule) {
  const auto kept = TunedFile(file).find(tuned_key(architecture, rule));
  return kept ? kept->choices : Choices{};
}

std::string text_of(const Choices& choices) {
  std::vector<std::string> words;
  for (const auto& [name, value] : choices) words.push_back(base::say(name, "=", value));
  return words.empty() ? "rule" : base::join(words, " ");
}

}  // namespace aisp::jit
