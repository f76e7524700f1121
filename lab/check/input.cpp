#include "lab/check/input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/refuse.hpp"

namespace aisp::lab {

ProgramInput::ProgramInput(bool several_runs) {
  struct stat status {};
  if (isatty(STDIN_FILENO) != 0) {
    kind_ = Kind::nothing;
  } else if (fstat(STDIN_FILENO, &status) != 0) {
    return;
  } else if (S_ISREG(status.st_mode)) {
    kind_ = Kind::file;
  } else if (several_runs && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))) {
    kind_ = Kind::kept_pipe;
  }
}

ProgramInput::Feed::Feed(ProgramInput& input) : input_(input) {
  if (input.kind_ == Kind::nothing) {
    reading_ = FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  } else if (input.kind_ == Kind::file) {
    // A descriptor of its own has a place of its own in the file.
    reading_ = FileDescriptor(open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC));
    const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (reading_.get() < 0 || lseek(reading_.get(), at, SEEK_SET) < 0)
      base::refuse(base::Exit::environment,
                   "cannot open standard input again for the program: ", std::strerror(errno));
  } else if (input.kind_ == Kind::kept_pipe) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      base::refuse(base::Exit::environment, "cannot make a pipe: ", std::strerror(errno));
    reading_ = FileDescriptor(ends[0]);
    writing_ = FileDescriptor(ends[1]);
    fcntl(writing_.get(), F_SETFL, O_NONBLOCK);
    stop_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
  }
}

void ProgramInput::Feed::started() {
  reading_ = FileDescriptor();
  if (writing_.get() >= 0) thread_ = std::thread([this] { pump(); });
}

ProgramInput::Feed::~Feed() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(stop_.get(), &one, sizeof one);
  thread_.join();
}

// Until the run is over: what is kept, then what comes, which is kept.
void ProgramInput::Feed::pump() {
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, nullptr);
  std::size_t given = 0;
  bool wanted = true;  // the run has not closed its end
  while (wanted) {
    const bool behind = given < input_.kept_.size();
    if (!behind && input_.ended_) {
      writing_ = FileDescriptor();
      return;
    }
    std::array<pollfd, 3> events{{{stop_.get(), POLLIN, 0},
                                  {writing_.get(), static_cast<short>(behind ? POLLOUT : 0), 0},
                                  {behind ? -1 : STDIN_FILENO, POLLIN, 0}}};
    if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR) return;
    if (events[0].revents != 0) return;
    if ((events[1].revents & POLLERR) != 0) return;
    if (behind && (events[1].revents & POLLOUT) != 0) {
      const ssize_t done =
          write(writing_.get(), input_.kept_.data() + given, input_.kept_.size() - given);
      wanted = done >= 0 || errno == EAGAIN || errno == EINTR;
      if (done > 0) given += static_cast<std::size_t>(done);
    }
    if (!behind && events[2].revents != 0) {
      std::array<char, 4096> part{};
      const ssize_t got = read(STDIN_FILENO, part.data(), part.size());
      if (got > 0) input_.kept_.append(part.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) input_.ended_ = true;
    }
  }
}

}  // namespace aisp::lab
