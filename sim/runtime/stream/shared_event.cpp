#include "sim/runtime/stream/shared_event.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "sim/runtime/state/error.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/stream/other_threads.hpp"
#include "sim/watch/host/page_guards.hpp"

namespace aisp::sim {
namespace {

// Records that may be under way at once; a later one in the same place says that it is over.
constexpr std::uint32_t places = 1024;
constexpr auto look_again = std::chrono::microseconds(200);

std::uint32_t this_process() { return static_cast<std::uint32_t>(getpid()); }

bool is_gone(std::uint32_t process) {
  return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

}  // namespace

struct SharedEvent::Words {
  std::atomic<std::uint64_t> last;  // process and number
  std::atomic<std::uint32_t> reached[places];
};

// A file's bytes begin as zeros, which is what the words begin as.
SharedEvent::SharedEvent()
    : file_(create_segment(sizeof(Words))),
      imported_(false),
      words_(static_cast<Words*>(map_segment(file_, sizeof(Words)))) {}

SharedEvent::SharedEvent(const SegmentHandle& handle)
    : file_(open_segment(handle, SegmentKind::event, sizeof(Words))),
      imported_(true),
      words_(static_cast<Words*>(map_segment(file_, sizeof(Words)))) {}

SharedEvent::~SharedEvent() {
  munmap(words_, sizeof(Words));
  close(file_);
}

SegmentHandle SharedEvent::handle(int device) const {
  require(!imported_);
  return handle_of_segment(file_, SegmentKind::event, sizeof(Words), device);
}

std::uint32_t SharedEvent::begin_record() {
  std::uint64_t before = words_->last.load(), after = 0;
  do {
    after = std::uint64_t{this_process()} << 32 | static_cast<std::uint32_t>(before + 1);
  } while (!words_->last.compare_exchange_weak(before, after));
  return static_cast<std::uint32_t>(after);
}

void SharedEvent::reached(std::uint32_t number) {
  words_->reached[number % places].store(number, std::memory_order_release);
}

SharedEvent::Last SharedEvent::last() const {
  const std::uint64_t last = words_->last.load();
  return {static_cast<std::uint32_t>(last >> 32), static_cast<std::uint32_t>(last)};
}

bool SharedEvent::is_reached(Last record) const {
  const std::uint32_t seen =
      words_->reached[record.number % places].load(std::memory_order_acquire);
  return static_cast<std::int32_t>(seen - record.number) >= 0;
}

MarkPtr mark_of_other_process(const std::shared_ptr<SharedEvent>& event, SharedEvent::Last record) {
  const MarkPtr mark = Executor::get().promise(Job{});
  std::thread([event, record, mark] {
    if (host_watch() != nullptr) {
      watch::PageGuards::mark_simulator_thread();
      note_simulator_thread();
    }
    while (!event->is_reached(record) && !is_gone(record.process))
      std::this_thread::sleep_for(look_again);
    Job job;
    job.mark = mark;
    Executor::get().submit(std::move(job));
  }).detach();
  return mark;
}

}  // namespace aisp::sim
