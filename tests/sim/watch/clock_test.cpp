#include "sim/watch/device/clock.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aisp::sim::watch {
namespace {

constexpr Actor warp_3 = actor_of(3, Channel::lanes), copies_3 = actor_of(3, Channel::copy);

TEST(Actors, NameIndexAndChannel) {
  EXPECT_EQ(index_of(warp_3), 3u);
  EXPECT_EQ(channel_of(copies_3), Channel::copy);
  EXPECT_NE(actor_of(0, Channel::lanes), 0u) << "0 is nobody";
}

TEST(Times, KnowLanesUpToATime) {
  const TimesPtr times = with({}, {{warp_3, 0x0f, 5}});
  EXPECT_EQ(missing(times, warp_3, 0x01, 5), 0u);
  EXPECT_EQ(missing(times, warp_3, 0x01, 6), 0x01u);
  EXPECT_EQ(missing(times, warp_3, 0x11, 5), 0x10u);
  EXPECT_EQ(missing(times, copies_3, 0x01, 1), 0x01u);
  EXPECT_EQ(missing({}, warp_3, 0x01, 1), 0x01u);
}

TEST(Times, JoinKeepsTheLaterOfEachLane) {
  const TimesPtr a = with({}, {{warp_3, all_lanes, 4}});
  const TimesPtr b = with({}, {{warp_3, 0x1, 9}, {copies_3, 0x2, 1}});
  const TimesPtr both = join(a, b);
  EXPECT_EQ(missing(both, warp_3, 0x1, 9), 0u);
  EXPECT_EQ(missing(both, warp_3, 0x2, 5), 0x2u);
  EXPECT_EQ(missing(both, warp_3, all_lanes, 4), 0u);
  EXPECT_EQ(missing(both, copies_3, 0x2, 1), 0u);
}

TEST(Times, JoinOfWhatIsKnownReusesIt) {
  const TimesPtr more = with({}, {{warp_3, all_lanes, 4}, {copies_3, 1, 2}});
  const TimesPtr less = with({}, {{warp_3, 0xff, 3}});
  EXPECT_EQ(join(more, less), more);
  EXPECT_EQ(join(less, more), more);
  EXPECT_EQ(join(more, more), more);
  EXPECT_EQ(join(more, {}), more);
}

// Clocks of many warps that met and went on by themselves.
TEST(Times, WhatDidNotChangeIsShared) {
  constexpr std::uint32_t warps = 1000;
  std::vector<Entry> all;
  for (std::uint32_t i = 0; i < warps; ++i)
    all.push_back({actor_of(i, Channel::lanes), all_lanes, 5});
  const TimesPtr met = with({}, all);
  ASSERT_GT(met->pieces.size(), 4u);
  const TimesPtr one = with(met, {{actor_of(3, Channel::lanes), all_lanes, 6}});
  const TimesPtr other = with(met, {{actor_of(warps - 3, Channel::lanes), all_lanes, 7}});
  const TimesPtr both = join(one, other);
  const auto changed = [](const TimesPtr& a, const TimesPtr& b) {
    int count = 0;
    for (std::size_t i = 0; i < a->pieces.size(); ++i)
      count += a->pieces[i].entries != b->pieces[i].entries;
    return count;
  };
  EXPECT_EQ(changed(met, one), 1);
  EXPECT_EQ(changed(both, one), 1);
  EXPECT_EQ(changed(both, other), 1);
  EXPECT_EQ(join(met, both), both);
  EXPECT_EQ(join(both, met), both);
  EXPECT_EQ(missing(both, actor_of(3, Channel::lanes), all_lanes, 6), 0u);
  EXPECT_EQ(missing(both, actor_of(warps - 3, Channel::lanes), all_lanes, 7), 0u);
}

// Against a table of every lane's time; the last actor is far from the others.
TEST(Times, JoinIsTheMaximumOfEveryLane) {
  std::mt19937 random(7);
  constexpr std::uint32_t actors = 3;
  const auto actor = [](std::uint32_t index) {
    return actor_of(index + 1 == actors ? 500 : index, Channel::lanes);
  };
  for (int round = 0; round < 200; ++round) {
    TimesPtr sum;
    std::uint32_t expected[actors][lanes]{};
    for (int step = 0; step < 8; ++step) {
      std::vector<Entry> entries;
      for (int i = 0; i < 3; ++i) {
        const auto index = static_cast<std::uint32_t>(random() % actors);
        const Entry entry{actor(index), static_cast<Mask>(random()),
                          static_cast<std::uint32_t>(random() % 6 + 1)};
        entries.push_back(entry);
        for (int lane = 0; lane < lanes; ++lane)
          if ((entry.mask >> lane & 1) != 0)
            expected[index][lane] = std::max(expected[index][lane], entry.time);
      }
      sum = step % 2 == 0 ? join(sum, with({}, entries)) : with(sum, entries);
    }
    for (std::uint32_t index = 0; index < actors; ++index)
      for (int lane = 0; lane < lanes; ++lane)
        for (std::uint32_t time = 1; time < 8; ++time)
          ASSERT_EQ(missing(sum, actor(index), Mask{1} << lane, time) == 0,
                    time <= expected[index][lane])
              << "actor " << index << " lane " << lane << " time " << time;
  }
}

// Clocks that come from one another in all ways, as those of blocks that meet do.
TEST(Times, JoinOfRelativesIsTheMaximumOfEveryActor) {
  std::mt19937 random(11);
  constexpr std::uint32_t actors = 200, clocks = 6;  // in several pieces
  const auto any = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random() % count);
  };
  for (int round = 0; round < 60; ++round) {
    TimesPtr known[clocks];
    std::uint32_t expected[clocks][actors]{}, now = 1;
    for (int step = 0; step < 150; ++step) {
      const std::uint32_t at = any(clocks), other = any(clocks);
      if (random() % 2 == 0) {
        const std::uint32_t actor = any(actors), time = now - any(std::min(now, 3u));
        known[at] = with(known[at], {{actor_of(actor, Channel::lanes), all_lanes, time}});
        expected[at][actor] = std::max(expected[at][actor], time);
        ++now;
      } else {
        known[at] = join(known[at], known[other]);
        for (std::uint32_t i = 0; i < actors; ++i)
          expected[at][i] = std::max(expected[at][i], expected[other][i]);
      }
    }
    for (std::uint32_t at = 0; at < clocks; ++at)
      for (std::uint32_t i = 0; i < actors; ++i) {
        const Actor actor = actor_of(i, Channel::lanes);
        const std::uint32_t time = expected[at][i];
        ASSERT_TRUE(time == 0 || missing(known[at], actor, 1, time) == 0u) << i;
        ASSERT_EQ(missing(known[at], actor, 1, time + 1), 1u) << i;
      }
  }
}

TEST(Clocks, JoinGoesLayerByLayer) {
  auto a = std::make_shared<Clock>(), b = std::make_shared<Clock>();
  (*a)[Layer::ordered] = with({}, {{warp_3, 1, 1}});
  (*b)[Layer::async_shared] = with({}, {{warp_3, 1, 1}});
  const ClockPtr both = join(ClockPtr(a), ClockPtr(b));
  EXPECT_EQ((*both)[Layer::ordered], (*a)[Layer::ordered]);
  EXPECT_EQ((*both)[Layer::async_shared], (*b)[Layer::async_shared]);
  EXPECT_EQ(join(both, ClockPtr(a)), both);
  EXPECT_FALSE(layer_of({}, Layer::ordered));
}

}  // namespace
}  // namespace aisp::sim::watch
