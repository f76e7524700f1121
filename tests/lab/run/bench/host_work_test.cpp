// Rungs that do more than enqueue: what they ask for before each run, what they say about
// themselves, and what a graph cannot record.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "lab/run/bench/bench.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

int prepared_runs = 0, runs = 0;
bool ready = false;

Run prepare(Setup& setup) {
  setup.note("by the long way");
  setup.before_each_run([&setup](const Launch& launch) {
    EXPECT_EQ(launch.problem.size.dims, setup.problem().size.dims);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++prepared_runs;
    ready = true;
    setup.note("by the short way");
  });
  return [](const Launch& launch) {
    EXPECT_TRUE(ready) << "a run without what has to come before it";
    ready = false;
    ++runs;
    fixture::double_all(launch);
  };
}

const fixture::WithRung host_work("host_work", "a rung with host work", "plain",
                                  fixture::double_all);
const RungEntry blocking{"fx:host_work", [] {
                           Rung rung = fixture::rung("blocking", 2, fixture::double_all);
                           rung.blocks_host = true;
                           rung.prepare = prepare;
                           return rung;
                         }()};

std::vector<RowRecord> rows_of(Timer timer) {
  Job job;
  job.entry = {"fx:host_work/64", "fx:host_work", "", {64}, {"double", "blocking"}};
  job.rungs = job.entry.rungs;
  job.l2 = L2Mode::hot;
  job.iterations = 6;
  job.warmup = 2;
  job.timer = timer;
  std::vector<RowRecord> rows;
  const auto device = open_host_device();
  run_entry(*device, job,
            {[&](const Record& record) {
               if (const auto* row = std::get_if<RowRecord>(&record)) rows.push_back(*row);
             },
             [](const Phase&) {}});
  return rows;
}

TEST(HostWork, ComesBeforeEachRunOutsideOfItsTime) {
  prepared_runs = runs = 0;
  const auto rows = rows_of(Timer::events);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(runs, 11) << "three checks, two to warm up, six samples";
  EXPECT_EQ(prepared_runs, runs);
  EXPECT_EQ(name_of(rows[1].status), "measured");
  EXPECT_LT(rows[1].median_ms, 20);
  EXPECT_EQ(rows[1].note, "by the short way") << "the last one counts";
  EXPECT_EQ(rows[0].note, "");
}

TEST(HostWork, IsNotRecordedAsAGraph) {
  runs = 0;
  const auto rows = rows_of(Timer::graph);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].rung, "blocking");
  EXPECT_EQ(name_of(rows[0].status), "skipped");
  EXPECT_TRUE(rows[0].reason.starts_with("needs --timer events: ")) << rows[0].reason;
  EXPECT_EQ(name_of(rows[1].status), "measured");
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace aisp::lab
