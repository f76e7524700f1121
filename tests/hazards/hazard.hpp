// What the programs under tests/hazards share. Each .cu file holds one planted bug and its fixed
// twin and registers them here; the .cu files of a folder make one program, run as
// `hazards_<folder> <name> bug|fixed`. A file that has only a correct side is under clean/.
// Everything in a .cu file stands in an unnamed namespace: kernels of one name would be merged.
// run.py says what the first lines of a file mean.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace hazard {

// Launches, waits, and says whether the numbers are right; the bug's answer is not looked at.
using Side = bool (*)();

class Program {
 public:
  Program(const char* file, Side bug, Side fixed)
      : file_(file), bug_(bug), fixed_(fixed), next_(first_) {
    first_ = this;
  }
  Program(const char* file, Side clean) : Program(file, nullptr, clean) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const char* file() const { return file_; }
  Side bug() const { return bug_; }
  Side fixed() const { return fixed_; }
  const Program* next() const { return next_; }
  static const Program* first() { return first_; }

 private:
  const char* file_;
  Side bug_, fixed_;
  const Program* next_;
  static inline const Program* first_ = nullptr;
};

inline bool is_bug = false;  // which side runs

// A call that fails ends the program. On the bug's side that is one way to end, such as a deadlock.
inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
  std::exit(is_bug ? 0 : 1);
}

// After a launch: it was accepted and has ended.
inline void finish() {
  require(cudaGetLastError(), "launch");
  require(cudaDeviceSynchronize(), "kernel");
}

// Global memory, zero at first.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count) {
    require(cudaMalloc(&memory_, count * sizeof(T)), "cudaMalloc");
    require(cudaMemset(memory_, 0, count * sizeof(T)), "cudaMemset");
    require(cudaDeviceSynchronize(), "cudaMemset");
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    require(cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
            "cudaMemcpy");
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(memory_); }
  T* get() const { return memory_; }
  std::vector<T> fetch() const {
    std::vector<T> values(count_);
    require(cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    return values;
  }
  // True when element i is want(i), for all.
  template <class Want>
  bool holds(Want want) const {
    const auto values = fetch();
    for (std::size_t i = 0; i < count_; ++i) {
      const T wanted = static_cast<T>(want(static_cast<int>(i)));
      if (values[i] == wanted) continue;
      std::fprintf(stderr, "element %zu is %g, not %g\n", i, static_cast<double>(values[i]),
                   static_cast<double>(wanted));
      return false;
    }
    return true;
  }

 private:
  std::size_t count_;
  T* memory_ = nullptr;
};

}  // namespace hazard
