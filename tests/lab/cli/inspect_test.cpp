// `aisp inspect` as the user meets it: files with numbers, a line for each, and refusals.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Inspect : public FixtureTest {
 protected:
  Outcome look(const std::string& what, const Words& more = {}) {
    return run(Words{"inspect", what, "--device", "sim:h200,sms=4"} + more);
  }
  std::filesystem::path at(const std::string& rung) const {
    return folder() / "inspect" / "fxgpu_inspected" / rung;
  }
  Words files(const std::string& rung) const {
    Words names;
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(at(rung), none))
      names.push_back(file.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string text(const std::string& rung, const std::string& file) const {
    return text_of(at(rung) / file);
  }
};

TEST_F(Inspect, WritesWhatARungIsMadeOf) {
  const auto sources = folder() / "chapters" / "fxgpu" / "inspected";
  std::filesystem::create_directories(sources);
  write_text(sources / "one_kernel_sm90a.cu", "// what it is\n");
  const auto outcome =
      look("fxgpu:inspected/one_kernel", {"--what", "source,ptx,resources,graph,memory"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(files("one_kernel"),
              ElementsAre("01_source_one_kernel_sm90a.cu", "02_ptx_inspected_double.ptx",
                          "03_resources.txt", "04_graph.txt", "05_memory.txt"));
  EXPECT_EQ(text("one_kernel", "01_source_one_kernel_sm90a.cu"), "// what it is\n");
  const std::string ptx = text("one_kernel", "02_ptx_inspected_double.ptx");
  EXPECT_THAT(ptx, HasSubstr(".entry inspected_double("));
  EXPECT_THAT(ptx, HasSubstr(".version"));
  EXPECT_THAT(ptx, Not(HasSubstr("inspected_nothing"))) << "it was not launched";
  EXPECT_THAT(outcome.out, HasSubstr("fxgpu:inspected/one_kernel, one 64, on NVIDIA H200"));
  EXPECT_THAT(outcome.out, HasSubstr("02_ptx_inspected_double.ptx  "));
  EXPECT_THAT(text("one_kernel", "03_resources.txt"),
              MatchesRegex("from the simulator: .*\n\ninspected_double: [0-9]+ registers, 0 B of "
                           "local memory .*, 128 B of static shared memory, .*\n"));
  EXPECT_THAT(text("one_kernel", "04_graph.txt"),
              HasSubstr("captured CUDA graph: 1 node, 0 edges, 1 kernel launch\n\n"
                        "0  kernel  inspected_double, grid 2, block 32, 0 bytes"));
  EXPECT_THAT(text("one_kernel", "05_memory.txt"), HasSubstr("input x  256 bytes  f32 (64)\n"));
}

TEST_F(Inspect, SaysWhereAProgramHasNoMachineCode) {
  const auto outcome = look("fxgpu:inspected/one_kernel", {"--what", "sass,memory"});
  ASSERT_EQ(outcome.exit, 0);
  const bool machine_code =
      std::filesystem::exists(at("one_kernel") / "01_sass_inspected_double.cubin");
  EXPECT_EQ(outcome.out.find("  sass: none for sm_90 in this program: it was built with PTX alone "
                             "(AISP_MACHINE_CODE=OFF)\n") == std::string::npos,
            machine_code)
      << outcome.out;
}

TEST_F(Inspect, ShowsNodesAndEdges) {
  ASSERT_EQ(look("inspected/three_nodes", {"--what", "graph,ptx"}).exit, 0);
  EXPECT_THAT(files("three_nodes"), ElementsAre("01_ptx_inspected_nothing.ptx",
                                                "02_ptx_inspected_double.ptx", "03_graph.txt"));
  const std::string graph = text("three_nodes", "03_graph.txt");
  EXPECT_THAT(graph, HasSubstr("3 nodes, 2 edges, 2 kernel launches\n\n0  fill  16 bytes\n"));
  EXPECT_THAT(graph, HasSubstr("\nedges\n0 -> 1\n1 -> 2\n"));
}

TEST_F(Inspect, ARungThatCannotBeCapturedIsRunAndWatched) {
  const auto outcome = look("fxgpu:inspected/waits", {"--what", "ptx,resources,graph,memory"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, MatchesRegex("(.|\n)*03_graph.txt  1 piece of work, 1 kernel launch; no "
                                        "graph: it fails under capture: .*\n(.|\n)*"));
  EXPECT_THAT(files("waits"), ElementsAre("01_ptx_inspected_double.ptx", "02_resources.txt",
                                          "03_graph.txt", "04_memory.txt"));
  EXPECT_THAT(text("waits", "02_resources.txt"), HasSubstr("128 B of static shared memory"));
}

TEST_F(Inspect, ARungThatBindsItsBuffersAtItsFirstRunIsCapturedAtItsSecond) {
  const auto outcome = look("fxgpu:inspected/binds_late", {"--what", "graph"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("01_graph.txt  1 node, 0 edges, 1 kernel launch\n"));
}

TEST_F(Inspect, WritesWhatARungShowsOfItself) {
  const auto outcome = look("fxgpu:inspected/exhibits");
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("exhibits, two 128, on ")) << "the variant that it takes";
  EXPECT_THAT(outcome.out, HasSubstr("02_passes_decisions.txt  1 line\n"
                                     "    threads: 32, as wide as a warp\n"));
  const auto names = files("exhibits");
  EXPECT_THAT(names, testing::Contains("01_ir_double_traced.ir"));
  EXPECT_THAT(names, testing::Contains("04_sass_double.cubin"));
  EXPECT_THAT(names, testing::Contains("08_log_compiler.txt"));
  EXPECT_EQ(text("exhibits", "01_ir_double_traced.ir"), "v = load x\n");
  EXPECT_THAT(text("exhibits", "07_memory.txt"), HasSubstr("\nscratch  512 bytes\n"));
}

TEST_F(Inspect, DisassemblesWhereThereIsAProgramForIt) {
  write_text(folder() / "nvdisasm", "#!/bin/sh\necho \"//----- .text.double -----\"; cat \"$2\"\n");
  chmod((folder() / "nvdisasm").c_str(), 0755);
  const std::string path = folder().string() + ":/usr/bin:/bin";
  const auto with_tool = [&] { setenv("PATH", path.c_str(), 1); };
  const auto outcome = run({"inspect", "fxgpu:inspected/exhibits", "--device", "sim"}, with_tool);
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_EQ(text("exhibits", "05_sass_double.sass"),
            "//----- .text.double -----\nno real machine code");
  const auto without = [] {
    setenv("PATH", "/nowhere", 1);
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
  };
  if (access("/usr/local/cuda/bin/nvdisasm", X_OK) == 0) GTEST_SKIP() << "a toolkit has one";
  const auto none = run({"inspect", "fxgpu:inspected/exhibits", "--device", "sim"}, without);
  EXPECT_EQ(none.exit, 0);
  EXPECT_THAT(none.out, HasSubstr("  sass: neither nvdisasm nor cuobjdump is on the PATH"));
  EXPECT_THAT(files("exhibits"), Not(testing::Contains("05_sass_double.sass"))) << "of before";
}

TEST_F(Inspect, TakesAllRungsAndSaysWhatCannotRunHere) {
  const auto outcome = look("fxgpu:inspected", {"--size", "full"});
  EXPECT_EQ(outcome.exit, 3) << outcome.out << "one of them fails";
  EXPECT_THAT(outcome.out, HasSubstr("  not launched: needs sm_100a, this is sm_90\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  failed: it fails whenever it is run\n"));
  EXPECT_THAT(outcome.out, HasSubstr("/one_kernel, one 4096, on "));
  EXPECT_THAT(outcome.out, HasSubstr("/exhibits, two 4096, on ")) << "takes that variant alone";
  EXPECT_THAT(look("fxgpu:inspected/one_kernel", {"--size", "72"}).out, HasSubstr(", one 72, on "));
  EXPECT_THAT(look("fxgpu:inspected/one_kernel", {"--variant", "two", "--size", "72"}).out,
              HasSubstr(", two 72, on "));
}

TEST_F(Inspect, SaysWhatThereIsNoneOf) {
  const auto outcome = look("fxgpu:inspected/one_kernel", {"--what", "ir,log,memory"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_THAT(outcome.out, HasSubstr("  ir: none: a rung that is compiled by nvcc"));
  EXPECT_THAT(outcome.out, HasSubstr("  log: none: nvcc wrote"));
  EXPECT_THAT(files("one_kernel"), ElementsAre("01_memory.txt"));
  const auto host = run({"inspect", "fx:good"});
  EXPECT_THAT(host.out, HasSubstr("  not launched: it runs on the host and launches nothing\n"));
  const auto nothing = look("fxgpu:inspected/on_blackwell", {"--what", "ptx"});
  EXPECT_EQ(nothing.exit, 4);
  EXPECT_EQ(nothing.err, "aisp: nothing to look at: needs sm_100a, this is sm_90\n");
}

TEST_F(Inspect, LeavesOtherFilesAlone) {
  ASSERT_EQ(look("fxgpu:inspected/one_kernel").exit, 0);
  write_text(at("one_kernel") / "01_notes.txt", "mine");
  write_text(at("one_kernel") / "17_ptx_of_before.ptx", "old");
  ASSERT_EQ(look("fxgpu:inspected/one_kernel", {"--what", "graph"}).exit, 0);
  EXPECT_THAT(files("one_kernel"), ElementsAre("01_graph.txt", "01_notes.txt"));
}

TEST_F(Inspect, RefusesWhatItDoesNotKnow) {
  expect_refused(run({"inspect", "--what", "ptx"}), 2, "inspect needs a target");
  expect_refused(look("fxgpu:inspectd"), 2, "inspected");
  expect_refused(look("fx:planned"), 2, "needs a better machine");
  expect_refused(look("fxgpu:inspected/wait"), 2,
                 "fxgpu:inspected has no rung 'wait'; did you mean waits? it has one_kernel, ");
  expect_refused(look("fxgpu:inspected/"), 2, "names no target and rung");
  expect_refused(look("fxgpu"), 2, "inspect takes one target, and 'fxgpu' is ");
  expect_refused(look("fxgpu:inspected", {"fx:good"}), 2, "one target, not ");
  expect_refused(look("fxgpu:inspected", {"--what=saas"}), 2, "inspect --what ");
  expect_refused(look("fxgpu:inspected", {"--what", "ptx,saas"}), 2,
                 "inspect --what knows no 'saas'; did you mean sass? there are ir, passes, source");
  expect_refused(look("fxgpu:inspected", {"--what"}), 2, "needs a value");
  expect_refused(look("fxgpu:inspected", {"--variant", "three"}), 2, "it has one, two");
  expect_refused(look("fxgpu:inspected", {"--size", "65"}), 2, "multiple of 8: got 65");
  expect_refused(look("fxgpu:inspected", {"--size", "-64"}), 2, "-64");
  expect_refused(look("fxgpu:inspected", {"--size", "64x64"}), 2, "takes 1: N");
  expect_refused(look("fxgpu:inspected", {"--size", "64,128"}), 2, "takes one size");
  expect_refused(look("fxgpu:inspected", {"--sise", "64"}), 2, "did you mean --size?");
  expect_refused(look("fxgpu:inspected", {"--device", "sam"}), 2, "auto, gpu or sim");
  EXPECT_FALSE(std::filesystem::exists(folder() / "inspect")) << "refused before it is made";
}

TEST_F(Inspect, RefusesAFolderThatItCannotWrite) {
  write_text(folder() / "taken", "a file");
  expect_refused(look("fxgpu:inspected/one_kernel", {"--out", (folder() / "taken").string()}), 4,
                 "; choose another folder with --out");
}

}  // namespace
}  // namespace aisp::lab
