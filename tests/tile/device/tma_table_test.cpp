#include "tile/device/launch/tma_table.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/files.hpp"

namespace aisp::tile::device {
namespace {

using lab::refusal_of;
using lab::TemporaryFolder;

// As `aisp sweep` writes it: swept axes first, lines that end in \r\n, commas in quotes.
const std::string head = "width,rows,target,variant,size,rung,status,gb_per_s,reason\r\n";

std::string row(const std::string& size, const std::string& rung, const std::string& status,
                const std::string& rate, const std::string& reason = "") {
  return "1,2,ch14:tma_configs,tile," + size + "," + rung + "," + status + "," + rate + "," +
         reason + "\r\n";
}

const std::string some =
    head + row("tile 256x32x16x4x2x2x512x32768", "asked", "measured", "4100.5") +
    row("tile 256x32x16x4x2x2x512x32768", "usual_box", "measured", "9999") +
    row("tile 128x64x128x4x1x2x512x32768", "asked", "measured", "4100.5", "\"a, \"\"b\"\"\"") +
    row("tile 64x8x64x4x1x3x512x32768", "asked", "measured", "900") +
    row("tile 64x9x64x4x1x3x512x32768", "asked", "wrong", "5000") +
    row("im2col 64x8x64x4x1x4x512x32768", "asked", "measured", "700");

TEST(TmaTable, HasTheMeasuredCellsOfTheRungThatTakesWhatWasAsked) {
  const TmaTable table = parse_tma_table(some, "file");
  ASSERT_EQ(table.cells.size(), 4u);
  const TmaCell& cell = table.cells[0];
  EXPECT_EQ(cell.mode, "tile");
  EXPECT_EQ(cell.width, 256);
  EXPECT_EQ(cell.rows, 32);
  EXPECT_EQ(cell.swizzle, 16);
  EXPECT_EQ(cell.stages, 4);
  EXPECT_EQ(cell.blocks, 2);
  EXPECT_EQ(cell.rank, 2);
  EXPECT_EQ(cell.gb_per_s, 4100.5);
  EXPECT_EQ(cell.bytes_in_flight(), 256 * 32 * 4 * 2);
}

TEST(TmaTable, TheBestIsTheFastestThatFits) {
  const TmaTable table = parse_tma_table(some, "file");
  ASSERT_NE(table.best({}), nullptr);
  EXPECT_EQ(table.best({})->width, 128) << "as fast as the other with half of its bytes";
  EXPECT_EQ(table.best({.swizzle = 16})->width, 256);
  EXPECT_EQ(table.best({.mode = "im2col"})->gb_per_s, 700);
  EXPECT_EQ(table.best({.rank = 3})->gb_per_s, 900);
  EXPECT_EQ(table.best({.width = 64})->gb_per_s, 900);
  EXPECT_EQ(table.best({.mode = "tile", .shared_bytes = 4096})->gb_per_s, 900);
  EXPECT_EQ(table.best({.width = 512}), nullptr);
  EXPECT_EQ(table.best({.shared_bytes = 100}), nullptr);
}

TEST(TmaTable, SeveralSweepsMayFollowEachOther) {
  const std::string other =
      "rank,status,target,size,rung,gb_per_s\n"
      "5,measured,ch14:tma_configs,tile 32x8x32x4x1x5x512x32768,asked,123\n";
  const TmaTable table = parse_tma_table(some + "\n" + other, "file");
  ASSERT_EQ(table.cells.size(), 5u);
  EXPECT_EQ(table.cells[4].rank, 5);
}

TEST(TmaTable, RefusesWhatIsNoneWithItsLine) {
  const auto refused = [](const std::string& text) {
    return std::string(refusal_of([&] { parse_tma_table(text, "mine.csv"); }).what());
  };
  EXPECT_NE(refused("a,b\n1,2\n").find("mine.csv, line 1: 2 cells, and the head has 0"),
            std::string::npos)
      << refused("a,b\n1,2\n");
  EXPECT_NE(refused(head + "1,2\n").find("line 2: 2 cells, and the head has 9"), std::string::npos);
  EXPECT_NE(refused("size,gb_per_s\ntile 1x1,2\n").find("no column 'target'"), std::string::npos);
  EXPECT_NE(refused("target,gb_per_s\nch10:matmul,2\n").find("a row of 'ch10:matmul'"),
            std::string::npos);
  for (const char* size : {"tile 256x32x16x4x2x2x512", "tile 256x32x16x4x2x2x512x32768x1",
                           "tile 256x32x16x4x2x2x512x", "tile 256x0x16x4x2x2x512x32768", "tile"})
    EXPECT_NE(refused(head + row(size, "asked", "measured", "1"))
                  .find(base::say("'", size, "' is no size")),
              std::string::npos)
        << size;
  for (const char* rate : {"", "fast", "-3", "0", "12x"})
    EXPECT_NE(refused(head + row("tile 256x32x16x4x2x2x512x32768", "asked", "measured", rate))
                  .find(base::say("'", rate, "' is no rate")),
              std::string::npos)
        << rate;
}

TEST(TmaTable, IsReadFromAFileAndNothingWhereThereIsNone) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_tma_table(folder.path() / "none.csv"));
  std::ofstream(folder.path() / "some.csv", std::ios::binary) << some;
  const auto table = read_tma_table(folder.path() / "some.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->cells.size(), 4u);
  std::filesystem::create_directory(folder.path() / "folder.csv");
  const auto refusal = refusal_of([&] { read_tma_table(folder.path() / "folder.csv"); });
  EXPECT_NE(std::string(refusal.what()).find("cannot read"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder.path() / "fifo.csv").c_str(), 0600), 0);
  const auto fifo = refusal_of([&] { read_tma_table(folder.path() / "fifo.csv"); });
  EXPECT_NE(std::string(fifo.what()).find("it is a FIFO"), std::string::npos);
}

}  // namespace
}  // namespace aisp::tile::device
