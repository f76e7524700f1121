// What the runs of a checked program read from standard input: each from where the caller stands,
// and without moving the caller on. `while read line; do aisp check -- ./program; done < list`
// shares its file with the loop.
#pragma once

#include <string>
#include <thread>

#include "lab/record/file.hpp"

namespace aisp::lab {

class ProgramInput {
 public:
  // With several runs a pipe is kept as far as it has been read, for the runs to come.
  explicit ProgramInput(bool several_runs);
  ProgramInput(const ProgramInput&) = delete;
  ProgramInput& operator=(const ProgramInput&) = delete;

  // Of one run; lives as long as it.
  class Feed {
   public:
    explicit Feed(ProgramInput& input);
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;
    ~Feed();
    int descriptor() const { return reading_.get(); }  // -1: the caller's own
    void started();                                    // the run has it

   private:
    void pump();

    FileDescriptor reading_, writing_, stop_;
    std::thread thread_;
    ProgramInput& input_;
  };

 private:
  enum class Kind {
    nothing,    // a terminal: a group in the background is stopped when it reads from one
    callers,    // a device, or a pipe that only one run reads
    file,       // opened anew by each run
    kept_pipe,  // what has come so far first, then what comes
  };
  Kind kind_ = Kind::callers;
  std::string kept_;
  bool ended_ = false;
};

}  // namespace aisp::lab
