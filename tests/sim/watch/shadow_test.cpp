#include "sim/watch/device/shadow.hpp"

#include <gtest/gtest.h>

#include "sim/watch/written.hpp"

namespace aisp::sim::watch {
namespace {

void see(Page& page, std::uint32_t offset, std::uint8_t seen) {
  Cell cell = page.cell(offset);
  cell.write.seen |= seen;
  page.put(offset >> page.shift(), cell);
}

TEST(Page, StartsCoarseAndKeepsWhatItKnowsWhenRefined) {
  Page page;
  page.refine(Page::coarsest);
  EXPECT_EQ(page.shift(), Page::coarsest);
  Cell one = page.cell(32);
  one.write.actor = 9;
  page.more(one).push_back({.actor = 5, .time = 2, .mask = 1, .pc = 7, .flags = 0});
  page.put(32 / 16, one);
  page.refine(1);
  EXPECT_EQ(page.shift(), 1);
  for (std::uint32_t offset = 32; offset < 48; offset += 2) {
    EXPECT_EQ(page.cell(offset).write.actor, 9u);
    ASSERT_NE(page.more_or_null(page.cell(offset)), nullptr);
    EXPECT_EQ(page.more_or_null(page.cell(offset))->size(), 1u);
  }
  EXPECT_EQ(page.cell(30).write.actor, 0u);
  EXPECT_EQ(page.cell(48).write.actor, 0u);
  Cell read = page.cell(34);
  page.forget_readers(read);
  EXPECT_TRUE(page.more_or_null(page.cell(34))->empty());
  EXPECT_EQ(page.more_or_null(page.cell(36))->size(), 1u) << "each cell has readers of its own";
  page.refine(3);
  EXPECT_EQ(page.shift(), 1) << "never coarser again";
}

TEST(Page, RowsBecomeCells) {
  Page page;
  EXPECT_EQ(page.row(4, 4), nullptr) << "a row begins at a multiple of its size";
  Row* const row = page.row(128, 4);
  ASSERT_NE(row, nullptr);
  row->write.actor = 3;
  row->write.time = 5;
  row->read.actor = 4;
  EXPECT_EQ(page.row(0, 8), nullptr) << "units of another size need cells";
  page.refine(Page::coarsest);
  EXPECT_EQ(page.shift(), 2);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const Cell& cell = page.cell(128 + 4 * lane);
    EXPECT_EQ(cell.write.actor, 3u);
    EXPECT_EQ(cell.write.time, 5u);
    EXPECT_EQ(cell.write.lane, lane);
    EXPECT_EQ(cell.read.actor, 4u);
    EXPECT_EQ(cell.read.mask, Mask{1} << lane);
  }
  EXPECT_EQ(page.cell(124).write.actor, 0u);
  EXPECT_EQ(page.row(128, 4), nullptr) << "cells stay";
}

TEST(Page, UnitIsWhatAddressAndSizeShare) {
  EXPECT_EQ(unit_shift(32, 16), 4);
  EXPECT_EQ(unit_shift(32, 64), 4);
  EXPECT_EQ(unit_shift(36, 4), 2);
  EXPECT_EQ(unit_shift(32, 2), 1);
  EXPECT_EQ(unit_shift(33, 1), 0);
}

TEST(GlobalShadow, FootprintIsMergedRanges) {
  GlobalShadow shadow;
  const auto write = [&](std::uint64_t address) {
    Page& page = shadow.page(address);
    page.refine(2);
    see(page, static_cast<std::uint32_t>(address & (Page::bytes - 1)), seen_of(true, 0, false));
  };
  for (std::uint64_t address = 4096 + 508; address < 4096 + 520; address += 4) write(address);
  shadow.page(8192).refine(Page::coarsest);
  see(shadow.page(8192), 16, seen_of(false, 0, false));
  shadow.page(16384).row(128, 4)->write.actor = 1;
  Footprint footprint;
  shadow.footprint(footprint);
  ASSERT_EQ(footprint.writes.size(), 2u);
  EXPECT_EQ(footprint.writes[0].begin, 4096u + 508);
  EXPECT_EQ(footprint.writes[0].end, 4096u + 520);
  EXPECT_EQ(footprint.writes[1].begin, 16384u + 128);
  EXPECT_EQ(footprint.writes[1].end, 16384u + 256);
  ASSERT_EQ(footprint.reads.size(), 1u);
  EXPECT_EQ(footprint.reads[0].begin, 8192u + 16);
  EXPECT_EQ(footprint.reads[0].end, 8192u + 32);
}

TEST(GlobalShadow, FootprintSaysHowMemoryWasTouched) {
  GlobalShadow shadow;
  shadow.page(4096).refine(2);
  const auto touch = [&](std::uint64_t address, bool writes, int flags) {
    see(shadow.page(address), static_cast<std::uint32_t>(address - 4096),
        seen_of(writes, static_cast<std::uint8_t>(flags), false));
  };
  touch(4096, true, flag_strong);  // at the scope of the device
  touch(4100, true, flag_strong);
  touch(4104, true, flag_strong | flag_scope_system);
  touch(4108, true, flag_strong | flag_scope_cta);  // no other kernel is in that scope
  touch(4112, true, flag_strong);
  touch(4112, false, 0);
  touch(4116, true, 0);
  touch(4116, false, 0);
  Footprint footprint;
  shadow.footprint(footprint);
  ASSERT_EQ(footprint.writes.size(), 5u);
  EXPECT_EQ(footprint.writes[0].end, 4104u);
  EXPECT_EQ(footprint.writes[0].how, how_below_system | how_no_swap);
  EXPECT_EQ(footprint.writes[1].how, how_no_swap);
  EXPECT_EQ(footprint.writes[2].how, how_weak);
  EXPECT_EQ(footprint.writes[3].how, how_below_system | how_no_swap);
  EXPECT_EQ(footprint.writes[4].how, how_weak);
  ASSERT_EQ(footprint.reads.size(), 1u) << "a read beside a weak write says nothing more";
  EXPECT_EQ(footprint.reads[0].begin, 4112u);
  EXPECT_EQ(footprint.reads[0].how, how_weak);
}

TEST(Footprint, StrongAccessesMeetWhereTheirScopesHoldEachOther) {
  constexpr std::uint8_t device = how_below_system | how_no_swap, system = how_no_swap,
                         swap = how_below_system;
  EXPECT_TRUE(may_meet(device, true, device, true, true));
  EXPECT_FALSE(may_meet(device, true, device, true, false)) << "on two devices";
  EXPECT_TRUE(may_meet(system, true, system, true, false));
  EXPECT_FALSE(may_meet(device, true, system, true, false));
  EXPECT_FALSE(may_meet(how_weak, false, device, true, true));
  EXPECT_FALSE(may_meet(how_weak, true, swap, true, true));
  EXPECT_TRUE(may_meet(how_weak, false, swap, true, true)) << "a guess before the swap";
  EXPECT_FALSE(may_meet(how_weak, false, swap, true, false));
}

TEST(GlobalShadow, AnotherGridStartsEmpty) {
  {
    GlobalShadow first;
    first.page(4096).row(0, 4)->write.actor = 1;
  }
  GlobalShadow second;
  EXPECT_EQ(second.page(4096).row(0, 4)->write.actor, 0u);
}

TEST(Written, IsAUnionOfRanges) {
  Written written;
  written.add(10, 20);
  written.add(30, 40);
  EXPECT_TRUE(written.covers(12, 20));
  EXPECT_FALSE(written.covers(12, 21));
  written.add(18, 30);
  EXPECT_TRUE(written.covers(10, 40));
}

}  // namespace
}  // namespace aisp::sim::watch
