#include "lab/run/process/interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

// A signal handler reaches nothing but globals.
volatile std::sig_atomic_t signal_came = 0;
std::array<int, 2> wake_pipe{-1, -1};
constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, signals.size()> previous{};

void on_signal(int) {
  const int saved = errno;
  signal_came = 1;
  const char byte = 0;
  [[maybe_unused]] const auto written = write(wake_pipe[1], &byte, 1);
  errno = saved;
}

}  // namespace

Interrupt::Interrupt() {
  if (pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    base::refuse(base::Exit::environment, "no file descriptors left for a pipe");
  signal_came = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &previous[i]);
    // nohup and background shells have a signal ignored, and mean it.
    if (previous[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous[i], nullptr);
  close(wake_pipe[0]);
  close(wake_pipe[1]);
}

int Interrupt::readable() const { return wake_pipe[0]; }
bool Interrupt::pending() const { return signal_came != 0; }

}  // namespace aisp::lab
