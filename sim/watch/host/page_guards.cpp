#include "sim/watch/host/page_guards.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>

#include "base/host/fault_context.hpp"
#include "sim/watch/host/own_memory.hpp"

namespace aisp::sim::watch {
namespace {

constexpr std::size_t most_guards = 4096, most_notes = 256;
constexpr std::size_t most_at_once = 1 << 18;  // bytes, a multiple of any element
constexpr std::uint64_t few_words = 1024;      // bytes
constexpr int most_retries = 64;
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

// All that the signal handler needs, in place from the start. The lock is a spin lock because the
// handler takes it; nobody who holds it touches guarded memory.
struct Table {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  Guard guards[most_guards];
  std::size_t used = 0;  // slots from the start that may be in use
  HostTouch notes[most_notes];
  std::size_t noted = 0;
  std::atomic<bool> any_active{false}, any_notes{false}, any_opened{false};
  std::uint64_t left_page = 0, left_end = 0;  // of the guard removed last
  int retries = 0;
  bool installed = false;
  std::atomic<long> function_thread{0};  // that runs a host function; 0: none
  struct sigaction before {};
};
Table table;

class Locked {
 public:
  Locked() {
    while (table.lock.test_and_set(std::memory_order_acquire)) {
    }
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { table.lock.clear(std::memory_order_release); }
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

void protect(std::uint64_t begin, std::uint64_t end, int access) {
  if (begin < end) mprotect(reinterpret_cast<void*>(begin), end - begin, access);
}
void protect(const Guard& guard) {
  protect(guard.first_page, guard.pages_end, guard.use.forbidden ? PROT_NONE : PROT_READ);
}
void unprotect(const Guard& guard) {
  protect(guard.first_page, guard.pages_end, PROT_READ | PROT_WRITE);
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

void open_for_a_while(Guard& guard) {
  unprotect(guard);
  guard.opened = true;
  table.any_opened.store(true, std::memory_order_release);
}

enum class Answer : std::uint8_t { unknown, retry, wait };

// `patient`: the host may be kept waiting while a host function runs that memory is protected for.
Answer handle(std::uint64_t address, const ucontext_t& context, bool patient) {
  const Locked lock;
  const bool simulator = sigismember(&context.uc_sigmask, mark_signal()) == 1;
  const long function_thread = table.function_thread.load(std::memory_order_acquire);
  const bool in_function = function_thread != 0 && function_thread == syscall(SYS_gettid);
  bool known = false, noted = false;
  for (std::size_t i = 0; i < table.used; ++i) {
    Guard& guard = table.guards[i];
    if (!guard.has(address)) continue;
    known = true;
    if (guard.state != Guard::State::active) continue;
    if (guard.use.for_function && !in_function && !simulator && patient) return Answer::wait;
    if (simulator || (guard.use.for_function && !in_function)) {
      open_for_a_while(guard);
      continue;
    }
    if (guard.opened) continue;
    if (address < guard.begin || address >= guard.end) {  // beside it
      open_for_a_while(guard);
      continue;
    }
    unprotect(guard);
    guard.state = Guard::State::touched;
    if (noted || table.noted == most_notes) continue;
    table.notes[table.noted++] = {guard.use.operation, address,
                                  base::host::faulting_instruction(context),
                                  base::host::faulted_in_write(context), in_function};
    table.any_notes.store(true, std::memory_order_release);
    noted = true;
  }
  if (known) return Answer::retry;
  // Another thread may have ended the guard while this one was on its way here.
  const bool just_left = address >= table.left_page && address < table.left_end;
  return just_left && ++table.retries < most_retries ? Answer::retry : Answer::unknown;
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
  if (real && handle(address, *static_cast<ucontext_t*>(context))) return;
  const struct sigaction& before = table.before;
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
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &table.before);
}

bool is_guarded(const void* memory, std::size_t bytes) {
  if (!table.any_active.load(std::memory_order_acquire)) return false;
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  const Locked lock;
  for (std::size_t i = 0; i < table.used; ++i)
    if (overlaps(table.guards[i], begin, begin + bytes)) return true;
  return false;
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
      table.left_page = guard.first_page;
      table.left_end = guard.pages_end;
      table.retries = 0;
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

void PageGuards::copy(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const bool apart = target + bytes <= source || source + bytes <= target;
  if (!apart || (!is_guarded(target, bytes) && !is_guarded(source, bytes))) {
    std::memmove(to, from, bytes);
    return;
  }
  std::vector<std::byte> piece(std::min(bytes, most_at_once));
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t size = std::min(bytes - done, piece.size());
    if (!peek(piece.data(), source + done, size)) std::memcpy(piece.data(), source + done, size);
    if (!poke(target + done, piece.data(), size)) std::memcpy(target + done, piece.data(), size);
    done += size;
  }
}

void PageGuards::fill(void* to, std::uint32_t value, std::size_t element, std::size_t count) {
  auto* target = static_cast<std::byte*>(to);
  std::vector<std::byte> piece(std::min(count * element, most_at_once));
  for (std::size_t at = 0; at < piece.size(); at += element)
    std::memcpy(piece.data() + at, &value, element);
  for (std::size_t done = 0; done < count * element;) {
    const std::size_t size = std::min(count * element - done, piece.size());
    const bool plain = !is_guarded(target + done, size);
    if (plain || !poke(target + done, piece.data(), size))
      std::memcpy(target + done, piece.data(), size);
    done += size;
  }
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
