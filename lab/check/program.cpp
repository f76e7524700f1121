#include "lab/check/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/device/simulator.hpp"
#include "lab/record/file.hpp"

namespace aisp::lab {
namespace {

using Clock = std::chrono::steady_clock;

// Where the one who looks on writes.
struct Report {
  const char* variable;
  const std::filesystem::path& folder;
};

void arrange_environment(const WatchedProgram& program, const Schedule& schedule,
                         const Report& report) {
  const auto set = [](const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
  };
  set(report.variable, report.folder.string());
  set("AISP_SIM_ORDER", std::string(name_of(schedule.order)));
  set("AISP_SIM_SEED", std::to_string(schedule.seed));
  if (!schedule.device.empty()) set("AISP_SIM_DEVICE", schedule.device);
  for (const auto& [name, value] : program.environment) set(name.c_str(), value);
  if (program.preload) put_simulator_in_front({});
}

// In the new process. `trouble` takes the reason when there is no program to become.
[[noreturn]] void become_program(const WatchedProgram& program, const Schedule& schedule,
                                 const Report& report, int input, int output, int trouble,
                                 pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (input >= 0) dup2(input, STDIN_FILENO);
  arrange_environment(program, schedule, report);
  std::vector<char*> words;
  for (const auto& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int reason = errno;
  [[maybe_unused]] const auto written = write(trouble, &reason, sizeof reason);
  _exit(127);
}

pid_t start(const WatchedProgram& program, const Schedule& schedule, const Report& report,
            int input, int output) {
  std::array<int, 2> trouble{};
  if (pipe2(trouble.data(), O_CLOEXEC) != 0)
    base::refuse(base::Exit::environment, "cannot make a pipe: ", std::strerror(errno));
  const FileDescriptor reading(trouble[0]);
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, nobody learns how a child ended
  const pid_t parent = getpid();
  pid_t process = -1;
  {
    const FileDescriptor writing(trouble[1]);
    process = fork();
    if (process == 0) become_program(program, schedule, report, input, output, trouble[1], parent);
  }
  if (process < 0)
    base::refuse(base::Exit::environment, "cannot start ", program.words[0], ": ",
                 std::strerror(errno));
  setpgid(process, process);
  int reason = 0;
  ssize_t got = 0;
  while ((got = read(reading.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (got != sizeof reason) return process;  // closed by a successful exec
  waitpid(process, nullptr, 0);
  base::refuse(base::Exit::environment, "cannot start ", program.words[0], ": ",
               std::strerror(reason));
}

// Until it ends, its time is over, or a signal comes.
void wait_for(pid_t process, double timeout, const Interrupt& interrupt, CheckRun& run) {
  const auto end = Clock::now() + std::chrono::duration<double>(timeout);
  int status = 0;
  for (int pause = 1;; pause = std::min(2 * pause, 50)) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) break;
    run.interrupted = interrupt.pending();
    run.timed_out = !run.interrupted && Clock::now() > end;
    if (run.interrupted || run.timed_out) {
      kill(-process, SIGKILL);  // with what it has started itself
      while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
      }
      return;
    }
    pollfd signal{interrupt.readable(), POLLIN, 0};
    poll(&signal, 1, pause);
  }
  if (WIFSIGNALED(status))
    run.signal = WTERMSIG(status);
  else
    run.exit = WEXITSTATUS(status);
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "aisp_check_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    base::refuse(base::Exit::environment, "cannot make a folder ", name, ": ", std::strerror(errno),
                 "; TMPDIR says where");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ProgramRun run_program(const WatchedProgram& program, const Schedule& schedule,
                       const char* variable, const std::filesystem::path& folder, bool live,
                       ProgramInput& input, const Interrupt& interrupt) {
  const ScratchFolder scratch;
  const auto log = scratch.path() / "output";
  const int opened = live ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
                          : open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (opened < 0)
    base::refuse(base::Exit::environment, "cannot write what ", program.words[0],
                 " prints: ", std::strerror(errno));
  const FileDescriptor output(opened);

  ProgramRun ended{.run = {.schedule = schedule, .replay = schedule}, .output = {}};
  ProgramInput::Feed feed(input);
  const pid_t process =
      start(program, schedule, {variable, folder}, feed.descriptor(), output.get());
  feed.started();
  wait_for(process, program.timeout, interrupt, ended.run);
  if (!live) ended.output = read_whole(log);
  return ended;
}

std::string last_words(const std::string& output) {
  std::string last;
  for (const auto& line : base::split(output, '\n'))
    if (!line.empty()) last = line;
  return last.starts_with("aisp: ") ? last.substr(6) : last;
}

WatchedRun run_watched(const WatchedProgram& program, const Schedule& schedule, bool live,
                       ProgramInput& input, const Interrupt& interrupt) {
  const ScratchFolder findings;
  ProgramRun ended =
      run_program(program, schedule, "AISP_SIM_HAZARDS", findings.path(), live, input, interrupt);
  Watched found = read_hazards(findings.path(), schedule);
  ended.run.hazards = std::move(found.hazards);
  return {std::move(ended.run), found.files, std::move(ended.output)};
}

}  // namespace aisp::lab
