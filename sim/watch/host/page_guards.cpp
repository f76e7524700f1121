#include "sim/watch/host/page_guards.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "base/host/fault_context.hpp"
#include "sim/watch/host/page_access.hpp"

namespace aisp::sim::watch {
namespace {

constexpr std::size_t most_guards = 4096, most_notes = 256;
constexpr std::uint64_t few_words = 1024;  // bytes
constexpr int most_retries = 1000;
constexpr int most_waits = 200, wait_microseconds = 100;

struct Guard {
  enum class State : std::uint8_t { free, active, touched };
  State state = State::free;
  GuardUse use{};
  bool opened = false;  // for a while; close() protects it again
  std::uint64_t begin = 0, end = 0;
  std::uint64_t first_page = 0, pages_end = 0;  // addresses
  bool has(std::uint64_t address) const {
    return state != State::free && address >= first_page && address < pages_end;
  }
};

// An access that faulted although its page permits it.
struct Repeated {
  std::uint64_t address = 0, instruction = 0, changes = 0;
  int times = 0;
};

// All that the signal handler needs, in place from the start. The lock is a spin lock because the
// handler takes it. A thread that holds it touches no guarded memory.
struct Table {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  Guard guards[most_guards];
  std::size_t used = 0;  // slots from the start that may be in use
  HostTouch notes[most_notes];
  std::size_t noted = 0;
  std::atomic<bool> any_active{false}, any_notes{false}, any_opened{false};
  std::uint64_t changes = 0;  // of any protection
  Repeated repeated;
  bool installed = false;
  std::atomic<long> function_thread{0};  // that runs a host function; 0: none
  struct sigaction before {};
};
Table table;

// Signals are blocked as well: a handler of the program's could touch guarded memory, and the fault
// would wait for the lock that its own thread holds.
class Locked {
 public:
  Locked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    while (table.lock.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    table.lock.clear(std::memory_order_release);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
};

// A thread of the simulator is known by a signal that it blocks: what it starts inherits that, and
// the handler finds it in the context, where thread-local variables are out of bounds.
int mark_signal() { return SIGRTMAX - 5; }

void set_mark(bool simulator) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, mark_signal());
  pthread_sigmask(simulator ? SIG_BLOCK : SIG_UNBLOCK, &signals, nullptr);
}

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// False: a part of it is not mapped any more.
bool protect(std::uint64_t begin, std::uint64_t end, int access) {
  if (begin >= end) return true;
  ++table.changes;
  return mprotect(reinterpret_cast<void*>(begin), end - begin, access) == 0;
}
void protect(const Guard& guard) {
  protect(guard.first_page, guard.pages_end, guard.use.forbidden ? PROT_NONE : PROT_READ);
}
bool unprotect(const Guard& guard) {
  return protect(guard.first_page, guard.pages_end, PROT_READ | PROT_WRITE);
}

bool overlaps(const Guard& guard, std::uint64_t begin, std::uint64_t end) {
  return guard.state == Guard::State::active && guard.first_page < end && guard.pages_end > begin;
}

// The active ones in a range; those that forbid more last.
void protect_within(std::uint64_t begin, std::uint64_t end) {
  for (const bool forbidden : {false, true})
    for (std::size_t i = 0; i < table.used; ++i)
      if (table.guards[i].use.forbidden == forbidden && !table.guards[i].opened &&
          overlaps(table.guards[i], begin, end))
        protect(table.guards[i]);
}

// Somebody else protects all pages of the guard, and no less.
bool is_protected_already(const Guard& guard) {
  for (std::size_t i = 0; i < table.used; ++i) {
    const Guard& other = table.guards[i];
    if (other.state == Guard::State::active && !other.opened &&
        (other.use.forbidden || !guard.use.forbidden) && other.first_page <= guard.first_page &&
        other.pages_end >= guard.pages_end)
      return true;
  }
  return false;
}

// Takes the place of a guard of the same pages whose operation this one's comes after: whoever
// waits for this one has waited for both.
bool take_over(const Guard& guard, const std::function<bool(std::uint64_t)>& behind) {
  for (std::size_t i = 0; i < table.used; ++i) {
    Guard& other = table.guards[i];
    if (other.state == Guard::State::free || other.use.forbidden != guard.use.forbidden ||
        other.use.for_function != guard.use.for_function || other.first_page != guard.first_page ||
        other.pages_end != guard.pages_end || !behind(other.use.operation))
      continue;
    const bool opened = other.opened;
    other = guard;
    other.opened = opened;
    if (!opened) protect_within(guard.first_page, guard.pages_end);
    return true;
  }
  return false;
}

bool open_for_a_while(Guard& guard) {
  guard.opened = true;
  table.any_opened.store(true, std::memory_order_release);
  return unprotect(guard);
}

// Another thread may have ended or opened the guard while this one was on its way to the handler,
// and any number of others since: the page itself shows whether the access can go on. Where it
// faults nevertheless, again and again, something else is wrong with it.
bool can_go_on(std::uint64_t address, const ucontext_t& context) {
  const std::uint64_t instruction = base::host::faulting_instruction(context);
  const PageAccess access = instruction == address                  ? PageAccess::execute
                            : base::host::faulted_in_write(context) ? PageAccess::write
                                                                    : PageAccess::read;
  if (!permits(address, access)) return false;
  Repeated& last = table.repeated;
  if (last.address != address || last.instruction != instruction || last.changes != table.changes)
    last = {address, instruction, table.changes, 0};
  return ++last.times < most_retries;
}

enum class Answer : std::uint8_t { unknown, retry, wait };

// `patient`: the host may be kept waiting while a host function runs that memory is protected for.
Answer handle(std::uint64_t address, const ucontext_t& context, bool patient) {
  const Locked lock;
  const bool simulator = sigismember(&context.uc_sigmask, mark_signal()) == 1;
  const long function_thread = table.function_thread.load(std::memory_order_acquire);
  const bool in_function = function_thread != 0 && function_thread == syscall(SYS_gettid);
  bool went_on = false, noted = false;
  for (std::size_t i = 0; i < table.used; ++i) {
    Guard& guard = table.guards[i];
    if (!guard.has(address) || guard.state != Guard::State::active) continue;
    if (guard.use.for_function && !in_function && !simulator && patient) return Answer::wait;
    if (guard.opened) continue;
    const bool beside = address < guard.begin || address >= guard.end;
    if (simulator || (guard.use.for_function && !in_function) || beside) {
      went_on |= open_for_a_while(guard);
      continue;
    }
    went_on |= unprotect(guard);
    guard.state = Guard::State::touched;
    if (noted || table.noted == most_notes) continue;
    table.notes[table.noted++] = {guard.use.operation, address,
                                  base::host::faulting_instruction(context),
                                  base::host::faulted_in_write(context), in_function};
    table.any_notes.store(true, std::memory_order_release);
    noted = true;
  }
  return went_on || can_go_on(address, context) ? Answer::retry : Answer::unknown;
}

bool handle(std::uint64_t address, const ucontext_t& context) {
  Answer answer = Answer::wait;
  for (int tries = 0; answer == Answer::wait; ++tries) {
    answer = handle(address, context, tries < most_waits);
    if (answer == Answer::wait) usleep(wait_microseconds);
  }
  return answer == Answer::retry;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const bool real = info->si_code > 0;  // not sent by kill or raise
  const bool protection = info->si_code == SEGV_ACCERR;
  const int error = errno;
  const bool ours = protection && handle(address, *static_cast<ucontext_t*>(context));
  errno = error;
  if (ours) return;
  const struct sigaction& before = table.before;
  // As the kernel would have called it.
  sigset_t blocked = static_cast<ucontext_t*>(context)->uc_sigmask;
  sigorset(&blocked, &blocked, &before.sa_mask);
  if ((before.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  sigaction(signal, &before, nullptr);  // the access faults again and ends the program
  if (!real) raise(signal);
}

void install() {
  if (table.installed) return;
  table.installed = true;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);  // as Locked does
  sigaction(SIGSEGV, &action, &table.before);
}

}  // namespace

PageGuards& PageGuards::get() {
  static PageGuards guards;
  return guards;
}

void PageGuards::add(const GuardUse& use, std::uint64_t begin, std::uint64_t end,
                     const Allocation& allocation, bool whole_pages,
                     const std::function<bool(std::uint64_t operation)>& behind) {
  const std::uint64_t page = page_bytes();
  const auto down = [&](std::uint64_t address) { return address / page * page; };
  const auto up = [&](std::uint64_t address) { return (address + page - 1) / page * page; };
  const bool any_part = whole_pages && allocation.bytes <= few_words;
  const bool first = any_part || (whole_pages && begin == allocation.base);
  const bool last = any_part || (whole_pages && end == allocation.end());
  const Guard guard{.state = Guard::State::active,
                    .use = use,
                    .opened = false,
                    .begin = begin,
                    .end = end,
                    .first_page = first ? down(begin) : up(begin),
                    .pages_end = last ? up(end) : down(end)};
  if (guard.first_page >= guard.pages_end) return;
  const Locked lock;
  install();
  if (take_over(guard, behind)) return;
  const bool covered = is_protected_already(guard);
  std::size_t slot = 0;
  while (slot < table.used && table.guards[slot].state != Guard::State::free) ++slot;
  if (slot == most_guards) return;
  table.used = std::max(table.used, slot + 1);
  table.guards[slot] = guard;
  table.any_active.store(true, std::memory_order_release);
  if (covered) return;
  if (use.forbidden) return protect(guard);
  protect_within(guard.first_page, guard.pages_end);  // another one may forbid more
}

void PageGuards::remove(const std::function<bool(std::uint64_t operation)>& over) {
  if (idle()) return;
  const Locked lock;
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;  // what was opened
  std::size_t used = 0;
  for (std::size_t i = 0; i < table.used; ++i) {
    Guard& guard = table.guards[i];
    if (guard.state != Guard::State::free && over(guard.use.operation)) {
      if (guard.state == Guard::State::active) unprotect(guard);
      guard.state = Guard::State::free;
      begin = std::min(begin, guard.first_page);
      end = std::max(end, guard.pages_end);
    }
    if (guard.state != Guard::State::free) used = i + 1;
  }
  table.used = used;
  table.any_active.store(used != 0, std::memory_order_release);
  protect_within(begin, end);
}

bool PageGuards::guards(const void* memory, std::size_t bytes) const {
  if (!table.any_active.load(std::memory_order_acquire)) return false;
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  const Locked lock;
  for (std::size_t i = 0; i < table.used; ++i)
    if (overlaps(table.guards[i], begin, begin + bytes)) return true;
  return false;
}

void PageGuards::enter_function(const std::function<bool(std::uint64_t operation)>& ordered) {
  set_mark(false);
  table.function_thread.store(syscall(SYS_gettid), std::memory_order_release);
  if (idle()) return;
  const Locked lock;
  for (std::size_t i = 0; i < table.used; ++i)
    if (table.guards[i].state == Guard::State::active && ordered(table.guards[i].use.operation))
      open_for_a_while(table.guards[i]);
  protect_within(0, ~std::uint64_t{0});  // pages that another one has, too
}

void PageGuards::keep_for_function(std::uint64_t operation) {
  const Locked lock;
  for (std::size_t i = 0; i < table.used; ++i)
    if (table.guards[i].use.operation == operation) table.guards[i].use.for_function = true;
}

void PageGuards::leave_function() {
  table.function_thread.store(0, std::memory_order_release);
  set_mark(true);
}

void PageGuards::close() {
  if (!table.any_opened.exchange(false)) return;
  const Locked lock;
  for (const bool forbidden : {false, true})
    for (std::size_t i = 0; i < table.used; ++i) {
      Guard& guard = table.guards[i];
      if (!guard.opened || guard.use.forbidden != forbidden) continue;
      guard.opened = false;
      if (guard.state == Guard::State::active) protect(guard);
    }
}

bool PageGuards::idle() const { return !table.any_active.load(std::memory_order_acquire); }

std::vector<HostTouch> PageGuards::take() {
  if (!table.any_notes.load(std::memory_order_acquire)) return {};
  const Locked lock;
  std::vector<HostTouch> notes(table.notes, table.notes + table.noted);
  table.noted = 0;
  table.any_notes.store(false, std::memory_order_release);
  return notes;
}

void PageGuards::mark_simulator_thread() { set_mark(true); }

void PageGuards::forget() {
  table.lock.clear();
  for (std::size_t i = 0; i < table.used; ++i)
    if (table.guards[i].state == Guard::State::active) unprotect(table.guards[i]);
  table.used = table.noted = 0;
  table.any_active.store(false);
  table.any_notes.store(false);
  table.any_opened.store(false);
}

}  // namespace aisp::sim::watch
