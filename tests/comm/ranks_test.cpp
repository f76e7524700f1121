// Ranks as processes: this program starts itself again, once for each. Their NCCL is the fake one.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <sstream>

#include "comm/nccl.hpp"
#include "comm/peer_ring.hpp"
#include "comm/process/rank_service.hpp"
#include "comm/rank_processes.hpp"
#include "comm/staged_ring.hpp"
#include "comm/world.hpp"
#include "tests/comm/collectives.hpp"

namespace aisp::comm {
namespace {

using testing::HasSubstr;
using tests::greet_all;
using tests::run_collectives;

std::unique_ptr<Communicator> fake_nccl(int rank, int ranks, const NcclId& id) {
  return std::make_unique<NcclCommunicator>(load_nccl(AISP_FAKE_NCCL), id, ranks,
                                            LocalRank{rank, rank});
}

class Collectives : public RankService {
 public:
  explicit Collectives(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  void handle(Message message) override {
    if (message.line == "sleep") {
      std::this_thread::sleep_for(std::chrono::hours(1));
    } else if (message.line == "die") {
      raise(SIGKILL);
    } else if (message.line == "fail") {
      throw std::runtime_error("told to fail");
    } else if (message.line == "nothing to do") {
    } else if (message.line == "greet") {
      greet_all(*link_);
    } else if (message.line == "round") {
      StagedRing ring(link_, link_->rank(), 512);
      tests::rounded_sums(ring);
    } else if (message.line == "staged") {
      run_collectives(std::make_unique<StagedRing>(link_, link_->rank(), 512));
    } else {
      run_collectives(fake_nccl(link_->rank(), link_->ranks(), id_from_text(message.line)));
    }
  }

 private:
  std::shared_ptr<Link> link_;
};

const RankServiceEntry entry{"test:collectives", [](std::shared_ptr<Link> link) {
                               return std::make_unique<Collectives>(std::move(link));
                             }};

// What a rank process runs: not a test of its own.
TEST(RankProcess, DISABLED_Serves) { std::_Exit(serve_rank(Channel(Descriptor(rank_channel)))); }

// Where the line goes that says who was lost.
class Lost {
 public:
  RankProcessesOptions options() {
    return {.command = {"/proc/self/exe", "--gtest_filter=RankProcess.DISABLED_Serves",
                        "--gtest_also_run_disabled_tests", "--gtest_brief=1"},
            .lost = [this](const std::string& line) {
              const std::lock_guard lock(mutex_);
              line_ = line;
              came_.notify_all();
            }};
  }
  std::string line() {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::seconds(30), [&] { return !line_.empty(); });
    return line_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::string line_;
};

std::vector<pid_t> children() {
  std::istringstream all([] {
    std::string text;
    FILE* file = std::fopen("/proc/thread-self/children", "r");
    for (int c = file == nullptr ? EOF : std::fgetc(file); c != EOF; c = std::fgetc(file))
      text += static_cast<char>(c);
    if (file != nullptr) std::fclose(file);
    return text;
  }());
  std::vector<pid_t> found;
  for (pid_t process = 0; all >> process;) found.push_back(process);
  return found;
}

TEST(RankProcesses, SumExchangeAndEnd) {
  for (const int ranks : {1, 2, 3}) {
    SCOPED_TRACE(ranks);
    Lost lost;
    {
      const auto id = make_nccl_id(load_nccl(AISP_FAKE_NCCL));
      RankProcesses others(ranks, "test:collectives", lost.options());
      others.tell(id_text(id));
      run_collectives(fake_nccl(0, ranks, id));
      others.wait();
    }
    EXPECT_TRUE(children().empty());
  }
}

// Every rank gets a number from each other one, over the links between them.
TEST(RankProcesses, HaveALinkToEachOther) {
  for (const int ranks : {2, 4}) {
    SCOPED_TRACE(ranks);
    Lost lost;
    RankProcesses others(ranks, "test:collectives", lost.options());
    others.tell("greet");
    EXPECT_NO_THROW(greet_all(*others.link()));
    EXPECT_NO_THROW(others.wait());
  }
}

TEST(RankProcesses, StageWhatTheySumOnTheHost) {
  for (const int ranks : {1, 2, 3}) {
    SCOPED_TRACE(ranks);
    Lost lost;
    RankProcesses others(ranks, "test:collectives", lost.options());
    others.tell("staged");
    run_collectives(std::make_unique<StagedRing>(others.link(), 0, 512));
    others.wait();
  }
}

TEST(RankProcesses, StagedSumsAreThoseOfThePeerRing) {
  Lost lost;
  RankProcesses others(3, "test:collectives", lost.options());
  others.tell("round");
  StagedRing staged(others.link(), 0, 512);
  PeerRing peers({0, 1, 2});
  EXPECT_EQ(tests::rounded_sums(staged), tests::rounded_sums(peers));
  others.wait();
  // 4,099 floats on three ranks: two thirds of them, twice.
  EXPECT_NEAR(static_cast<double>(staged.bytes_sent()), 4099 * 4 * 4.0 / 3, 64);
}

TEST(RankProcesses, SayWhoHasNotAnswered) {
  Lost lost;
  auto options = lost.options();
  options.patience = std::chrono::milliseconds(300);
  RankProcesses others(3, "test:collectives", options);
  others.wait();
  others.tell("sleep");
  EXPECT_EQ(lost.line(), "rank 1 has not answered for 0 s; AISP_RANK_PATIENCE gives it more");
  EXPECT_THROW(others.wait(), std::runtime_error);
  others.kill();
}

TEST(RankProcesses, SayWhoWasKilled) {
  Lost lost;
  RankProcesses others(3, "test:collectives", lost.options());
  others.wait();
  const auto found = children();
  ASSERT_EQ(found.size(), 2u);
  others.tell("sleep");
  kill(found[1], SIGKILL);
  EXPECT_EQ(lost.line(), "rank 2 was killed by SIGKILL (Killed)");
  EXPECT_THROW(others.wait(), std::runtime_error);
  EXPECT_THROW(others.tell("sleep"), std::runtime_error);
  EXPECT_FALSE(others.wait_for(std::chrono::seconds(1)));
  others.kill();  // the other one sleeps
}

TEST(RankProcesses, SayWhatARankHasThrown) {
  Lost lost;
  RankProcesses others(2, "test:collectives", lost.options());
  others.tell("fail");
  EXPECT_EQ(lost.line(), "rank 1: told to fail");
  Lost unknown;
  RankProcesses none(2, "test:nothing", unknown.options());
  EXPECT_EQ(unknown.line(), "rank 1: this program has no service test:nothing");
}

TEST(Nccl, SaysWhatIsMissing) {
  const auto words = [](const std::string& library) -> std::string {
    try {
      load_nccl(library);
    } catch (const base::Refusal& refusal) {
      EXPECT_EQ(refusal.exit(), base::Exit::environment);
      return refusal.what();
    }
    return "";
  };
  EXPECT_THAT(words("libnosuchnccl.so.2"), HasSubstr("no NCCL: libnosuchnccl.so.2: cannot open"));
  EXPECT_THAT(words("libm.so.6"), HasSubstr("no NCCL: libm.so.6 has no ncclGetVersion"));
}

TEST(Nccl, IdGoesThroughText) {
  NcclId id;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<char>(i * 37);
  EXPECT_EQ(id_from_text(id_text(id)).bytes, id.bytes);
  EXPECT_THROW(id_from_text("12"), std::runtime_error);
  EXPECT_THROW(id_from_text(std::string(256, 'g')), std::runtime_error);
}

TEST(World, IsWhatTheLauncherSays) {
  const std::vector<const char*> names{"OMPI_COMM_WORLD_RANK",
                                       "OMPI_COMM_WORLD_SIZE",
                                       "OMPI_COMM_WORLD_LOCAL_SIZE",
                                       "PMI_RANK",
                                       "PMI_SIZE",
                                       "MPI_LOCALNRANKS",
                                       "PMIX_NAMESPACE"};
  const auto with = [&](const std::vector<std::pair<const char*, const char*>>& values) {
    for (const char* name : names) unsetenv(name);
    for (const auto& [name, value] : values) setenv(name, value, 1);
    const auto world = world_of_launcher();
    for (const char* name : names) unsetenv(name);
    return world;
  };
  EXPECT_FALSE(with({}));
  EXPECT_FALSE(with({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}));
  const auto open_mpi = with({{"OMPI_COMM_WORLD_RANK", "2"},
                              {"OMPI_COMM_WORLD_SIZE", "3"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
                              {"PMIX_NAMESPACE", "job-7"}});
  ASSERT_TRUE(open_mpi);
  EXPECT_EQ(open_mpi->rank, 2);
  EXPECT_EQ(open_mpi->size, 3);
  EXPECT_EQ(open_mpi->job, "job-7");
  const auto pmi = with({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}});
  ASSERT_TRUE(pmi);
  EXPECT_EQ(pmi->rank, 1);
  EXPECT_EQ(pmi->job, std::to_string(getppid()));
  EXPECT_THROW(with({{"OMPI_COMM_WORLD_RANK", "0"},
                     {"OMPI_COMM_WORLD_SIZE", "8"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}),
               base::Refusal);
}

}  // namespace
}  // namespace aisp::comm
