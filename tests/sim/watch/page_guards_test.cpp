// Protected pages while several host threads touch them at once. Each test is a process of its own:
// the signal handler and its table are the process's. AISP_TEST_ROUNDS multiplies the length of the
// stress test.
#include "sim/watch/host/page_guards.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace aisp::sim::watch {
namespace {

constexpr auto no_operation = [](std::uint64_t) { return false; };
constexpr auto all_operations = [](std::uint64_t) { return true; };

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Pages of the host with an allocation that fills them.
class Pages {
 public:
  explicit Pages(std::size_t count, int access = PROT_READ | PROT_WRITE) : bytes_(count * page()) {
    memory_ = static_cast<char*>(mmap(nullptr, bytes_, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  volatile char& operator[](std::size_t at) const { return memory_[at]; }
  volatile long& word(std::size_t at) const {
    return reinterpret_cast<volatile long*>(memory_)[at];
  }
  std::size_t bytes() const { return bytes_; }
  void guard(std::uint64_t operation, bool forbidden) const {
    const auto base = reinterpret_cast<std::uint64_t>(memory_);
    const Allocation allocation{
        .base = base, .bytes = bytes_, .kind = MemoryKind::pinned, .name = {}};
    PageGuards::get().add({operation, forbidden}, base, base + bytes_, allocation, true,
                          no_operation);
  }
  void unmap() const { munmap(memory_, bytes_); }

 private:
  std::size_t bytes_;
  char* memory_ = nullptr;
};

class PageGuardsDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// A thread that has faulted may reach the handler after the guard has been removed, and after
// others have been removed or added, too. It goes on, and no store is lost.
[[noreturn]] void touch_while_guards_come_and_go() {
  constexpr std::size_t threads = 6, ranges = 12;
  const char* const more = std::getenv("AISP_TEST_ROUNDS");
  const int rounds = 150 * (more != nullptr ? std::atoi(more) : 1);
  static std::vector<Pages> pages;
  for (std::size_t i = 0; i < ranges; ++i) pages.emplace_back(2);
  static std::atomic<bool> over{false};
  std::vector<std::vector<long>> stored(threads, std::vector<long>(ranges));
  std::vector<std::thread> hosts;
  for (std::size_t me = 0; me < threads; ++me)
    hosts.emplace_back([&stored, me] {
      std::mt19937 random(static_cast<unsigned>(me));
      while (!over.load()) {
        const std::size_t at = random() % ranges;
        if (pages[at].word(me) != stored[me][at]) _exit(2);
        pages[at].word(me) = ++stored[me][at];
      }
    });
  // The simulator's thread touches memory that it guards and runs host functions.
  std::thread simulator([] {
    PageGuards::mark_simulator_thread();
    std::mt19937 random(99);
    while (!over.load()) {
      const std::size_t at = random() % ranges, last = pages[at].bytes() / sizeof(long) - 1;
      pages[at].word(last) = pages[at].word(last) + 1;
      PageGuards::get().enter_function([&](std::uint64_t number) { return number % 2 == 0; });
      pages[at].word(last) = pages[at].word(last) + 1;
      PageGuards::get().leave_function();
      PageGuards::get().close();
    }
  });
  std::mt19937 random(7);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < ranges; ++i) pages[i].guard(round * ranges + i, random() % 2 == 0);
    if (random() % 4 == 0) std::this_thread::yield();
    PageGuards::get().remove([&](std::uint64_t) { return random() % 3 != 0; });
    PageGuards::get().take();
    PageGuards::get().remove(all_operations);
  }
  over.store(true);
  for (std::thread& host : hosts) host.join();
  simulator.join();
  _exit(0);
}

TEST_F(PageGuardsDeathTest, ThreadsGoOnWhateverHasHappenedToTheGuardMeanwhile) {
  EXPECT_EXIT(touch_while_guards_come_and_go(), testing::ExitedWithCode(0), "");
}

sigjmp_buf back;
volatile std::uint64_t faulted_at;

void handle(int, siginfo_t* info, void*) {
  faulted_at = reinterpret_cast<std::uint64_t>(info->si_addr);
  siglongjmp(back, 1);
}

void handle_faults() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  alarm(5);  // a fault that is repeated for ever
}

// Whether the program's own handler is called for the store, with its address.
bool reaches_program(volatile char& byte) {
  faulted_at = 0;
  if (sigsetjmp(back, 1) == 0) byte = 1;
  return faulted_at == reinterpret_cast<std::uint64_t>(&byte);
}

TEST_F(PageGuardsDeathTest, TheProgramsFaultsReachItsHandler) {
  EXPECT_EXIT(
      {
        handle_faults();
        const Pages guarded(2);
        const Pages constant(1, PROT_READ);
        guarded.guard(1, true);
        const bool own = reaches_program(constant[5]) && reaches_program(constant[5]);
        const bool ours = !reaches_program(guarded[7]);
        PageGuards::get().remove(all_operations);
        const bool noted = PageGuards::get().take().size() == 1;
        const bool open = !reaches_program(guarded[8]);
        guarded.guard(2, true);
        PageGuards::get().remove(all_operations);
        guarded.unmap();  // the pages of the guard that was removed last
        const bool gone = reaches_program(guarded[9]);
        _exit(own && ours && noted && open && gone ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// The table has the guard of memory that has been unmapped under it.
TEST_F(PageGuardsDeathTest, AFaultWhereTheProgramHasUnmappedItIsTheProgramsOwn) {
  for (const bool simulator : {false, true})
    EXPECT_EXIT(
        {
          handle_faults();
          const Pages guarded(1);
          guarded.guard(1, true);
          guarded.unmap();
          if (simulator) PageGuards::mark_simulator_thread();
          _exit(reaches_program(guarded[3]) ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(PageGuardsDeathTest, AFaultOfNoHandlerEndsTheProgram) {
  EXPECT_EXIT(
      {
        alarm(5);
        const Pages guarded(1);
        const Pages constant(1, PROT_READ);
        guarded.guard(1, true);
        guarded[0] = 1;
        constant[0] = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

// A signal that arrives while the handler has the table's lock, with a handler that touches guarded
// memory itself.
TEST_F(PageGuardsDeathTest, ASignalHandlerMayTouchGuardedMemory) {
  static const Pages* memory = nullptr;
  EXPECT_EXIT(
      {
        alarm(5);
        const Pages guarded(1);
        memory = &guarded;
        signal(SIGUSR1, [](int) { (*memory)[1] = (*memory)[1] + 1; });
        std::atomic<bool> over{false};
        const pthread_t self = pthread_self();
        std::thread sender([&] {
          while (!over.load()) {
            pthread_kill(self, SIGUSR1);
            usleep(20);
          }
        });
        for (std::uint64_t round = 1; round < 3000; ++round) {
          guarded.guard(round, true);
          guarded[0] = 1;
          PageGuards::get().remove(all_operations);
          PageGuards::get().take();
        }
        over.store(true);
        sender.join();
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace aisp::sim::watch
