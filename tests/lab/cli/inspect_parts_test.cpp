// The parts of `aisp inspect` that need no rung.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/inspect/device_code.hpp"
#include "app/inspect/disassembler.hpp"
#include "app/inspect/numbered_files.hpp"
#include "tests/support/files.hpp"

namespace aisp::app {
namespace {

using base::Image;
using testing::ElementsAre;

constexpr const char* module_text = R"(.version 9.0
.target sm_90
.extern .func (.param .b32 r) vprintf (.param .b64 a);
.global .align 1 .b8 text[3] = {37, 100, 0};
.visible .entry declared(.param .u64 p);
.visible .entry first(
.param .u64 first_param_0
)
{
// a brace that is none: }
.reg .b32 %r<2>;
{
call.uni (retval0), vprintf, (param0);
}
ret;
}
.func helper() { ret; }
	// .globl	second
.visible .entry second()
.maxntid 32, 1, 1
{
ret;
}
.file	1 "a.cu"
	.section	.debug_str
	{
.b8 1
	}
)";

TEST(KernelsIn, FindsThoseThatAreDefined) {
  EXPECT_THAT(kernels_in(module_text), ElementsAre("first", "second"));
  EXPECT_THAT(kernels_in(""), ElementsAre());
  EXPECT_THAT(kernels_in(".entry"), ElementsAre());
  EXPECT_THAT(kernels_in(".entry cut {"), ElementsAre("cut"));
  EXPECT_THAT(kernels_in("// .entry said\n.entryway x {}"), ElementsAre());
}

TEST(OnlyKernel, LeavesOutTheOthersAndNothingElse) {
  const std::string second = only_kernel(module_text, "second");
  EXPECT_EQ(second,
            ".version 9.0\n.target sm_90\n.extern .func (.param .b32 r) vprintf (.param .b64 a);\n"
            ".global .align 1 .b8 text[3] = {37, 100, 0};\n"
            ".visible .entry declared(.param .u64 p);\n\n.func helper() { ret; }\n"
            "\t// .globl\tsecond\n.visible .entry second()\n.maxntid 32, 1, 1\n{\nret;\n}\n"
            ".file\t1 \"a.cu\"\n");
  EXPECT_THAT(kernels_in(only_kernel(module_text, "first")), ElementsAre("first"));
}

Image image(Image::Kind kind, int architecture, char suffix = 0) {
  return {.kind = kind, .architecture = architecture, .suffix = suffix, .bytes = {}};
}

TEST(ImageFor, TakesWhatTheDeviceRuns) {
  constexpr auto ptx = Image::Kind::ptx, code = Image::Kind::machine_code;
  const std::vector<Image> images{image(ptx, 80), image(code, 80), image(ptx, 90, 'a'),
                                  image(ptx, 90), image(code, 90), image(ptx, 100)};
  EXPECT_EQ(image_for(images, ptx, 90), &images[2]);
  EXPECT_EQ(image_for(images, ptx, 89), &images[0]);
  EXPECT_EQ(image_for(images, ptx, 100), &images[5]);
  EXPECT_EQ(image_for(images, ptx, 75), nullptr);
  EXPECT_EQ(image_for(images, code, 90), &images[4]);
  EXPECT_EQ(image_for(images, code, 86), &images[1]) << "runs within its generation";
  EXPECT_EQ(image_for(images, code, 100), nullptr) << "machine code of another generation";
}

TEST(PartOfKernel, IsThatKernelAlone) {
  const std::string all =
      "\t.headerflags\n//------- .text.one_more -------\nA\n//------- .text.one -------\nB\nC\n"
      "//------- .nv.shared -------\nD\n";
  EXPECT_EQ(part_of_kernel(all, "one"), "//------- .text.one -------\nB\nC\n");
  EXPECT_EQ(part_of_kernel(all, "two"), all);
}

TEST(NumberedFiles, HaveTameNames) {
  const lab::TemporaryFolder folder;
  NumberedFiles files(folder.path() / "a" / "b");
  EXPECT_EQ(files.write("ptx", "ch09::pass<1, 2>.ptx", "x").filename(),
            "01_ptx_ch09__pass_1__2_.ptx");
  EXPECT_EQ(files.write("graph", ".txt", "y").filename(), "02_graph.txt");
  EXPECT_EQ(files.write("ptx", "../../up.ptx", "z").parent_path(), folder.path() / "a" / "b");
  EXPECT_LT(files.write("ptx", std::string(3000, 'k') + ".ptx", "z").filename().string().size(),
            100u);
  EXPECT_EQ(files.count(), 4);
}

TEST(NumberedFiles, FollowNoLinkThatIsPlantedInTheirPlace) {
  const lab::TemporaryFolder folder;
  const auto victim = folder.path() / "victim", place = folder.path() / "out" / "01_ptx.ptx";
  std::filesystem::create_directories(place.parent_path());
  std::filesystem::create_symlink(victim, place);
  NumberedFiles files(place.parent_path());
  EXPECT_EQ(files.write("ptx", ".ptx", "text"), place);
  EXPECT_FALSE(std::filesystem::exists(victim));
  EXPECT_EQ(lab::text_of(place), "text");
}

}  // namespace
}  // namespace aisp::app
