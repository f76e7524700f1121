// Which peers a plan holds: what --peers asks for, less those whose library is missing.
#include "lab/run/plan/peer_choice.hpp"

#include <gtest/gtest.h>

#include "lab/case/library.hpp"
#include "lab/run/plan/plan.hpp"
#include "tests/fixtures/doubling.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using Words = std::vector<std::string>;

int times_looked = 0;

RungEntry peer(const std::string& target, const std::string& name, const std::string& library) {
  Rung rung = fixture::rung(name, 1, fixture::double_all);
  rung.peer = true;
  rung.library = library;
  return {target, rung};
}

const TargetEntry target_entry{fixture::target("with_peers", "a ladder with peers")};
const RungEntry baseline{"fx:with_peers", fixture::rung("double", 0, fixture::double_all)};
const RungEntry own{"fx:with_peers", fixture::rung("wide", 1, fixture::double_all)};
const RungEntry linked = peer("fx:with_peers", "linked_search", "");
const RungEntry framework = peer("fx:with_peers", "frame_one", "Frame");
const RungEntry framework_too = peer("fx:with_peers", "frame_two", "Frame");
const RungEntry absent = peer("fx:with_peers", "gone", "Gone");
const TargetEntry only_own_entry{fixture::target("without_peers", "a ladder alone")};
const RungEntry only_own{"fx:without_peers", fixture::rung("double", 0, fixture::double_all)};
const LibraryEntry frame{{.name = "Frame", .look = [] {
                            ++times_looked;
                            return LibraryState{.found = "1.0"};
                          }}};
const LibraryEntry gone{{.name = "Gone", .look = [] {
                           return LibraryState{.missing = "there is no gone", .remedy = "find it"};
                         }}};

RunHeader planned(const std::string& peers, const Words& rungs = {},
                  const std::string& targets = "with_peers") {
  RunOptions options;
  options.targets = targets;
  options.peers = peers;
  options.rungs = rungs;
  return plan_run(options, {});
}

Words rungs_of_plan(const std::string& peers, const Words& rungs = {}) {
  return planned(peers, rungs).plan.at(0).rungs;
}

TEST(PeerChoice, WithoutARequestPeersThatNeedNoneRun) {
  EXPECT_EQ(RunOptions{}.peers, "auto");
  EXPECT_EQ(rungs_of_plan("auto"), (Words{"double", "wide", "linked_search"}));
}

TEST(PeerChoice, NoneAllAndNames) {
  EXPECT_EQ(rungs_of_plan("none"), (Words{"double", "wide"}));
  EXPECT_EQ(rungs_of_plan("all"),
            (Words{"double", "wide", "frame_one", "frame_two", "gone", "linked_search"}));
  EXPECT_EQ(rungs_of_plan("frame_two"), (Words{"double", "wide", "frame_two"}));
  EXPECT_EQ(rungs_of_plan("frame,linked"),
            (Words{"double", "wide", "frame_one", "frame_two", "linked_search"}));
}

TEST(PeerChoice, NamingAPeerInRungsAsksForIt) {
  EXPECT_EQ(rungs_of_plan("auto", {"double", "frame_one"}), (Words{"double", "frame_one"}));
  EXPECT_EQ(rungs_of_plan("none", {"double", "frame_one"}), (Words{"double"}));
  const auto refusal = refusal_of([] { planned("none", {"frame_one"}); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_STREQ(refusal.what(),
               "nothing to run: no rung of with_peers matches --rungs frame_one with --peers none");
}

TEST(PeerChoice, AnUnknownPeerIsATypo) {
  const auto refused = [](const std::string& peers, const std::string& targets = "with_peers") {
    const auto refusal = refusal_of([&] { planned(peers, {}, targets); });
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return std::string(refusal.what());
  };
  EXPECT_EQ(refused("frame_one,frame_tow"),
            "unknown peer 'frame_tow' in --peers; did you mean 'frame_two'?");
  EXPECT_EQ(refused("cudnn"),
            "unknown peer 'cudnn' in --peers; these targets have frame_one, frame_two, gone, "
            "linked_search");
  EXPECT_EQ(refused("wide"),
            "unknown peer 'wide' in --peers; these targets have frame_one, "
            "frame_two, gone, linked_search")
      << "a rung of the ladder is no peer";
  EXPECT_EQ(refused("frame,", "without_peers,with_peers").substr(0, 28),
            "unknown peer '' in --peers; ");
  EXPECT_EQ(refused("frame", "without_peers"),
            "unknown peer 'frame' in --peers; these targets have none");
}

TEST(PeerChoice, AbsentPeersLeaveThePlanWithOneLineEach) {
  RunHeader header = planned("all");
  header.plan.push_back(header.plan.front());  // a second size
  EXPECT_EQ(leave_out_absent_peers(header),
            Words{"peer gone is left out: there is no gone; find it"});
  ASSERT_EQ(header.plan.size(), 2u);
  for (const auto& entry : header.plan)
    EXPECT_EQ(entry.rungs, (Words{"double", "wide", "frame_one", "frame_two", "linked_search"}));
}

TEST(PeerChoice, LibrariesAreLookedForOnceAndOnlyWhenAPeerNeedsThem) {
  RunHeader plain = planned("auto");
  const int before = times_looked;
  EXPECT_EQ(leave_out_absent_peers(plain), Words{});
  EXPECT_EQ(times_looked, before);
  RunHeader all = planned("all");
  leave_out_absent_peers(all);
  leave_out_absent_peers(all);
  EXPECT_EQ(times_looked, 1);
}

TEST(PeerChoice, NothingButAbsentPeersIsRefusedWithTheirReasons) {
  RunHeader header = planned("auto", {"gone"});
  const auto refusal = refusal_of([&] { leave_out_absent_peers(header); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_STREQ(refusal.what(), "nothing to run: peer gone is left out: there is no gone; find it");
}

TEST(Libraries, ContradictionsAreErrorsOfTheProgram) {
  EXPECT_THROW((LibraryEntry{{.name = "Frame", .look = nullptr}}), std::logic_error);
  EXPECT_THROW(library_state("nobody"), std::logic_error);
}

}  // namespace
}  // namespace aisp::lab
