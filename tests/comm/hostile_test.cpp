// Strangers at the door of the ranks: every message of the protocol cut, lengthened, repeated,
// reordered or made up, by clients of the same user and of another one.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <future>
#include <random>
#include <set>
#include <thread>

#include "base/refuse.hpp"
#include "comm/process/admission.hpp"
#include "comm/process/peer.hpp"
#include "comm/rank_processes.hpp"

// Whom this program has signalled: in place of the C library's, which it calls.
static std::atomic<int> signals_sent{0};
extern "C" int kill(pid_t process, int signal) noexcept {
  if (signal != 0) ++signals_sent;
  return static_cast<int>(syscall(SYS_kill, process, signal));
}

namespace aisp::comm {
namespace {

using testing::HasSubstr;
using Random = std::mt19937;

constexpr int ranks = 4;
constexpr int rounds = 20, clients_in_a_round = 250;
const std::string secret = "00112233445566778899aabbccddeeff";

std::string name_of(const std::string& what) {
  return base::say("aisp-test-", getpid(), '-', what);
}

std::string random_bytes(Random& random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// What a client that does not know the secret could say.
std::vector<std::string> words_of(Random& random) {
  const std::string other = "ffeeddccbbaa99887766554433221100";
  const std::vector<std::string> known{hello_of(1, other),
                                       hello_of(2, ""),
                                       "rank -7 " + secret,
                                       "rank x " + secret,
                                       "rank 0 " + secret,
                                       "rank 4 " + secret,
                                       "rank 01 " + secret,
                                       "rank 1 " + other + " more",
                                       "rank 18446744073709551617 " + secret,
                                       "-7",
                                       "x",
                                       "done",
                                       "error",
                                       "error ",
                                       "welcome " + other,
                                       "1 4 test:collectives",
                                       "",
                                       " "};
  std::string one = known[random() % known.size()];
  switch (random() % 7) {
    case 0:
      return {one};
    case 1:
      return {one.substr(0, random() % (one.size() + 1))};
    case 2:
      return {one + random_bytes(random, random() % 6000)};
    case 3:
      return {one, one, one};
    case 4:
      std::shuffle(one.begin(), one.end(), random);
      return {one};
    case 5:
      return {random_bytes(random, random() % 64)};
    default:
      return {};  // says nothing
  }
}

void say_raw(const Channel& channel, const std::string& line, int files) {
  iovec text{const_cast<char*>(line.data()), line.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 16)] = {};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  if (files > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * static_cast<std::size_t>(files));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * static_cast<std::size_t>(files));
    for (int i = 0; i < files; ++i)
      std::memcpy(CMSG_DATA(header) + sizeof(int) * static_cast<std::size_t>(i), "\0\0\0",
                  sizeof(int));
  }
  sendmsg(channel.descriptor(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// What goes wrong in a test leaves nobody behind.
pid_t fork_that_ends_with_us() {
  const pid_t process = fork();
  if (process == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return process;
}

// Connects again and again, says something each time, and stays now and then.
void be_hostile(const std::string& name, unsigned seed, uid_t user) {
  if (user != 0 && setuid(user) != 0) _exit(1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // another user has lost it
  Random random(seed);
  std::vector<Channel> silent;
  for (int i = 0; i < clients_in_a_round; ++i) {
    auto channel = meet(name);
    if (!channel) _exit(2);
    for (const auto& line : words_of(random))
      say_raw(*channel, line, random() % 8 == 0 ? static_cast<int>(random() % 9) : 0);
    if (random() % 16 == 0) silent.push_back(std::move(*channel));
  }
  pause();  // until killed: those that say nothing stay connected
}

pid_t start_hostile(const std::string& name, unsigned seed, uid_t user) {
  const pid_t process = fork_that_ends_with_us();
  if (process == 0) be_hostile(name, seed, user);
  return process;
}

void end(pid_t process) {
  syscall(SYS_kill, process, SIGKILL);
  waitpid(process, nullptr, 0);
}

TEST(HostilePeer, NoStrangerIsLetInAndNobodyIsKeptWaiting) {
  const bool root = geteuid() == 0;  // who can be another user
  for (unsigned round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const std::string name = name_of(base::say("door", round));
    const Meeting meeting(name);
    const uid_t user = root && round % 2 == 1 ? 65534 : 0;
    const pid_t first = start_hostile(name, 2 * round, user),
                second = start_hostile(name, 2 * round + 1, 0);
    std::set<std::string> reasons;
    std::atomic<int> refused = 0;
    std::vector<Channel> honest;
    for (int rank = 0; rank < ranks; ++rank) honest.emplace_back(Descriptor());
    std::thread come([&] {
      // They come late: when nearly all strangers have been dealt with.
      for (int waited = 0; refused < 2 * clients_in_a_round * 9 / 10 && waited < 5000; waited += 10)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      for (int rank = 1; rank < ranks; ++rank) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        auto channel = meet(name);
        ASSERT_TRUE(channel);
        channel->send(hello_of(rank, secret));
        honest[static_cast<std::size_t>(rank)] = std::move(*channel);
      }
    });
    std::vector<Admitted> admitted;
    EXPECT_NO_THROW(admitted = admit(meeting,
                                     {.ranks = ranks,
                                      .secret = secret,
                                      .refused =
                                          [&](const std::string& line) {
                                            ++refused;
                                            reasons.insert(line.substr(line.find(": it ")));
                                          }},
                                     std::chrono::seconds(20)));
    come.join();
    ASSERT_EQ(admitted.size(), 3u);
    // The channels are those of the honest ones: what is said at one end is heard at the other.
    for (const auto& [rank, channel] : admitted) {
      honest[static_cast<std::size_t>(rank)].send(base::say("I am ", rank));
      const auto heard = channel.receive_within(std::chrono::seconds(2));
      ASSERT_TRUE(heard);
      EXPECT_EQ(heard->line, base::say("I am ", rank));
    }
    EXPECT_GE(refused, 2 * clients_in_a_round * 9 / 10);
    EXPECT_GE(reasons.size(), 3u) << "silent, nonsense, another secret";
    end(first);
    end(second);
  }
}

// All of them, without an honest rank that ends the wait: each is refused by name, and the deadline
// holds.
TEST(HostilePeer, TheDeadlineHoldsWhateverComes) {
  const std::string name = name_of("deadline");
  const Meeting meeting(name);
  const pid_t hostile = start_hostile(name, 99, 0);
  const auto start = std::chrono::steady_clock::now();
  int refused = 0;
  std::string why;
  try {
    admit(meeting,
          {.ranks = 2, .secret = secret, .refused = [&](const std::string&) { ++refused; }},
          std::chrono::seconds(4));
  } catch (const base::Refusal& refusal) {
    why = refusal.what();
  }
  EXPECT_THAT(why, HasSubstr("of 1 other ranks under mpirun 0 have come within 4 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(6));
  EXPECT_EQ(refused, clients_in_a_round) << "the silent ones too, after two seconds";
  end(hostile);
}

TEST(HostilePeer, AnotherUserIsRefusedEvenWithTheSecret) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const std::string name = name_of("user");
  const Meeting meeting(name);
  const pid_t other = fork_that_ends_with_us();
  if (other == 0) {
    if (setuid(65534) != 0) _exit(1);
    auto channel = meet(name);
    channel->send(hello_of(1, secret));
    pause();
  }
  std::string line;
  EXPECT_THROW(
      admit(meeting,
            {.ranks = 2, .secret = secret, .refused = [&](const std::string& one) { line = one; }},
            std::chrono::seconds(1)),
      base::Refusal);
  EXPECT_THAT(line, HasSubstr("of user 65534 at the door of the ranks: it is another user's"));
  end(other);
}

TEST(HostilePeer, OnlyChildrenOfTheLauncherNeedNoSecret) {
  const std::string name = name_of("launcher");
  const auto try_as = [&](pid_t launcher) {
    const Meeting meeting(name);
    const pid_t child = fork_that_ends_with_us();
    if (child == 0) {
      auto channel = meet(name);
      channel->send(hello_of(1, ""));
      pause();
    }
    std::size_t came = 0;
    std::string line;
    try {
      came = admit(meeting,
                   {.ranks = 2,
                    .secret = secret,
                    .launcher = launcher,
                    .refused = [&](const std::string& one) { line = one; }},
                   std::chrono::seconds(1))
                 .size();
    } catch (const base::Refusal&) {
    }
    end(child);
    return std::pair(came, line);
  };
  EXPECT_EQ(try_as(getpid()).first, 1u);
  EXPECT_THAT(try_as(getppid()).second,
              HasSubstr("says that it is rank 1, but was not started by this job's launcher"));
  EXPECT_EQ(try_as(0).first, 0u);
}

TEST(HostilePeer, AHelloIsWrittenInOneWay) {
  const auto read = [](const std::string& line) { return read_hello({.line = line}, ranks); };
  ASSERT_TRUE(read(hello_of(3, secret)));
  EXPECT_EQ(read(hello_of(3, secret))->rank, 3);
  EXPECT_EQ(read(hello_of(3, secret))->secret, secret);
  ASSERT_TRUE(read(hello_of(1, "")));
  for (const auto& line :
       {"rank 1 " + secret + " more", "rank 1 " + secret + " ", " rank 1 " + secret,
        "rank  1 " + secret, "rank +1 " + secret, "rank 1" + secret, "rank 1 " + secret.substr(1),
        "rank 1 " + secret + "0", "rank 1 " + std::string(32, 'G'), "rank 4 " + secret,
        "rank -1 " + secret})
    EXPECT_FALSE(read(line)) << line;
  EXPECT_FALSE(read_hello({.line = hello_of(1, secret), .cut = true}, ranks));
}

TEST(HostilePeer, AnAnswerIsDoneOrAnErrorAndNothingElse) {
  const auto read = [](const std::string& line) { return read_answer({.line = line}); };
  ASSERT_TRUE(read("done"));
  EXPECT_TRUE(read("done")->done);
  ASSERT_TRUE(read("error out of\nmemory\x1b[2J"));
  EXPECT_EQ(read("error out of\nmemory\x1b[2J")->error, "out of memory [2J")
      << "one line, no commands";
  for (const char* line : {"", "do", "done ", "donedone", "error", "error ", "errors x", "Done"})
    EXPECT_FALSE(read(line)) << line;
  EXPECT_FALSE(read_answer({.line = "done", .cut = true}));
  Random random(7);
  for (int i = 0; i < 10'000; ++i) {
    const std::string line = random_bytes(random, random() % 40);
    EXPECT_FALSE(read(line)) << testing::PrintToString(line);
    EXPECT_FALSE(read_hello({.line = line}, ranks)) << testing::PrintToString(line);
  }
}

// What is lost when a rank says this in place of an answer.
std::string lost_to(const std::string& script) {
  std::promise<std::string> lost;
  RankProcesses others(2, "test:collectives",
                       {.command = {"/bin/sh", "-c", script},
                        .lost = [&](const std::string& line) { lost.set_value(line); }});
  auto line = lost.get_future();
  if (line.wait_for(std::chrono::seconds(10)) != std::future_status::ready) return "nothing";
  EXPECT_THROW(others.wait(), std::runtime_error);
  return line.get();
}

TEST(HostilePeer, ARankThatAnswersNonsenseIsNamedAndNothingIsThrown) {
  EXPECT_EQ(lost_to("printf ab >&3; sleep 0.2"),
            "rank 1 has sent 2 bytes that are no answer to anything");
  EXPECT_EQ(lost_to("printf 'error ' >&3; sleep 0.2"),
            "rank 1 has sent 6 bytes that are no answer to anything");
  EXPECT_EQ(lost_to("printf 'error too bad' >&3; sleep 0.2"), "rank 1: too bad");
  EXPECT_EQ(lost_to("printf done >&3; printf done >&3; sleep 0.2"),
            "rank 1 has sent 4 bytes that are no answer to anything")
      << "nobody has asked twice";
}

// Its number may be another process's by then.
TEST(HostilePeer, WhoWasReapedIsNotSignalled) {
  const int before = signals_sent;
  std::string line;
  RankProcesses others(
      2, "test:collectives",
      {.command = {"/bin/true"}, .lost = [&](const std::string& one) { line = one; }});
  EXPECT_THROW(others.wait(), std::runtime_error);
  others.kill();
  EXPECT_EQ(line, "rank 1 ended with exit code 0");
  EXPECT_EQ(signals_sent - before, 0);
}

TEST(Peer, ParentsAreFoundWhateverAProcessIsCalled) {
  EXPECT_EQ(parent_of(getpid()), getppid());
  EXPECT_EQ(parent_of(0x7ffffff0), 0);
  EXPECT_TRUE(descends_from(getpid(), getppid()));
  EXPECT_TRUE(descends_from(getpid(), getpid()));
  EXPECT_FALSE(descends_from(getppid(), getpid()));
}

}  // namespace
}  // namespace aisp::comm
