// What the programs share: a call that fails ends the program, a wrong value too.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}
#define CHECK(call) require((call), #call)

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

// The same numbers on every machine.
inline std::vector<unsigned> numbers(std::size_t count, unsigned seed) {
  std::vector<unsigned> values(count);
  for (auto& value : values) value = seed = seed * 1664525u + 1013904223u;
  return values;
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) {
    CHECK(cudaMalloc(&memory_, count * sizeof(T)));
  }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    CHECK(cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(memory_); }
  T* get() const { return memory_; }
  std::vector<T> fetch() const {
    std::vector<T> values(count_);
    CHECK(cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  T* memory_ = nullptr;
};
