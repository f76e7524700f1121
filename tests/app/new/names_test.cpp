// What a new module or target may be called.
#include "app/new/names.hpp"

#include <gtest/gtest.h>

#include "lab/case/planned.hpp"
#include "lab/case/registry.hpp"
#include "tests/support/files.hpp"

namespace aisp::app {
namespace {

using lab::refusal_of;

std::string refused_module(const std::string& name) {
  const auto refusal = refusal_of([&] { require_module_name(name); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage) << name;
  return refusal.what();
}

std::string refused_target(const std::string& name) {
  const auto refusal = refusal_of([&] { require_target_name(name); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage) << name;
  return refusal.what();
}

TEST(NewNames, ThatAreGood) {
  for (const std::string name :
       {"mine", "my_kernels", "attention2", "k3d", "chapter", "ch", "chx9"}) {
    EXPECT_NO_THROW(require_module_name(name)) << name;
    EXPECT_NO_THROW(require_target_name(name)) << name;
  }
  // Words that only a namespace or a target of CMake could not have.
  for (const std::string name : {"test", "time", "lab", "max"})
    EXPECT_NO_THROW(require_target_name(name)) << name;
}

TEST(NewNames, WhatCannotBeTypedOrCompiledIsRefusedWithOneThatCan) {
  for (const auto& [name, instead] :
       std::vector<std::pair<std::string, std::string>>{{"my-kernels", "my_kernels"},
                                                        {"Attention", "attention"},
                                                        {"a b", "a_b"},
                                                        {"a:b", "a_b"},
                                                        {"a,b", "a_b"},
                                                        {"a/b", "a_b"},
                                                        {"a__b", "a_b"},
                                                        {"_a", "a"},
                                                        {"3d", "k3d"},
                                                        {"größe", "gr_e"},
                                                        {"", "kernels"},
                                                        {"...", "kernels"}}) {
    const std::string ending = "use for example " + instead;
    EXPECT_TRUE(refused_module(name).ends_with(ending)) << refused_module(name);
    EXPECT_TRUE(refused_target(name).ends_with(ending)) << refused_target(name);
  }
}

TEST(NewNames, WhatHasAMeaningIsRefused) {
  for (const std::string name :
       {"all", "roof", "ch09", "ch9", "ch123", "class", "namespace", "xor"}) {
    EXPECT_NE(refused_module(name).find("'" + name + "' cannot name a module: "), std::string::npos)
        << refused_module(name);
    EXPECT_NE(refused_target(name).find("use for example my_" + name), std::string::npos)
        << refused_target(name);
  }
}

TEST(NewNames, AModuleIsNoNamespaceFunctionOrCmakeTargetThatIsThere) {
  for (const auto& [name, why] :
       std::vector<std::pair<std::string, std::string>>{{"lab", "namespace"},
                                                        {"std", "namespace"},
                                                        {"test", "CMake"},
                                                        {"package", "CMake"},
                                                        {"time", "function"},
                                                        {"sin", "function"},
                                                        {"max", "function"}})
    EXPECT_NE(refused_module(name).find(why), std::string::npos) << refused_module(name);
}

// The program that tests run has the chapters: ch09:memory_bound and others.
TEST(NewNames, OfTargetsAndTheirAliasesAreTaken) {
  const auto refused = [](const std::string& name, Among among) {
    return std::string(refusal_of([&] { require_free_name(name, among); }).what());
  };
  const auto& targets = lab::all_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_NE(
      refused(targets.front().name, Among::chapters).find("is a name of " + targets.front().id()),
      std::string::npos);
  EXPECT_NO_THROW(require_free_name(targets.front().name, Among::modules));
  const auto with_alias = std::find_if(targets.begin(), targets.end(),
                                       [](const auto& target) { return !target.aliases.empty(); });
  ASSERT_NE(with_alias, targets.end());
  const std::string alias = with_alias->aliases.begin()->first;
  for (const Among among : {Among::chapters, Among::modules})
    EXPECT_NE(refused(alias, among).find("is a name of " + with_alias->id()), std::string::npos);
  const auto& planned = lab::planned_targets();
  ASSERT_FALSE(planned.empty());
  EXPECT_NE(refused(planned.front().name, Among::chapters).find(", which is planned"),
            std::string::npos);
  EXPECT_NO_THROW(require_free_name("nobody_has_this", Among::chapters));
}

TEST(NewNames, OfChapters) {
  EXPECT_TRUE(is_chapter_name("ch09") && is_chapter_name("ch7") && is_chapter_name("ch100"));
  EXPECT_FALSE(is_chapter_name("ch") || is_chapter_name("ch9a") || is_chapter_name("mine") ||
               is_chapter_name("xch09"));
}

}  // namespace
}  // namespace aisp::app
