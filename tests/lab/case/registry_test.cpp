// The catalog's rules on made-up entries, and the one global registry with the fixtures below.
#include "lab/case/registry.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/refuse.hpp"
#include "lab/case/catalog.hpp"

namespace aisp::lab {
namespace {

using Rungs = std::vector<std::pair<std::string, Rung>>;

Target target(const std::string& chapter, const std::string& name,
              std::map<std::string, std::string> aliases = {},
              std::vector<std::string> variants = {""}) {
  Target made{.chapter = chapter,
              .name = name,
              .idea = "",
              .aliases = std::move(aliases),
              .axes = {"N"},
              .variants = std::move(variants),
              .full = {},
              .quick = {},
              .problem = [](const Size& size) { return Problem{.size = size}; }};
  for (const auto& variant : made.variants) {
    made.full.push_back({variant, {64}});
    made.quick.push_back({variant, {8}});
  }
  return made;
}

Rung rung(const std::string& name, int step, bool peer = false) {
  Rung made;
  made.name = name;
  made.step = step;
  made.peer = peer;
  made.prepare = plain(+[](const Launch&) {});
  return made;
}

// A baseline for each target.
Rungs baselines(const std::vector<Target>& targets) {
  Rungs rungs;
  for (const auto& each : targets) rungs.emplace_back(each.id(), rung("baseline", 0));
  return rungs;
}

Catalog sample() {
  std::vector<Target> targets{
      target("ch10", "matmul"), target("ch09", "memory_bound"), target("roof", "copy"),
      target("ch09", "cublaslt_gemm",
             {{"cublaslt_gemm_fp8", "fp8"}, {"cublaslt_gemm_fp16", "f16"}, {"vendor_gemm", ""}},
             {"bf16", "f16", "fp8"}),
      target("ch11", "matmul")};
  return Catalog(targets, baselines(targets));
}

std::vector<std::string> selected(const std::string& text) {
  static const Catalog catalog = sample();
  std::vector<std::string> all;
  for (const auto& each : catalog.select(text))
    all.push_back(each.target->id() + (each.variant.empty() ? "" : "/" + each.variant));
  return all;
}

std::string refusal(const std::string& text) {
  try {
    selected(text);
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return refusal.what();
  }
  return "accepted";
}

using Ids = std::vector<std::string>;

TEST(Catalog, WithoutTargetsSaysWhereToGetSome) {
  const Catalog empty({}, {});
  try {
    empty.select("all");
    FAIL() << "nothing was refused";
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    EXPECT_EQ(std::string(refusal.what()),
              "this build of aisp has no targets: load a module of yours with --load, or build the "
              "chapters with 'make all'");
  }
}

TEST(Select, AllIsEveryTargetButTheRoofs) {
  EXPECT_EQ(selected("all"),
            (Ids{"ch09:cublaslt_gemm", "ch09:memory_bound", "ch10:matmul", "ch11:matmul"}));
  EXPECT_EQ(selected("roof"), (Ids{"roof:copy"}));
  EXPECT_EQ(selected("copy,all").back(), "roof:copy");
}

TEST(Select, ChaptersNamesAndLists) {
  EXPECT_EQ(selected("ch09"), (Ids{"ch09:cublaslt_gemm", "ch09:memory_bound"}));
  EXPECT_EQ(selected("ch10:matmul"), (Ids{"ch10:matmul"}));
  EXPECT_EQ(selected("memory_bound"), (Ids{"ch09:memory_bound"}));
  EXPECT_EQ(selected("ch11:matmul,memory_bound,ch09:memory_bound"),
            (Ids{"ch09:memory_bound", "ch11:matmul"}));
}

TEST(Select, AliasesPickVariants) {
  EXPECT_EQ(selected("cublaslt_gemm_fp8"), (Ids{"ch09:cublaslt_gemm/fp8"}));
  EXPECT_EQ(selected("ch09:cublaslt_gemm_fp8"), (Ids{"ch09:cublaslt_gemm/fp8"}));
  EXPECT_EQ(selected("vendor_gemm"), (Ids{"ch09:cublaslt_gemm"}));
  EXPECT_EQ(selected("cublaslt_gemm_fp8,cublaslt_gemm_fp16,cublaslt_gemm_fp8"),
            (Ids{"ch09:cublaslt_gemm/f16", "ch09:cublaslt_gemm/fp8"}));
  EXPECT_EQ(selected("cublaslt_gemm_fp8,ch09"), (Ids{"ch09:cublaslt_gemm", "ch09:memory_bound"}));
}

TEST(Select, UnknownNamesSuggestTheNearest) {
  EXPECT_EQ(refusal("memory_bond"),
            "unknown target 'memory_bond'; did you mean 'ch09:memory_bound'? "
            "'aisp bench list-targets' lists all");
  EXPECT_EQ(refusal("ch09:memory_bond")
                .find("unknown target 'ch09:memory_bond'; did you mean "
                      "'ch09:memory_bound'?"),
            0u);
  EXPECT_NE(refusal("ch09,cublaslt_gemm_fp9").find("'ch09:cublaslt_gemm_fp8'"), std::string::npos);
  EXPECT_NE(refusal("ch10:memory_bound").find("did you mean 'ch09:memory_bound'?"),
            std::string::npos);
  EXPECT_EQ(refusal("ch09:zzzzzzzz"),
            "unknown target 'ch09:zzzzzzzz'; 'aisp bench list-targets' lists all");
  EXPECT_NE(refusal("ch09:").find("unknown target 'ch09:'"), std::string::npos);
}

TEST(Select, UnknownChaptersSuggestTheNearest) {
  EXPECT_EQ(refusal("ch9"),
            "unknown chapter 'ch9'; did you mean 'ch09'? 'aisp bench list-targets' lists all");
  EXPECT_EQ(refusal("ch9:memory_bound").find("unknown chapter 'ch9' in 'ch9:memory_bound'"), 0u);
}

TEST(Select, RefusesEmptyAndAmbiguousNames) {
  EXPECT_NE(refusal("").find("empty name"), std::string::npos);
  EXPECT_NE(refusal("ch09,,ch10").find("'ch09,,ch10' has an empty name"), std::string::npos);
  EXPECT_EQ(refusal("matmul"),
            "'matmul' is in several chapters; say which: ch10:matmul or "
            "ch11:matmul");
}

// The complaint about targets and rungs, or "" when they are accepted.
std::string complaint(const std::vector<Target>& targets, const Rungs& rungs,
                      const std::vector<Planned>& planned = {}) {
  try {
    const Catalog catalog(targets, rungs, planned);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

std::string complaint(const std::vector<Target>& targets) {
  return complaint(targets, baselines(targets));
}

std::string ladder_complaint(const std::vector<Rung>& ladder) {
  Rungs rungs;
  for (const auto& each : ladder) rungs.emplace_back("ch09:x", each);
  return complaint({target("ch09", "x", {}, {"a", "b"})}, rungs);
}

// What is judged more mildly is somebody else's and stands beside the ladder.
TEST(Catalog, OnlyPeersMayRoundBetweenTheirKernels) {
  Rung own = rung("b", 1), peer = rung("c", 0, true);
  own.rounds_between = peer.rounds_between = true;
  EXPECT_EQ(ladder_complaint({rung("a", 0), peer}), "");
  EXPECT_EQ(ladder_complaint({rung("a", 0), own}),
            "ch09:x/b rounds between its kernels, which only a peer may");
}

TEST(Catalog, RefusesContradictoryLadders) {
  EXPECT_EQ(ladder_complaint({rung("a", 0), rung("b", 1)}), "");
  EXPECT_EQ(ladder_complaint({}), "ch09:x has no rungs");
  EXPECT_EQ(ladder_complaint({rung("a", 1)}),
            "ch09:x has no baseline: no rung of its own on step 0");
  EXPECT_NE(ladder_complaint({rung("a", 0, true)}).find("no baseline"), std::string::npos);
  EXPECT_EQ(ladder_complaint({rung("a", 0), rung("b", 0)}), "ch09:x/b is on step 0, where 'a' is");
  EXPECT_EQ(ladder_complaint({rung("a", 0), rung("a", 1)}), "ch09:x/a is there twice");
  EXPECT_NE(ladder_complaint({rung("a", 0), rung("b", -1)}).find("step -1"), std::string::npos);

  Rung odd = rung("b", 1);
  odd.builds_on = "nowhere";
  EXPECT_NE(ladder_complaint({rung("a", 0), odd}).find("builds on 'nowhere'"), std::string::npos);
  odd.builds_on = "a";
  EXPECT_EQ(ladder_complaint({rung("a", 0), odd}), "");
  odd.variants = {"c"};
  EXPECT_NE(ladder_complaint({rung("a", 0), odd}).find("unknown variant 'c'"), std::string::npos);
  odd.variants = {"b"};
  odd.prepare = nullptr;
  EXPECT_NE(ladder_complaint({rung("a", 0), odd}).find("no prepare"), std::string::npos);

  EXPECT_EQ(complaint({target("ch09", "x")}, {{"ch09:y", rung("a", 0)}}),
            "rung 'a' is for 'ch09:y', which is no target");
}

TEST(Catalog, RefusesContradictoryNames) {
  EXPECT_EQ(complaint({target("ch09", "x"), target("ch10", "x")}), "");
  EXPECT_EQ(complaint({target("ch09", "x"), target("ch09", "x")}), "ch09:x is there twice");
  EXPECT_EQ(complaint({target("ch09", "x", {{"z", ""}}), target("ch10", "y", {{"z", ""}})}),
            "'z' is a name of ch09:x and of ch10:y");
  EXPECT_NE(complaint({target("ch09", "x", {{"y", ""}}), target("ch09", "y")}), "");
  EXPECT_NE(complaint({target("ch09", "ch09")}).find("named like a chapter"), std::string::npos);
  EXPECT_NE(complaint({target("ch09", "all")}).find("every target"), std::string::npos);
  EXPECT_NE(complaint({target("ch09", "a,b")}).find("cannot be typed"), std::string::npos);
  EXPECT_NE(complaint({target("ch09", "x", {{"z", "fp9"}})}).find("unknown variant 'fp9'"),
            std::string::npos);
}

TEST(Catalog, RefusesSizesThatDoNotFit) {
  Target odd = target("ch09", "x", {}, {"a", "b"});
  odd.full = {{"a", {1}}, {"b", {1, 2}}};
  EXPECT_EQ(complaint({odd}), "ch09:x: full size 'b 1x2' has 2 extents but there are 1 axes");
  odd.full = {{"a", {1}}};
  EXPECT_EQ(complaint({odd}), "ch09:x: no full size of variant b");
  odd.full = {{"a", {1}}, {"b", {1}}, {"c", {1}}};
  EXPECT_NE(complaint({odd}).find("is of no variant"), std::string::npos);
  Target empty = target("ch09", "x");
  empty.quick.clear();
  EXPECT_EQ(complaint({empty}), "ch09:x: no quick size");
  empty = target("ch09", "x");
  empty.problem = nullptr;
  EXPECT_NE(complaint({empty}).find("no problem function"), std::string::npos);
}

TEST(Catalog, OrdersLadderByStepAndPeersByName) {
  const std::vector<Target> targets{target("ch09", "x")};
  const Catalog catalog(targets, {{"ch09:x", rung("top", 2)},
                                  {"ch09:x", rung("zebra", 0, true)},
                                  {"ch09:x", rung("base", 0)},
                                  {"ch09:x", rung("apple", 5, true)},
                                  {"ch09:x", rung("middle", 1)}});
  Ids names;
  for (const auto& each : catalog.rungs_of(catalog.targets()[0])) names.push_back(each.name);
  EXPECT_EQ(names, (Ids{"base", "middle", "top", "apple", "zebra"}));
  EXPECT_THROW(catalog.rungs_of(target("ch10", "x")), std::logic_error);
}

Planned planned(const std::string& chapter, const std::string& name,
                std::vector<std::string> aliases = {}, const std::string& waits = "needs sm_100a") {
  return {
      .chapter = chapter, .name = name, .idea = "", .aliases = std::move(aliases), .waits = waits};
}

std::string planned_complaint(const std::vector<Planned>& plans) {
  const std::vector<Target> targets{target("ch09", "x", {{"z", ""}})};
  return complaint(targets, baselines(targets), plans);
}

TEST(Catalog, RefusesAPlanForWhatIsBuilt) {
  EXPECT_EQ(planned_complaint({planned("ch09", "y"), planned("ch10", "x")}), "");
  const std::string way_out = ", which is planned: take its entry out of planned.cpp";
  EXPECT_EQ(planned_complaint({planned("ch09", "x")}),
            "'x' is a name of ch09:x, which is built, and of ch09:x" + way_out);
  EXPECT_EQ(planned_complaint({planned("ch10", "z")}),
            "'z' is a name of ch09:x, which is built, and of ch10:z" + way_out);
  EXPECT_EQ(planned_complaint({planned("ch10", "y", {"x"})}),
            "'x' is a name of ch09:x, which is built, and of ch10:y" + way_out);
}

TEST(Catalog, RefusesContradictoryPlans) {
  EXPECT_EQ(planned_complaint({planned("ch09", "y"), planned("ch09", "y")}),
            "ch09:y is there twice");
  EXPECT_EQ(planned_complaint({planned("ch09", "y", {"w"}), planned("ch09", "v", {"w"})}),
            "'w' is a name of ch09:v and of ch09:y");
  EXPECT_NE(planned_complaint({planned("ch09", "a b")}).find("cannot be typed"), std::string::npos);
  EXPECT_NE(planned_complaint({planned("ch09", "y", {"all"})}).find("every target"),
            std::string::npos);
  EXPECT_EQ(planned_complaint({planned("ch09", "y", {}, "")}),
            "ch09:y is planned and does not say what it waits for");
}

std::string planned_refusal(const std::string& text) {
  const std::vector<Target> targets{target("ch09", "x")};
  const Catalog catalog(targets, baselines(targets),
                        {planned("ch09", "y", {"w"}), planned("ch14", "v")});
  try {
    for (const auto& each : catalog.select(text)) EXPECT_EQ(each.target->id(), "ch09:x");
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return refusal.what();
  }
  return "accepted";
}

TEST(Select, RefusesWhatIsPlannedAndSkipsItInChapters) {
  for (const char* name : {"y", "ch09:y", "w", "ch09:w", "x,w"})
    EXPECT_EQ(planned_refusal(name),
              "ch09:y needs sm_100a, not built yet; 'aisp bench list-targets' lists what is");
  for (const char* name : {"ch09", "all", "ch09,ch14"})
    EXPECT_EQ(planned_refusal(name), "accepted") << name;
  EXPECT_EQ(planned_refusal("ch14"),
            "nothing of ch14 is built yet; 'aisp bench list-targets' says what its targets wait "
            "for");
  EXPECT_NE(planned_refusal("ch14:w").find("did you mean 'ch09:w'?"), std::string::npos);
}

// Announced the way a chapter does it, the rung before its target.
const RungEntry fixture_step_1{"ch99:fixture_b", rung("step_1", 1)};
const RungEntry fixture_step_0{"ch99:fixture_b", rung("step_0", 0)};
const RungEntry fixture_a_rung{"ch99:fixture_a", rung("only", 0)};
const TargetEntry fixture_b{target("ch99", "fixture_b", {{"fixture_alias", ""}})};
const TargetEntry fixture_a{target("ch99", "fixture_a")};
const PlannedEntry fixture_c{planned("ch99", "fixture_c")};

TEST(Registry, HoldsWhatAnnouncedItself) {
  const auto chapter = select_targets("ch99");
  ASSERT_EQ(chapter.size(), 2u);
  EXPECT_EQ(chapter[0].target->id(), "ch99:fixture_a");
  const auto& ladder = rungs_of(*select_targets("fixture_alias").at(0).target);
  ASSERT_EQ(ladder.size(), 2u);
  EXPECT_EQ(ladder[0].name, "step_0");
  EXPECT_EQ(&all_targets(), &all_targets());
  ASSERT_EQ(planned_targets().size(), 1u);
  EXPECT_EQ(planned_targets()[0].id(), "ch99:fixture_c");
}

TEST(Registry, RefusesLatecomers) {
  all_targets();
  EXPECT_THROW(TargetEntry(target("ch99", "late")), std::logic_error);
  EXPECT_THROW(RungEntry("ch99:fixture_a", rung("late", 1)), std::logic_error);
  EXPECT_THROW(PlannedEntry(planned("ch99", "late")), std::logic_error);
}

}  // namespace
}  // namespace aisp::lab
