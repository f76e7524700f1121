// Hands a mutant over to the simulator and looks at what comes of it.
#pragma once

#include <string>

#include "tests/sim/fatbin/guarded.hpp"
#include "tests/sim/fatbin/mutant.hpp"

namespace fatbin_fuzz {

enum class Outcome : unsigned char { not_run, refused, right, loaded, wrong };

struct Result {
  Outcome outcome = Outcome::not_run;
  int error = 0;        // a cudaError_t or CUresult: these have the same numbers
  std::string problem;  // with the outcome `wrong`
};

// For files of mutants, until it ends: of a process that does not crash.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Doors {
 public:
  explicit Doors(const Folder& files);  // starts the simulator
  Result try_mutant(const Mutant& mutant);

 private:
  int enter(const Mutant& mutant);
  int enter_module(const void* code, bool as_fatbin);
  int enter_library(const void* code);
  int enter_linker(const std::string& image);
  int enter_registered(void* wrapper);
  int enter_file(const Mutant& mutant);
  int enter_shared_library(const std::string& path);
  int run_module(void* module);
  int run_library(void* library);
  int run(const void* kernel);
  int check_numbers();
  char* place(const Mutant& mutant);

  Guarded images_, wrappers_, lists_;
  void *in_ = nullptr, *out_ = nullptr;  // 64 floats each
  bool launch_ = false, ran_ = false, right_ = false;
  std::string folder_;
};

}  // namespace fatbin_fuzz
