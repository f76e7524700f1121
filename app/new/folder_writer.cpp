#include "app/new/folder_writer.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/refuse.hpp"
#include "base/temporary_file.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

// Signals that would end the program wait until nothing half-done is on disk.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigemptyset(&held_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held_, number);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  bool one_waits() const {
    sigset_t waiting;
    sigpending(&waiting);
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
      if (sigismember(&waiting, number) == 1) return true;
    return false;
  }

 private:
  sigset_t held_{}, before_{};
};

[[noreturn]] void refuse_writing(const fs::path& place, const std::string& why) {
  base::refuse(base::Exit::environment, "cannot write '", place.string(), "': ", why,
               "; nothing was made, choose a folder that can be written");
}

// A folder with a name that nobody has, gone with what is in it unless it was moved.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) {
    std::string name = (parent / ".aisp-new-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) refuse_writing(parent, std::strerror(errno));
    path_ = name;
    const mode_t mask = umask(0);  // mkdtemp lets nobody else in; a project is like other folders
    umask(mask);
    chmod(name.c_str(), 0777 & ~mask);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) refuse_writing(path.parent_path(), error.message());
  base::TemporaryFile file(path, 0666);
  file.write(text);
  if (const auto problem = file.put_in_place(/*durable=*/false); !problem.empty())
    refuse_writing(path, problem);
}

// An empty folder keeps its place: somebody's shell may stand in it.
void move_contents(const fs::path& from, const fs::path& to) {
  std::vector<fs::path> moved;
  for (const auto& item : fs::directory_iterator(from)) moved.push_back(item.path().filename());
  std::error_code error;
  for (std::size_t i = 0; i < moved.size() && !error; ++i)
    fs::rename(from / moved[i], to / moved[i], error);
  if (!error) return;
  std::error_code ignored;
  for (const auto& name : moved) fs::remove_all(to / name, ignored);
  refuse_writing(to, error.message());
}

}  // namespace

void write_folder(const fs::path& destination, const std::vector<NewFile>& files,
                  const std::function<void(const std::vector<fs::path>&)>& finish) {
  const SignalsHeld signals;
  const bool there = fs::is_directory(destination);
  const TemporaryFolder folder(there ? destination : destination.parent_path());
  std::vector<fs::path> paths;
  for (const auto& file : files) {
    if (signals.one_waits())
      base::refuse(base::Exit::interrupted, "interrupted: '", destination.string(),
                   "' was not made");
    paths.push_back(folder.path() / file.path);
    write_file(paths.back(), file.text);
  }
  finish(paths);
  if (there) return move_contents(folder.path(), destination);
  std::error_code error;
  fs::rename(folder.path(), destination, error);
  if (error) refuse_writing(destination, error.message());
}

}  // namespace aisp::app
