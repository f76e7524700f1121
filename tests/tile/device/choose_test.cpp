// The rule that picks a recipe: every product gets one that takes it, and the shapes that the rule
// was written for get what docs/choosing.md says.
#include "tile/device/gemm/choose.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/sweep.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::tile::device {
namespace {

using enum Element;

constexpr Machine h200{}, b200{148, 100};

struct Types {
  Element a, b, d;
};

Matrix matrix(Element element, Major major, std::int64_t rows, std::int64_t columns) {
  const std::int64_t unit = 16 / bytes_of(element);
  const std::int64_t length = major == Major::k ? columns : rows;
  return {reinterpret_cast<const void*>(256), element, (length + unit - 1) / unit * unit, major,
          (rows + unit) * (columns + unit) / unit * unit * unit};
}

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k,
                    Types types = {bf16, bf16, bf16}, Major a = Major::k, Major b = Major::k,
                    Major d = Major::k) {
  GemmProblem made{.m = m, .n = n, .k = k};
  made.a = matrix(types.a, a, m, k);
  made.b = matrix(types.b, b, n, k);
  made.d = matrix(types.d, d, m, n);
  return made;
}

Choice chosen(const GemmProblem& of, const Machine& machine = h200) {
  return choose(of, machine, gemm_recipes());
}

// The first recipe of that name that takes the problem.
const KernelDescription* taking(const std::string& name, const GemmProblem& of) {
  for (const KernelDescription& recipe : gemm_recipes())
    if (recipe.name == name && oriented(recipe, of)) return &recipe;
  return nullptr;
}

void expect_taken(const GemmProblem& of, const Machine& machine) {
  const Choice choice = chosen(of, machine);
  const KernelDescription* recipe = taking(choice.recipe, of);
  ASSERT_NE(recipe, nullptr) << of.m << 'x' << of.n << 'x' << of.k << ": " << choice.recipe;
  EXPECT_TRUE(runs_on(*recipe, machine));
  EXPECT_GE(choice.launch.splits, 1);
  EXPECT_GE(choice.launch.raster.group, 1);
  EXPECT_TRUE(choice.launch.splits == 1 || recipe->schedule != ScheduleKind::whole_tiles);
}

TEST(Choose, GivesEveryProductARecipeThatTakesIt) {
  const Types all[] = {{bf16, bf16, bf16}, {bf16, bf16, f32},  {f16, f16, f16},
                       {f16, f16, f32},    {tf32, tf32, f32},  {f32, f32, f32},
                       {e4m3, e4m3, bf16}, {e4m3, e4m3, f16},  {e4m3, e4m3, f32},
                       {e4m3, e4m3, e4m3}, {e5m2, e4m3, bf16}, {e4m3, e5m2, bf16},
                       {e5m2, e5m2, bf16}, {s8, s8, s32},      {s8, s8, bf16},
                       {s8, s8, f32},      {bf16, s8, bf16},   {e4m3, bf16, bf16}};
  const Machine machines[] = {h200, {8, 90}, {108, 80}, b200};
  // A sample is every seventh: no loop has seven steps, so all values of each take part.
  const int stride = test_sweep::cases(7, 1);
  int number = 0;
  for (const Types types : all)
    for (const std::int64_t m : {1, 64, 333, 100000})
      for (const std::int64_t n : {1, 100, 4096})
        for (const std::int64_t k : {1, 96, 1000, 65536})
          for (const Major a : {Major::k, Major::mn})
            for (const Major b : {Major::k, Major::mn})
              for (const Major d : {Major::k, Major::mn})
                for (const Machine& machine : machines)
                  if (++number % stride == 0 && (types.d != e4m3 || machine.architecture > 80))
                    expect_taken(problem(m, n, k, types, a, b, d), machine);
}

TEST(Choose, TakesTheCopyEngineWhereverRowsAreAligned) {
  for (const Major a : {Major::k, Major::mn})
    for (const Major b : {Major::k, Major::mn})
      for (const Major d : {Major::k, Major::mn})
        for (const Element out : {bf16, f32}) {
          const GemmProblem of = problem(200, 136, 264, {bf16, bf16, out}, a, b, d);
          const KernelDescription* recipe = taking(chosen(of).recipe, of);
          ASSERT_NE(recipe, nullptr);
          EXPECT_EQ(recipe->family, Family::sm90) << recipe->name;
          recipe = taking(chosen(of, b200).recipe, of);
          ASSERT_NE(recipe, nullptr);
          EXPECT_EQ(recipe->family, Family::sm100) << recipe->name;
        }
}

// By published rates: pairs of blocks where they fill the machine, else one block for a tile.
TEST(Choose, PicksPairsOnBlackwellWhereThereAreEnoughTiles) {
  const auto name = [](const GemmProblem& of) { return chosen(of, b200).recipe; };
  EXPECT_EQ(name(problem(8192, 8192, 8192)), "tcgen05_256x256_pair");
  EXPECT_EQ(name(problem(8192, 8192, 8192, {e4m3, e4m3, bf16})), "tcgen05_256x256_pair");
  EXPECT_EQ(name(problem(512, 512, 512)), "tcgen05_128x64");
  GemmProblem odd = problem(200, 137, 264);
  odd.d.stride = 137;
  EXPECT_EQ(name(odd), "tcgen05_direct_128x128") << "only D's rows are not aligned";
  odd.a.stride += 1;
  EXPECT_EQ(name(odd), "general");
  EXPECT_EQ(chosen(problem(512, 512, 512), {148, 103}).recipe, "multistage_128x128")
      << "code for sm_100a alone";
}

TEST(Choose, LeavesTheRestToTheOlderKernels) {
  GemmProblem odd = problem(200, 136, 264);
  odd.a.stride += 1;
  EXPECT_EQ(chosen(odd).recipe, "general");
  EXPECT_EQ(chosen(problem(200, 136, 264), {108, 80}).recipe, "multistage_128x128");
  EXPECT_EQ(chosen(odd, {108, 80}).recipe, "general");
  odd = problem(200, 137, 264);
  odd.d.stride = 137;
  EXPECT_EQ(chosen(odd).recipe, "direct_128x128") << "only D's rows are not aligned";
}

TEST(Choose, PicksWhatTheTableSays) {
  const auto name = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return chosen(problem(m, n, k)).recipe;
  };
  // What was fastest on an H200, or within a per cent of it.
  EXPECT_EQ(name(8192, 8192, 8192), "ping_pong_128x192_pair");
  EXPECT_EQ(name(4096, 4096, 8192), "cooperative_128x256_pair");
  EXPECT_EQ(name(4096, 4096, 4096), "cooperative_128x256_pair");
  EXPECT_EQ(name(1024, 1024, 1024), "single_64x128");
  EXPECT_EQ(name(8192, 8192, 512), "ping_pong_128x192_pair");
  EXPECT_EQ(name(512, 512, 16384), "split_k_128x128_pair");
  EXPECT_EQ(name(16384, 16384, 1024), "ping_pong_128x192_pair");
  EXPECT_EQ(name(16, 8192, 8192), "few_rows_16");
  EXPECT_EQ(name(128, 8192, 8192), "single_64x128");
  EXPECT_EQ(chosen(problem(8192, 8192, 512, {e4m3, e4m3, bf16})).recipe, "cooperative_128x256");
  EXPECT_EQ(name(1, 8192, 8192), "few_rows_16");
  EXPECT_GT(chosen(problem(16, 1024, 8192)).launch.splits, 1) << "16 tiles for 132 multiprocessors";
  EXPECT_GT(chosen(problem(512, 512, 16384)).launch.splits, 2);
}

GemmProblem with_bias(GemmProblem of, Activation activation) {
  of.bias.data = reinterpret_cast<const void*>(256);
  of.activation = activation;
  return of;
}

// On Blackwell too the epilogue is the fast kernels' own.
TEST(Choose, ComputesABiasInTheFastKernelsOfEachArchitecture) {
  for (const Element type : {bf16, f16})
    for (const Major b : {Major::k, Major::mn})
      for (const Machine& machine : {h200, b200, Machine{108, 80}}) {
        const GemmProblem of =
            with_bias(problem(512, 1024, 512, {type, type, type}, Major::k, b), Activation::gelu);
        const std::string name = chosen(of, machine).recipe;
        const auto family = machine.architecture == 100  ? Family::sm100
                            : machine.architecture == 90 ? Family::sm90
                                                         : Family::sm80;
        const KernelDescription* recipe = taking(name, of);
        ASSERT_NE(recipe, nullptr) << name;
        EXPECT_EQ(recipe->family, family) << name_of(type) << ' ' << machine.architecture;
        EXPECT_TRUE(recipe->epilogue.activation);
      }
}

TEST(Choose, PassesKernelsWithAnEpilogueOverForPlainProblems) {
  for (const KernelDescription& recipe : gemm_recipes())
    if (recipe.epilogue.activation) {
      EXPECT_FALSE(oriented(recipe, problem(512, 512, 512))) << recipe.name;
    }
}

TEST(Choose, PicksFewRowsForABiasToo) {
  const auto name = [](std::int64_t m) {
    return chosen(with_bias(problem(m, 8192, 8192), Activation::gelu)).recipe;
  };
  // What was fastest on an H200.
  EXPECT_EQ(name(16), "few_rows_16");
  for (const std::int64_t rows : {32, 64, 96, 128}) EXPECT_EQ(name(rows), "single_64x128") << rows;
  EXPECT_EQ(name(8192), "ping_pong_128x192_pair") << "a heavy epilogue is hidden by ping-pong";
}

// The estimate must grow with the epilogue, and more so with a heavier one.
TEST(Choose, CountsTheActivation) {
  const auto cycles = [](const Machine& machine, Activation activation) {
    const GemmProblem of = with_bias(problem(8192, 8192, 256), activation);
    const KernelDescription* recipe = taking(chosen(of, machine).recipe, of);
    return estimate(*recipe, of, machine).cycles;
  };
  for (const Machine& machine : {h200, b200}) {
    EXPECT_LT(cycles(machine, Activation::relu), cycles(machine, Activation::silu));
    EXPECT_LT(cycles(machine, Activation::silu), cycles(machine, Activation::gelu));
  }
}

// Measured on an H200: blocks that start for every tile take three times as long as persistent ones
// where K is short, whatever the majors.
TEST(Choose, TakesPersistentKernelsForShortSums) {
  for (const Major a : {Major::k, Major::mn})
    for (const Major b : {Major::k, Major::mn})
      for (const std::int64_t k : {64, 128, 256}) {
        const GemmProblem of = problem(8192, 8192, k, {bf16, bf16, bf16}, a, b);
        const KernelDescription* recipe = taking(chosen(of).recipe, of);
        ASSERT_NE(recipe, nullptr);
        EXPECT_FALSE(recipe->block_per_tile) << recipe->name;
      }
}

TEST(Choose, WalksTilesInSquares) {
  const Raster raster = chosen(problem(16384, 16384, 1024)).launch.raster;
  EXPECT_EQ(raster.along, Raster::Along::m);
  EXPECT_GE(raster.group, 4);
  EXPECT_LE(raster.group, 16);
  EXPECT_EQ(chosen(problem(128, 65536, 4096, {tf32, tf32, f32})).launch.raster.group, 1);
}

TEST(Recipes, HaveOneEntryForEachNameAndTypes) {
  std::set<std::string> seen;
  for (const KernelDescription& recipe : gemm_recipes()) {
    const KernelDescription& c = recipe;
    EXPECT_TRUE(seen.insert(base::say(recipe.name, name_of(c.a), name_of(c.b), name_of(c.out),
                                      static_cast<int>(c.a_major), static_cast<int>(c.b_major),
                                      static_cast<int>(c.scaling), c.epilogue.activation))
                    .second)
        << recipe.name;
    EXPECT_EQ(recipe.name.find(' '), std::string::npos);
  }
  EXPECT_GT(seen.size(), 60u);
}

}  // namespace
}  // namespace aisp::tile::device
