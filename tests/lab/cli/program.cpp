#include "tests/lab/cli/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/text.hpp"

namespace aisp::lab {

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Words bench(const std::string& targets) { return {"bench", "run", "--targets", targets}; }

std::vector<std::string> lines_of(const std::string& text) {
  auto lines = base::split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string Outcome::last_line() const {
  const auto lines = lines_of(out);
  return lines.empty() ? "" : lines.back();
}

Program::Program(const std::string& program, const Words& arguments,
                 const std::filesystem::path& folder, const std::string& output,
                 const std::function<void()>& before)
    : out_(folder / (output + ".out")), err_(folder / (output + ".err")) {
  Words words = Words{program} + arguments;
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  process_ = fork();
  if (process_ != 0) return;
  setenv("AISP_HOME", (folder / "home").c_str(), 1);
  setenv("AISP_CHAPTERS", (folder / "chapters").c_str(), 1);
  setenv("AISP_PROGRESS_SECONDS", "0", 1);  // a busy machine must not change what is printed
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
  const int out = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (dup2(out, 1) < 0 || dup2(err, 2) < 0 || chdir(folder.c_str()) != 0) _exit(126);
  before();
  execv(pointers[0], pointers.data());
  _exit(127);
}

Program::~Program() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
}

void Program::send(int number) const { kill(process_, number); }

bool Program::running() const {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == 0;
}

std::vector<pid_t> Program::children() const {
  const auto number = std::to_string(process_);
  std::vector<pid_t> found;
  const auto text = text_of("/proc/" + number + "/task/" + number + "/children");
  for (const auto& word : base::split(text, ' '))
    if (!word.empty()) found.push_back(std::stoi(word));
  return found;
}

Outcome Program::wait() {
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          text_of(out_), text_of(err_)};
}

bool process_is_gone(pid_t process) {
  const std::string stat = text_of("/proc/" + std::to_string(process) + "/stat");
  const auto name_end = stat.rfind(')');
  return name_end == std::string::npos || stat.size() < name_end + 3 || stat[name_end + 2] == 'Z';
}

std::string fixture_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "aisp_fixture";
}

FixtureTest::FixtureTest() { std::filesystem::create_directories(chapter()); }

std::unique_ptr<Program> FixtureTest::start(const Words& arguments,
                                            const std::function<void()>& before) {
  return std::make_unique<Program>(fixture_program(), arguments, folder(),
                                   "output" + std::to_string(started_++), before);
}

Outcome FixtureTest::run(const Words& arguments, const std::function<void()>& before) {
  return start(arguments, before)->wait();
}

std::vector<std::filesystem::path> FixtureTest::run_folders() const {
  std::vector<std::filesystem::path> found;
  std::error_code none;
  for (const auto& item : std::filesystem::directory_iterator(runs(), none))
    if (item.is_directory()) found.push_back(item.path());
  return found;
}

std::filesystem::path FixtureTest::run_folder() const {
  const auto found = run_folders();
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? runs() : found.front();
}

RunFile FixtureTest::recorded() const { return read_run(run_folder()); }

void expect_refused(const Outcome& outcome, int exit, const std::string& part) {
  EXPECT_EQ(outcome.exit, exit) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("aisp: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

RowRecord row_in(const RunFile& run, const std::string& entry, const std::string& rung) {
  for (const auto& row : latest_rows(run))
    if (row.entry == entry && row.rung == rung) return row;
  ADD_FAILURE() << "no row for " << entry << ' ' << rung;
  return {};
}

}  // namespace aisp::lab
