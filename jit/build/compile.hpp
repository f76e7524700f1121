// From CUDA C++ text to machine code and PTX, with NVRTC.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/refuse.hpp"
#include "jit/build/resources.hpp"

namespace aisp::jit {

struct KernelText {
  std::string name;  // what messages and line tables call it, unless the text has `#line`
  std::string code;
};

struct BuildOptions {
  // sm_90a: machine code and PTX. compute_90a: PTX alone, in half of the time.
  std::string architecture = "sm_90a";
  std::vector<std::string> further{};  // words for the compiler, such as -DROWS=4
  // The driver keeps what it has compiled; a compile that is timed does not want that.
  bool timed = false;
};

struct Compiled {
  std::string cubin;  // empty where PTX alone was asked for
  std::string ptx;
  std::string log;  // warnings, with places as compilers write them
  std::vector<Resources> resources{};
  double seconds = 0;
};

// The text is wrong: one line with the first error's place, and the whole log.
class BuildRefusal : public base::Refusal {
 public:
  BuildRefusal(const std::string& line, std::string log)
      : base::Refusal(base::Exit::usage, line), log_(std::move(log)) {}
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

// All words that the compiler gets and that change what it makes. Refuses (Exit::usage) those that
// make it read further files: a key of the cache knows nothing of them.
std::vector<std::string> option_words(const BuildOptions& options);

// Refuses an architecture that this NVRTC does not know (Exit::environment).
void admit_architecture(const std::string& architecture);

Compiled compile(const KernelText& text, const BuildOptions& options = {});

// In as many threads as the machine has cores, at most eight: each takes some hundred megabytes.
// Where several texts are wrong, the first of them is said.
std::vector<Compiled> compile_all(std::span<const KernelText> texts,
                                  const BuildOptions& options = {});

}  // namespace aisp::jit
