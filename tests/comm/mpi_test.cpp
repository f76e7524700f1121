// What the ranks of an MPI job do; mpi.py starts as many of this program by mpirun.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>

#include "comm/mpi/mpi.hpp"
#include "comm/mpi/relay.hpp"
#include "comm/process/rank_service.hpp"
#include "comm/rank_processes.hpp"
#include "comm/staged_ring.hpp"
#include "comm/world.hpp"
#include "tests/comm/collectives.hpp"

namespace aisp::comm {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    return refusal.what();
  }
  return "";
}

TEST(Mpi, SaysWhatIsMissing) {
  setenv("AISP_MPI_LIBRARY", "libnosuchmpi.so.40", 1);
  EXPECT_THAT(refusal_of([] { Mpi(); }), HasSubstr("no Open MPI: libnosuchmpi.so.40: cannot open"));
  setenv("AISP_MPI_LIBRARY", "libm.so.6", 1);
  EXPECT_THAT(refusal_of([] { Mpi(); }), HasSubstr("it is not Open MPI's"));
  unsetenv("AISP_MPI_LIBRARY");
}

// Ranks that speak MPI themselves, as in a program that others write.
TEST(UnderMpi, DISABLED_RanksSumAndExchange) {
  const auto link = std::make_shared<MpiLink>(std::make_shared<Mpi>());
  ASSERT_GT(link->ranks(), 1) << "for mpirun";
  tests::greet_all(*link);
  tests::run_collectives(std::make_unique<StagedRing>(link, link->rank(), 512));
}

TEST(UnderMpi, DISABLED_AnotherNumberOfBytesIsNamed) {
  MpiLink link(std::make_shared<Mpi>());
  std::array<std::byte, 16> bytes{};
  if (link.rank() == 1) link.send(0, std::span(bytes).first(8));
  if (link.rank() == 1) link.send(0, bytes);
  if (link.rank() != 0) return;
  const auto words = [&](std::size_t wanted) -> std::string {
    try {
      link.receive(1, std::span(bytes).first(wanted));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(words(16), "rank 1 has sent 8 bytes, not 16");
  EXPECT_THAT(words(8), HasSubstr("rank 1: "));  // more than there is room for
}

// A rank's process that says what it is not asked.
class Babbler : public RankService {
 public:
  void handle(Message) override {
    const char words[] = "once upon a time";
    if (write(rank_channel, words, sizeof words) < 0) throw std::runtime_error("mute");
  }
};
const RankServiceEntry babbler{"test:babbler",
                               [](const auto&) { return std::make_unique<Babbler>(); }};

// The program of rank 0, with relays, and the others.
TEST(UnderMpi, DISABLED_ARelayCarriesWork) {
  const char* given = std::getenv("OMPI_COMM_WORLD_RANK");
  ASSERT_NE(given, nullptr) << "for mpirun";
  const bool odd =
      std::getenv("AISP_TEST_ODD_VERSION") != nullptr && std::string_view(given) == "2";
  const RelayOptions options{
      .version = odd ? "9.9" : "1.0",
      .command = {"/proc/self/exe", "--gtest_filter=RankProcess.DISABLED_Serves",
                  "--gtest_also_run_disabled_tests", "--gtest_brief=1"}};
  if (std::string_view(given) != "0") std::_Exit(serve_relay(options));

  const std::string name = base::say("aisp-test-", getpid());
  if (std::getenv("AISP_TEST_ODD_VERSION") != nullptr) {
    EXPECT_THAT(
        refusal_of([&] { start_relay(name + "-work", options); }),
        testing::AllOf(HasSubstr("rank 2 on "), HasSubstr(" is aisp 9.9, rank 0 is 1.0; ")));
    return;
  }
  const auto [ranks, secret] = start_relay(name + "-work", options);
  setenv("AISP_WORLD_SIZE", std::to_string(ranks).c_str(), 1);
  setenv("AISP_WORLD_NAME", name.c_str(), 1);
  setenv("AISP_WORLD_SECRET", secret.c_str(), 1);
  setenv("AISP_WORLD_MPI", "1", 1);
  EXPECT_THAT(refusal_of([&] { relayed_ranks(meeting_name(), std::string(32, 'a')); }),
              HasSubstr("does not answer"));
  {
    // Two pieces of work at a time, each with its own processes.
    RankProcesses one(ranks, "test:collectives"), two(ranks, "test:collectives");
    for (RankProcesses* others : {&one, &two}) {
      others->tell("greet");
      EXPECT_NO_THROW(tests::greet_all(*others->link()));
      others->tell("staged");
      tests::run_collectives(std::make_unique<StagedRing>(others->link(), 0, 512));
      EXPECT_NO_THROW(others->wait());
    }
  }
  const auto words = [&](const char* service, const char* line) -> std::string {
    RankProcesses others(ranks, service);
    try {
      others.tell(line);
      others.wait();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(
      words("test:babbler", "anything"),
      testing::ContainsRegex("rank [1-9] has sent 17 bytes that are no answer to anything"));
  EXPECT_THAT(words("test:collectives", "fail"), HasSubstr(": told to fail"));
  EXPECT_THAT(words("test:collectives", "die"),
              testing::ContainsRegex("rank [1-9]: was killed by SIGKILL"));
  // Ranks that were lost with one piece of work are there for the next.
  EXPECT_EQ(words("test:collectives", "nothing to do"), "");
  end_relay(meeting_name(), secret);
}

}  // namespace
}  // namespace aisp::comm
