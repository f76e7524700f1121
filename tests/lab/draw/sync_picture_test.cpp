// The two pictures of a graph: what stands in them, and that nothing covers anything else.
#include "lab/draw/sync_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/draw/behaviour.hpp"
#include "lab/draw/sync_layout.hpp"
#include "lab/draw/sync_words.hpp"
#include "lab/report/svg.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using testing::HasSubstr;

SyncGraph made_up() {
  SyncGraph graph;
  graph.kernel = "gemm<\"a\\b\">(float*)";
  graph.extents = "grid 4, 96 threads";
  graph.roles = {{"warp 0", "TMA loads", {"setmaxnreg 40"}},
                 {"warps 4-11", "wgmma, global stores, TMA stores, and more of it", {}}};
  graph.nodes = {{SyncObject::mbarrier, "full", "count 1, 16 phases", 4, {"init at a.cu:3"}},
                 {SyncObject::mbarrier, "empty", "count 2, 12..16 phases", 4, {}},
                 {SyncObject::named, "__syncthreads", "96 threads, 1 phase", 1, {}}};
  graph.edges = {
      {0, 0, SyncArrow::signal, {"arrive x16", "expect 16 x 32 KiB"}, {"arrive at a.cu:9"}},
      {0, 0, SyncArrow::asynchronous, {"TMA load 32 x 16 KiB"}, {}},
      {1, 0, SyncArrow::wait, {"wait x16"}, {}},
      {1, 1, SyncArrow::signal, {"arrive x32"}, {}},
      {0, 1, SyncArrow::wait, {"wait x16"}, {}},
      {0, 2, SyncArrow::meet, {"sync x1"}, {}},
      {1, 2, SyncArrow::meet, {"sync x1"}, {}}};
  return graph;
}

// Statements of a digraph: ids, arrows, attributes with quoted values. "" or what is no such line.
std::string problem_with_dot(const std::string& text) {
  const std::string value = R"re(("([^"\\]|\\.)*"|[a-z0-9A-Z]+))re";
  const std::string list = R"re( \[[a-z]+=)re" + value + "(, [a-z]+=" + value + ")*\\]";
  const std::regex statement("  [a-z]+[0-9]*( -> [a-z]+[0-9]+)?" + list + ";|  [a-z]+=" + value +
                             ";");
  const auto lines = base::split(text, '\n');
  if (lines.front() != "digraph sync {" || lines[lines.size() - 2] != "}" || !lines.back().empty())
    return "no digraph";
  for (std::size_t i = 1; i + 2 < lines.size(); ++i)
    if (!std::regex_match(lines[i], statement)) return lines[i];
  return "";
}

TEST(SyncDot, IsWhatGraphvizReads) {
  const std::string text = to_dot(made_up());
  EXPECT_EQ(problem_with_dot(text), "");
  EXPECT_THAT(text, HasSubstr("label=\"gemm<\\\"a\\\\b\\\">(float*)\\ngrid 4"));
  EXPECT_THAT(text, HasSubstr("role0 -> barrier0 [label=\"arrive x16\\nexpect 16 x 32 KiB\", "
                              "tooltip=\"arrive at a.cu:9\"];"));
  EXPECT_THAT(text, HasSubstr("role0 -> barrier0 [label=\"TMA load 32 x 16 KiB\", style=dashed];"));
  EXPECT_THAT(text, HasSubstr("barrier1 -> role0 [label=\"wait x16\"];"));
  EXPECT_THAT(text, HasSubstr("role0 -> barrier2 [label=\"sync x1\", dir=both];"));
  EXPECT_THAT(text, HasSubstr("\"full x4 stages\\ncount 1, 16 phases\""));
  EXPECT_NE(problem_with_dot("digraph sync {\n  role0 [label=\"a\"b\"];\n}\n"), "");
}

TEST(SyncSvg, IsTheGoldenPicture) {
  const auto file = std::filesystem::path(AISP_SOURCE_DIR) / "tests/lab/draw/made_up.svg";
  const std::string text = to_svg(made_up());
  if (std::getenv("AISP_WRITE_GOLDEN") != nullptr) write_text(file, text);
  EXPECT_EQ(text, text_of(file)) << "AISP_WRITE_GOLDEN=1 writes it anew";
}

struct Rectangle {
  std::string what;
  double left, top, right, bottom;
  bool overlaps(const Rectangle& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Boxes, and the words above arrows as they are drawn.
std::vector<Rectangle> drawn(const SyncGraph& graph, const SyncLayout& layout) {
  std::vector<Rectangle> all;
  const auto width = [](const std::string& text) {
    return svg::character * static_cast<double>(text.size());
  };
  for (const auto* boxes : {&layout.roles, &layout.nodes})
    for (const auto& box : *boxes) {
      all.push_back({box.lines[0], box.left, box.top, box.left + box.width, box.bottom()});
      for (const auto& line : box.lines) EXPECT_LE(width(line), box.width);
    }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const SyncArrowPlace& at = layout.edges[i];
    double bottom = at.y;
    for (auto line = graph.edges[i].lines.rbegin(); line != graph.edges[i].lines.rend(); ++line) {
      const double left = at.from_left ? at.barrier - 14 - width(*line) : at.barrier + 14;
      all.push_back({*line, left, bottom - sync_line_height, left + width(*line), bottom});
      bottom -= sync_line_height;
    }
  }
  return all;
}

void expect_clear(const SyncGraph& graph) {
  const SyncLayout layout = lay_out(graph, 10);
  const auto all = drawn(graph, layout);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(all[i].left >= 0 && all[i].right <= layout.width && all[i].top >= 0 &&
                all[i].bottom <= layout.height)
        << all[i].what << " is outside";
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(all[i].overlaps(all[j])) << all[i].what << " covers " << all[j].what;
  }
  // No line down from a role goes through words or a barrier.
  for (const auto& role : layout.roles)
    for (std::size_t i = layout.roles.size(); i < all.size(); ++i)
      EXPECT_FALSE(all[i].left < role.middle() && role.middle() < all[i].right)
          << role.lines[0] << " goes through " << all[i].what;
}

TEST(SyncSvg, NothingCoversAnything) {
  expect_clear(made_up());
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return random() % end; };
  for (int trial = 0; trial < 200; ++trial) {
    SyncGraph graph;
    for (std::size_t i = 0; i <= below(5); ++i)
      graph.roles.push_back({std::string(3 + below(40), 'w'), std::string(below(40), 'd'), {}});
    for (std::size_t i = 0; i <= below(9); ++i)
      graph.nodes.push_back({SyncObject::mbarrier,
                             std::string(1 + below(40), 'b'),
                             "count 1, 3 phases",
                             1 + static_cast<int>(below(4)),
                             {}});
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
      for (std::size_t i = 0; i <= below(6); ++i)
        graph.edges.push_back({below(graph.roles.size()),
                               node,
                               static_cast<SyncArrow>(below(4)),
                               std::vector<std::string>(1 + below(3), std::string(below(60), 'e')),
                               {}});
    expect_clear(graph);
  }
}

TEST(SyncWords, RangesSpreadsAndBytes) {
  EXPECT_EQ(ranges({4, 5, 6, 9, 11, 12}), "4-6, 9, 11-12");
  EXPECT_EQ(shown(Spread{3, 3}), "3");
  EXPECT_EQ(shown(Spread{3, 4}), "3..4");
  EXPECT_EQ(shown_bytes(32768), "32 KiB");
  EXPECT_EQ(shown_bytes(1000), "1000 B");
  EXPECT_EQ(shown_bytes(0), "0 B");
}

TEST(SyncWords, PlacesNameTheCallerOfAWrapper) {
  const SyncPlace wrapped{1,
                          "\t@%p1 mbarrier.arrive.b64 _, [%r1];",
                          {{"/a/ptx.cuh", 4}, {"/a/ring.cuh", 7}, {"/a/k.cu", 9}}};
  EXPECT_EQ(shown_line(wrapped), "ring.cuh:7");
  EXPECT_EQ(shown_chain(wrapped), "ptx.cuh:4 < ring.cuh:7 < k.cu:9");
  EXPECT_EQ(opcode_of(wrapped), "mbarrier.arrive.b64");
  EXPECT_EQ(opcode_of({1, "\t{ .reg .pred p; W: mbarrier.try_wait.b64 p, [%r1];", {}}),
            "mbarrier.try_wait.b64");
  EXPECT_EQ(opcode_of({1, "\tgriddepcontrol.wait;", {}}), "griddepcontrol.wait");
  const SyncPlace own{1, "", {{"/a/k.cu", 4}, {"/a/k.cu", 7}}};
  EXPECT_EQ(shown_line(own), "k.cu:7");
  EXPECT_NE(identity(own), identity({1, "", {{"/b/k.cu", 4}, {"/a/k.cu", 7}}}));
  EXPECT_EQ(shown_line({12, "", {}}), "PTX line 12");
}

TEST(Behaviour, SmallerSetsBelongToTheLargestThatHoldsThem) {
  using Sets = std::vector<std::set<int>>;
  EXPECT_EQ(absorbed(Sets{{1}, {1, 2}, {}, {3}}), (Sets{{1, 2}, {1, 2}, {1, 2}, {3}}));
  EXPECT_EQ(absorbed(Sets{{3}, {}, {1, 2}, {1}}), (Sets{{3}, {1, 2}, {1, 2}, {1, 2}}));
}

TEST(SyncRecordFile, OneRecordForEachLaunchAndBadLinesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_sync_records(folder.path()).files, 0);
  const std::string line =
      R"({"kernel":"k","grid":[1,1,1],"block":[32,1,1],"cluster":[1,1,1],"dynamic_shared":0,)"
      R"("stopped":false,"shared":[],"places":[],"logs":[]})";
  write_text(folder.path() / "1.jsonl", line + "\n" + line + "\n");
  write_text(folder.path() / "2.jsonl", std::regex_replace(line, std::regex("\"k\""), "\"l\""));
  const SyncRecords records = read_sync_records(folder.path());
  EXPECT_EQ(records.files, 2);
  ASSERT_EQ(records.kernels.size(), 2u);
  EXPECT_EQ(records.kernels[1].kernel, "l");
  write_text(folder.path() / "3.jsonl", "\n{}\n");
  const auto refusal = refusal_of([&] { read_sync_records(folder.path()); });
  EXPECT_THAT(refusal.what(), HasSubstr("3.jsonl:2 is no record of synchronisation"));
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
}

}  // namespace
}  // namespace aisp::lab
