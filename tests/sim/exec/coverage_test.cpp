// Every instruction form of the lists under forms_list/ occurs in an instruction test: in a .forms
// line or in a .ptx file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sim/ptx/module.hpp"
#include "tests/sim/support/experiment.hpp"

using namespace aisp;

namespace {

const std::filesystem::path folder =
    std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/instructions";

// The opcode and its modifiers in alphabetical order: what they mean does not depend on where they
// stand, with few exceptions that have types in another order (cvt.f32.f16), so types stay as they
// are. `.shared` is short for `.shared::cta`.
std::string normal_form(std::string_view root, const std::vector<std::string_view>& modifiers) {
  std::vector<std::string> words, types;
  for (const std::string_view modifier : modifiers)
    if (sim::parse_type(modifier))
      types.emplace_back(modifier);
    else
      words.emplace_back(modifier == "shared" ? "shared::cta" : modifier);
  std::sort(words.begin(), words.end());
  words.insert(words.end(), types.begin(), types.end());
  std::string form(root);
  for (const std::string& word : words) form += "." + word;
  return form;
}

// "cp.async.ca.shared.global" as it stands in a list.
std::string normal_form(const std::string& listed) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= listed.size();) {
    const std::size_t dot = std::min(listed.find('.', at), listed.size());
    words.push_back(std::string_view(listed).substr(at, dot - at));
    at = dot + 1;
  }
  return normal_form(words[0], {words.begin() + 1, words.end()});
}

void collect(const sim::ptx::Block& block, std::set<std::string>& forms) {
  for (const sim::ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<sim::ptx::Instruction>(&statement))
      forms.insert(normal_form(instruction->root, instruction->modifiers));
    else if (const auto* inner = std::get_if<std::shared_ptr<sim::ptx::Block>>(&statement))
      collect(**inner, forms);
  }
}

void collect(const experiments::Experiment& experiment, std::set<std::string>& forms) {
  const auto module = sim::ptx::parse(experiment.text);
  for (const sim::ptx::Function& function : module.functions) collect(function.body, forms);
}

const std::set<std::string>& tested_forms() {
  static const std::set<std::string> forms = [] {
    std::set<std::string> found;
    for (const auto& file : experiments::files_under(folder / "forms", ".forms"))
      for (const auto& experiment : experiments::read_forms(file)) collect(experiment, found);
    for (const auto& file : experiments::files_under(folder / "ptx", ".ptx"))
      collect(experiments::read_ptx(file), found);
    return found;
  }();
  return forms;
}

class Coverage : public testing::TestWithParam<const char*> {};

TEST_P(Coverage, EveryListedFormHasATest) {
  std::ifstream list(folder / "forms_list" / GetParam());
  std::vector<std::string> missing;
  int listed = 0;
  for (std::string form; std::getline(list, form);) {
    if (form.empty() || form.starts_with('#')) continue;
    ++listed;
    if (!tested_forms().contains(normal_form(form))) missing.push_back(form);
  }
  EXPECT_GT(listed, 0);
  EXPECT_THAT(missing, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Lists, Coverage, testing::Values("sm80.txt", "sm90a.txt", "sm100a.txt"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
