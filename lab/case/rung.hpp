// A rung is one way to compute a target's function. Rungs of a target work on the same buffers;
// each adds one idea to the rung it builds on.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/case/case.hpp"

namespace aisp::lab {

// What a run of a rung gets: device pointers in the order of the problem's tensors.
struct Launch {
  const Problem& problem;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  cudaStream_t stream = nullptr;

  template <class T>
  const T* in(int index) const {
    return static_cast<const T*>(inputs.at(static_cast<std::size_t>(index)));
  }
  template <class T>
  T* out(int index) const {
    return static_cast<T*>(outputs.at(static_cast<std::size_t>(index)));
  }
  std::int64_t dim(int axis) const { return problem.size.dims.at(static_cast<std::size_t>(axis)); }
};

// Enqueues the work on launch.stream and returns; it must not synchronise or allocate. A rung that
// says blocks_host may also work on the host meanwhile, wait there and throw what went wrong.
using Run = std::function<void(const Launch&)>;

// A library that allocates its outputs itself keeps them: a copy into the launch's buffers would be
// charged to it. Both calls enqueue on launch.stream and are never timed. Neither may produce the
// outputs: what is collected after a poison and without a run must not be right.
struct OwnOutputs {
  Run poison{};   // before a checked run: no element may pass unless that run writes it
  Run collect{};  // after it, before the judge looks: copies them into launch.outputs
};

// Something to look at that a rung has and no tool finds by itself: what a compiler that runs with
// the program has made, from the program's text to its machine code. `aisp inspect` writes it.
struct Exhibit {
  std::string what;  // a word of its --what: "ir", "passes", "source", "ptx", "sass", …
  std::string name;  // of the file that it becomes, without number: "softmax_traced.ir"
  std::string text;  // where the name ends in .cubin, machine code to be disassembled
  std::vector<std::string> said{};  // lines that are printed too: what was decided, what declined
};

// Where a rung may spend time before it is timed: scratch memory, library handles, heuristics.
class Setup {
 public:
  virtual ~Setup() = default;
  virtual const Problem& problem() const = 0;
  // Device memory that lives until the rung has been timed, for what one step of a run writes and a
  // later one reads. It is filled with NaN before every checked run: a step that does not wait for
  // the one before it finds no right values there from an earlier run.
  virtual void* scratch(std::size_t bytes) = 0;
  // The same for what has to outlive a run, and why: a table made once, a counter that each run
  // leaves at zero. Never filled; contents undefined.
  virtual void* kept(std::size_t bytes, const char* /*why*/) { return scratch(bytes); }
  virtual int multiprocessors() const = 0;
  virtual bool simulated() const = 0;  // a library's own kernels, machine code alone, cannot run
  // Called with the launch before every run of the rung, outside of its time: puts back what a run
  // used up or what the inputs have changed, such as a file that must not be in the page cache.
  virtual void before_each_run(Run) {
    throw std::logic_error("this setup does not run what it prepares");
  }
  // Says which inputs before_each_run moves to where a run reads them, such as a file or another
  // device: of these, a run cannot see what changes after that call. Every other input may change
  // between the two, so that nothing can be computed from it outside of the time.
  virtual void stages_inputs(std::vector<int> /*indices*/) {}
  // Called with the launch before every checked run, outside of any time: fills with 0xff what one
  // step writes and a later one reads where that is no scratch memory, such as pinned memory, a
  // pool's, or another device's. Each call adds one.
  virtual void before_each_check(Run) {}
  // Says that the rung's results are not where launch.outputs points until they are collected.
  virtual void own_outputs(OwnOutputs) {
    throw std::logic_error("this setup does not judge what it prepares");
  }
  // A number that a run leaves beside its time ("bulk work", "TFLOP/s"), read on the host when a
  // timed run has ended. The row has the median of what was read.
  virtual void figure(const std::string& /*name*/, const std::string& /*unit*/,
                      std::function<double()> /*read*/) {}
  // The sample is what this returns, in milliseconds, and not the time between the events around
  // the run. Read when the run has ended; for targets that say what it is in Target::timed.
  virtual void own_time(std::function<double()> /*milliseconds*/) {
    throw std::logic_error("this setup does not time what it prepares");
  }
  // A line that stands with the rung's row: which of several ways it took. The last one counts.
  virtual void note(const std::string&) {}
  // What there is to look at, asked after a run and by `aisp inspect` alone. Each call adds some.
  virtual void shows(std::function<std::vector<Exhibit>()> /*exhibits*/) {}
};

struct Rung {
  std::string name{};       // says the idea: "one_pass", never "fast"
  int step = 0;             // place on the ladder: 0 is the baseline, the largest the optimized one
  std::string builds_on{};  // name of the rung below, "" for the baseline
  std::string idea{};       // what this rung changes
  std::string look_at{};    // where a profile or the source shows it
  Needs needs = Needs::sm_80;
  bool peer = false;                    // somebody else's library, shown beside the ladder
  std::string library{};                // of a peer that runs on request: its lab::Library
  bool rounds_between = false;          // a peer whose kernels hand narrow numbers to each other
  std::string narrower{};               // its idea: judged by the Output::narrower of this name
  std::vector<std::string> variants{};  // the variants it can run; empty: all
  bool blocks_host = false;             // a run works on the host too, which a graph cannot record
  std::function<Run(Setup&)> prepare{};
};

// A rung that needs no preparation.
inline std::function<Run(Setup&)> plain(void (*run)(const Launch&)) {
  return [run](Setup&) { return Run(run); };
}

struct CudaError : std::runtime_error {
  CudaError(cudaError_t error, const std::string& message)
      : std::runtime_error(message), code(error) {}
  cudaError_t code;
};

// Turns a CUDA error into a CudaError that says its name; use around every runtime call.
void check_cuda(cudaError_t error, const char* what);

}  // namespace aisp::lab
