// Python for tests: interpreters that misbehave as shell scripts, modules in temporary folders, and
// a process of its own for each test that starts an interpreter.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>

#include "peers/python/find.hpp"
#include "tests/support/files.hpp"

namespace aisp::peers {

// This machine's interpreter, asked once.
inline const Python& python3() {
  static const Python asked = ask_python("python3", 60);
  return asked;
}

using Files = std::map<std::string, std::string>;

class PythonTest : public testing::Test {
 protected:
  const std::filesystem::path& folder() const { return folder_.path(); }

  void write(const Files& files) const {
    for (const auto& [name, text] : files) {
      std::filesystem::create_directories((folder() / name).parent_path());
      lab::write_text(folder() / name, text);
    }
  }

  // A program made of shell lines.
  std::string script(const std::string& lines) const {
    const auto path = folder() / "python";
    lab::write_text(path, "#!/bin/sh\n" + lines + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }

  // That interpreter, with the test's folder in front of its modules.
  Python with_folder() const {
    Python python = python3();
    python.path.insert(python.path.begin(), folder().string());
    return python;
  }

 private:
  lab::TemporaryFolder folder_;
};

// What `body` answers in a process of its own, or what it throws: Python starts once per process.
inline std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t process = fork();
  if (process == 0) {
    std::string text;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = std::string("threw: ") + error.what();
    }
    const bool whole =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0
             ? text
             : "ended with status " + std::to_string(status);
}

}  // namespace aisp::peers
